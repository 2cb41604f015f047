package ristretto.kernels.driver;

import ristretto.kernels.device.Choice;

/** Policy for matrix products: a device's BLAS library or own kernels. */
public enum BlasChoice {
  /** The library where it is installed and faster than own kernels. */
  AUTO,
  /** The library for every product that the library supports. */
  LIBRARY,
  /** Own kernels for all products. */
  OWN;

  /**
   * Reads the policy from the system property {@code ristretto.<device>.blas}: {@code auto}, the
   * name of the library, or {@code own}.
   *
   * @param device kind of the device
   * @param library name of the library, in lower case
   * @throws ristretto.kernels.DeviceException if the value is another one
   */
  public static BlasChoice fromSystem(String device, String library) {
    String word =
        Choice.named(
            "[" + device + "] the matrix product library",
            "ristretto." + device + ".blas",
            "auto",
            library,
            "own");
    return word.equals("auto") ? AUTO : word.equals("own") ? OWN : LIBRARY;
  }
}
