package ristretto.cuda;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import ristretto.kernels.DeviceException;
import ristretto.kernels.KernelException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/** Who computes a device's convolutions: cuDNN, or products of our own with windows. */
final class Convolutions {
  private static final String PROPERTY = "ristretto.cuda.dnn";

  /** Of images; the library knows no more. */
  private static final int MOST_AXES = 3;

  private static boolean missed;

  private final CudaDevice device;
  private final boolean wanted;
  private final boolean tf32 = Boolean.getBoolean("ristretto.cuda.tf32");
  private final Map<Sizes, Boolean> known = new HashMap<>();
  private Cudnn.Session session;

  /** All that an algorithm depends on. */
  private record Sizes(
      ScalarType type,
      Kernel.Convolution.Made made,
      Kernel.Convolution.Windows windows,
      Longs images,
      Longs filters) {}

  Convolutions(CudaDevice device) {
    this.device = device;
    String text = System.getProperty(PROPERTY, "auto").trim();
    if (!text.equals("auto") && !text.equals("own")) {
      throw new DeviceException(
          "[cuda] the convolutions' library must be auto or own; got \""
              + text
              + "\"; correct -D"
              + PROPERTY);
    }
    wanted = text.equals("auto");
  }

  /** Whether cuDNN computes this convolution. */
  boolean takes(Kernel.Convolution k) {
    if (!wanted
        || k.images().size() - 2 > MOST_AXES
        || Math.max(k.images().product(), k.results().product()) > Integer.MAX_VALUE
        || k.filters().product() > Integer.MAX_VALUE) {
      return false;
    }
    Optional<Cudnn> library = Cudnn.find(device.hardware.driver());
    tell(library);
    if (library.isEmpty()) {
      return false;
    }
    synchronized (device) {
      return known.computeIfAbsent(
          new Sizes(k.type(), k.made(), k.windows(), k.images(), k.filters()),
          _ -> plan(library.get(), k).isPresent());
    }
  }

  Task task(Kernel.Convolution k) {
    synchronized (device) {
      Cudnn.Plan plan =
          Cudnn.find(device.hardware.driver())
              .flatMap(library -> plan(library, k))
              .orElseThrow(() ->
                  new KernelException(
                      "["
                          + k.name()
                          + "] cuDNN must have an algorithm that it had before; got none; compute"
                          + " convolutions as products with -D"
                          + PROPERTY
                          + "=own"));
      return new DnnConvolution(k, plan);
    }
  }

  private Optional<Cudnn.Plan> plan(Cudnn library, Kernel.Convolution k) {
    device.checkOpen(k.name());
    device.enter();
    if (session == null) {
      session = library.open(device, tf32);
    }
    return session.plan(k);
  }

  private static synchronized void tell(Optional<Cudnn> library) {
    if (!missed) {
      missed = true;
      Debug.log(Debug.DEVICES, () -> "[cuda] " + words(library));
      if (library.isEmpty()) {
        System.err.println("[cuda] " + words(library));
      }
    }
  }

  /** What computes convolutions and why. */
  static String words(Optional<Cudnn> library) {
    return library
        .map(l -> "convolutions by cuDNN " + l.version)
        .orElse(
            "convolutions as products with windows, which take several times longer than cuDNN,"
                + " because neither libcudnn.so.9 nor .8 was found; name its folder in"
                + " RISTRETTO_CUDA_LIBRARIES, or say -D"
                + PROPERTY
                + "=own");
  }

  void close() {
    if (session != null) {
      session.close();
    }
  }
}
