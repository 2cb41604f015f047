package ristretto.opencl;

import ristretto.kernels.DeviceException;

/** Prints whether CLBlast is there, or what a device does about it. */
final class BlasProbe {
  private BlasProbe() {}

  public static void main(String[] args) {
    if (args.length == 0) {
      System.out.println(ClBlast.missing());
      return;
    }
    Hardware hardware = Hardware.find().devices().getFirst();
    try (var device = new OpenClDevice(hardware, 0)) {
      System.out.println(device.blast.words());
    } catch (DeviceException e) {
      System.out.println(e.getMessage());
    }
  }
}
