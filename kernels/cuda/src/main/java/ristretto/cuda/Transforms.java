package ristretto.cuda;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.device.Choice;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;

/** Selects the implementation of a device's Fourier transforms: cuFFT, or own kernels. */
final class Transforms {
  private static final String PROPERTY = "ristretto.cuda.fft";

  private static boolean told;

  private final CudaDevice device;
  private final boolean wanted;
  private final Map<Sizes, Cufft.Plan> plans = new HashMap<>();

  private record Sizes(ScalarType type, long n, long batch) {}

  Transforms(CudaDevice device) {
    this.device = device;
    wanted =
        Choice.named("[cuda] the library of transforms", PROPERTY, "auto", "own").equals("auto");
  }

  /** Returns true if cuFFT computes transforms. */
  boolean takes() {
    if (!wanted) {
      return false;
    }
    Optional<Cufft> library = Cufft.find(device.hardware.driver());
    tell(library);
    return library.isPresent();
  }

  /** Returns the launch of transforms. */
  Task task(Kernel.Fourier k) {
    long n = k.extents().get(k.extents().size() - 1);
    var sizes = new Sizes(k.type(), n, k.extents().product() / n);
    synchronized (device) {
      device.checkOpen(k.name());
      device.enter();
      Cufft library = Cufft.find(device.hardware.driver()).orElseThrow();
      boolean isWide = k.type() == ScalarType.F64;
      Cufft.Plan plan =
          plans.computeIfAbsent(sizes, s -> library.plan(device, isWide, s.n, s.batch));
      return new FftTransform(k, plan);
    }
  }

  private static synchronized void tell(Optional<Cufft> library) {
    if (!told) {
      told = true;
      Debug.log(Debug.DEVICES, () -> "[cuda] " + words(library));
      if (library.isEmpty()) {
        System.err.println("[cuda] " + words(library));
      }
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
