package ristretto.cuda;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import ristretto.kernels.device.Choice;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/**
 * Selects the implementation of a device's convolutions: cuDNN, or matrix products with windows by
 * own kernels.
 */
final class Convolutions {
  private static final String PROPERTY = "ristretto.cuda.dnn";

  /** Maximum number of spatial dimensions that cuDNN supports. */
  private static final int MOST_AXES = 3;

  private static final Notice NOTICE = new Notice();

  private final CudaDevice device;
  private final boolean wanted;
  private final boolean tf32 = Choice.flag("ristretto.cuda.tf32", false);
  private final Map<Sizes, Optional<Cudnn.Plan>> plans = new HashMap<>();
  private Cudnn.Session session;

  /** Cache key of a plan: everything that the choice of an algorithm depends on. */
  private record Sizes(
      ScalarType type,
      Kernel.Convolution.Made made,
      Kernel.Convolution.Windows windows,
      Longs images,
      Longs filters) {}

  Convolutions(CudaDevice device) {
    this.device = device;
    wanted = Choice.named("[cuda] the convolution library", PROPERTY, "auto", "own").equals("auto");
  }

  /** Returns true if cuDNN computes this convolution. */
  boolean takes(Kernel.Convolution k) {
    return plan(k).isPresent();
  }

  /** Returns the launch of a convolution that {@linkplain #takes cuDNN computes}. */
  Task task(Kernel.Convolution k) {
    return new DnnConvolution(k, plan(k).orElseThrow());
  }

  private Optional<Cudnn.Plan> plan(Kernel.Convolution k) {
    if (!wanted
        || k.images().size() - 2 > MOST_AXES
        || Math.max(k.images().product(), k.results().product()) > Integer.MAX_VALUE
        || k.filters().product() > Integer.MAX_VALUE) {
      return Optional.empty();
    }
    Optional<Cudnn> library = Cudnn.find(device.hardware.driver());
    NOTICE.tell(library.isPresent(), words(library));
    if (library.isEmpty()) {
      return Optional.empty();
    }
    synchronized (device) {
      return plans.computeIfAbsent(
          new Sizes(k.type(), k.made(), k.windows(), k.images(), k.filters()),
          _ -> choose(library.get(), k));
    }
  }

  private Optional<Cudnn.Plan> choose(Cudnn library, Kernel.Convolution k) {
    device.checkOpen(k.name());
    device.enter();
    if (session == null) {
      session = library.open(device, tf32);
    }
    return session.plan(k);
  }

  /** Describes which library computes convolutions, and why. */
  static String words(Optional<Cudnn> library) {
    return library
        .map(l -> "convolutions by cuDNN " + l.version)
        .orElse(
            "convolutions run as matrix products, several times slower than with cuDNN, because"
                + " neither libcudnn.so.9 nor .8 was found; name its folder in"
                + " RISTRETTO_CUDA_LIBRARIES, or set -D"
                + PROPERTY
                + "=own");
  }

  void close() {
    if (session != null) {
      session.close();
    }
  }
}
