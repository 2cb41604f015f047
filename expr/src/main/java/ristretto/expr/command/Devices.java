package ristretto.expr.command;

import java.util.Comparator;
import java.util.List;
import ristretto.kernels.device.DeviceProvider;
import ristretto.kernels.device.DeviceProviders;

/// The command `devices`: lists the available devices, and the reasons why others are unavailable.
public final class Devices {
  private Devices() {}

  /// Prints the devices of every kind on the module path, starting with the processor, which is
  /// always available.
  ///
  /// @param args none
  public static void main(String[] args) {
    List<DeviceProvider> providers =
        DeviceProviders.all().stream()
            .sorted(Comparator.comparing(p -> !p.kind().equals("cpu")))
            .toList();
    System.out.print(report(providers));
  }

  /// Formats one line per device, or a line with the reason and the remedy for a kind without
  /// devices.
  static String report(List<DeviceProvider> providers) {
    if (providers.isEmpty()) {
      return "No devices: no module with a device is on the module path; add ristretto.kernels.\n";
    }
    StringBuilder text = new StringBuilder();
    for (DeviceProvider provider : providers) {
      List<String> devices = provider.devices();
      for (int i = 0; i < devices.size(); i++) {
        line(text, provider.kind() + ":" + i, devices.get(i));
      }
      if (devices.isEmpty()) {
        line(text, provider.kind(), "not available: " + provider.remedy());
      }
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String name, String description) {
    text.append("%-10s  %s%n".formatted(name, description));
  }
}
