package ristretto.cuda;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import ristretto.kernels.device.Choice;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;

/** Selects the implementation of a device's Fourier transforms: cuFFT, or own kernels. */
final class Transforms {
  private static final String PROPERTY = "ristretto.cuda.fft";

  private static final Notice NOTICE = new Notice();

  private final CudaDevice device;
  private final boolean wanted;
  private Optional<Cufft> library;
  private final Map<Sizes, Cufft.Plan> plans = new HashMap<>();

  private record Sizes(ScalarType type, long n, long batch) {}

  Transforms(CudaDevice device) {
    this.device = device;
    wanted =
        Choice.named("[cuda] the library of transforms", PROPERTY, "auto", "own").equals("auto");
  }

  /** Returns true if cuFFT computes transforms. */
  boolean takes() {
    return library().isPresent();
  }

  /** Returns the library, searched for on first use. */
  private Optional<Cufft> library() {
    if (library == null) {
      library = wanted ? Cufft.find(device.hardware.driver()) : Optional.empty();
      if (wanted) {
        NOTICE.tell(library.isPresent(), words(library));
      }
    }
    return library;
  }

  /** Returns the launch of transforms. */
  Task task(Kernel.Fourier k) {
    long n = k.extents().get(k.extents().size() - 1);
    var sizes = new Sizes(k.type(), n, k.extents().product() / n);
    synchronized (device) {
      device.checkOpen(k.name());
      device.enter();
      Cufft cufft = library().orElseThrow();
      boolean isWide = k.type() == ScalarType.F64;
      Cufft.Plan plan = plans.computeIfAbsent(sizes, s -> cufft.plan(device, isWide, s.n, s.batch));
      return new FftTransform(k, plan);
    }
  }

  /** Describes which library computes transforms, and why. */
  static String words(Optional<Cufft> library) {
    return library
        .map(l -> "Fourier transforms by cuFFT " + l.version)
        .orElse(
            "Fourier transforms by built-in kernels, one per factor of the length, because neither"
                + " libcufft.so.11 nor .12 was found; name its folder in"
                + " RISTRETTO_CUDA_LIBRARIES, or set -D"
                + PROPERTY
                + "=own");
  }

  void close() {
    plans.values().forEach(Cufft.Plan::close);
  }
}
