package ristretto.expr.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceProvider;
import ristretto.kernels.device.DeviceProviders;

/** Finds devices by name among the providers on the module path. */
public final class DeviceSelection {
  /** Kinds from the fastest to the slowest, for {@code best}. */
  private static final List<String> BY_SPEED = List.of("cuda", "tornado", "opencl", "cpu");

  private DeviceSelection() {}

  public static List<DeviceProvider> providers() {
    var all = new ArrayList<>(DeviceProviders.all());
    all.sort((a, b) -> Integer.compare(BY_SPEED.indexOf(a.kind()), BY_SPEED.indexOf(b.kind())));
    return all;
  }

  public static Device open(String name) {
    List<DeviceProvider> providers = providers();
    if (name.equals("best")) {
      return best(providers);
    }
    int colon = name.indexOf(':');
    String kind = colon < 0 ? name : name.substring(0, colon);
    for (DeviceProvider p : providers) {
      if (p.kind().equals(kind)) {
        List<String> found = p.devices();
        if (found.isEmpty()) {
          throw new DeviceException("[open] no " + kind + " device was found; " + p.remedy());
        }
        int index = colon < 0 ? 0 : index(name, colon, found);
        if (index >= found.size()) {
          throw new DeviceException(
              ("[open] device indices of %s must be below %s; got \"%s\"; choose one that"
                      + " ./ristretto devices lists.")
                  .formatted(kind, found.size(), name));
        }
        return p.open(index);
      }
    }
    throw new DeviceException(
        "[open] the device must be one of " + kinds(providers) + " or best; got \"" + name + "\".");
  }

  /** Opens the first device of the fastest kind that has devices. */
  public static Device best(List<DeviceProvider> fastestFirst) {
    for (DeviceProvider p : fastestFirst) {
      List<String> found = p.devices();
      for (int index = 0; index < found.size(); index++) {
        if (!emulated(p, found.get(index))) {
          return p.open(index);
        }
      }
    }
    throw new DeviceException("[open] no device was found; put a device module on the path.");
  }

  /**
   * Returns true for the processor behind the driver of another kind, such as OpenCL; the cpu
   * device is faster.
   */
  private static boolean emulated(DeviceProvider provider, String description) {
    return !provider.kind().equals("cpu") && words(description).contains("cpu");
  }

  private static List<String> words(String description) {
    return List.of(description.toLowerCase(Locale.ROOT).split("[^a-z0-9]+"));
  }

  private static String kinds(List<DeviceProvider> providers) {
    return String.join(", ", providers.stream().map(DeviceProvider::kind).toList());
  }

  /**
   * Index after the colon, or the index of the first device whose description contains the word
   * after the colon.
   */
  private static int index(String name, int colon, List<String> found) {
    String which = name.substring(colon + 1);
    try {
      int index = Integer.parseInt(which);
      if (index >= 0) {
        return index;
      }
    } catch (NumberFormatException e) {
      for (int k = 0; k < found.size(); k++) {
        if (words(found.get(k)).contains(which.toLowerCase(Locale.ROOT))) {
          return k;
        }
      }
    }
    throw new DeviceException(
        "[open] the part after the colon must be an index from 0, or a word of a device's"
            + " description; got \""
            + name
            + "\"; use one of the descriptions that ./ristretto devices lists, as in opencl:gpu.");
  }
}
