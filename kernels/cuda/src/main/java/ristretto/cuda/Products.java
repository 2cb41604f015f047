package ristretto.cuda;

import java.util.Optional;
import ristretto.kernels.DeviceException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.ir.Kernel;

/** Who computes a device's products: cuBLAS, or kernels of our own. */
final class Products {
  /** Multiply-adds up to which a call of the library costs more than it is faster. */
  private static final long TINY = 1L << 18;

  private final CudaDevice device;
  private final BlasChoice choice;
  private final Optional<Cublas> library;
  private Cublas.Session session;
  private static boolean missed;
  private boolean told;

  Products(CudaDevice device, BlasChoice choice) {
    this.device = device;
    this.choice = choice;
    library = choice == BlasChoice.OWN ? Optional.empty() : Cublas.find(device.hardware.driver());
    if (choice == BlasChoice.CUBLAS && library.isEmpty()) {
      throw new DeviceException(
          "["
              + device.name()
              + "] cuBLAS must be there to be chosen; neither libcublas.so.12 nor .13 was found;"
              + " install it, for example with pip install nvidia-cublas-cu12, or remove"
              + " -Dristretto.cuda.blas");
    }
  }

  /** Whether cuBLAS computes this product. */
  boolean takes(Kernel.Gemm k) {
    tell();
    boolean fits =
        library.isPresent()
            && k.m() * k.n() * k.k() * k.batch().product() > 0
            && Matrix.fits(k.a(), k.m(), k.k())
            && Matrix.fits(k.b(), k.k(), k.n())
            && Matrix.fits(k.c(), k.m(), k.n())
            && !Matrix.of(k.c(), k.m(), k.n()).transposed();
    return fits
        && (choice == BlasChoice.CUBLAS || k.m() * k.n() * k.k() * k.batch().product() > TINY);
  }

  private synchronized void tell() {
    if (!told) {
      told = true;
      Debug.log(Debug.DEVICES, () -> "[cuda] " + device.name() + " " + words(library, choice));
      if (library.isEmpty() && choice == BlasChoice.AUTO && !missed) {
        missed = true;
        System.err.println("[cuda] " + words(library, choice));
      }
    }
  }

  /** What computes products and why. */
  static String words(Optional<Cublas> library, BlasChoice choice) {
    if (choice == BlasChoice.OWN) {
      return "products by own kernels, as -Dristretto.cuda.blas=own says";
    }
    return library
        .map(l -> "products by cuBLAS " + l.version)
        .orElse(
            "products by own kernels, which take several times longer than cuBLAS, because neither"
                + " libcublas.so.12 nor .13 was found; name its folder in"
                + " RISTRETTO_CUDA_LIBRARIES");
  }

  /** Under the device's lock. */
  Cublas.Session session() {
    if (session == null) {
      session = library.orElseThrow().open(device, Boolean.getBoolean("ristretto.cuda.tf32"));
    }
    return session;
  }

  void close() {
    if (session != null) {
      session.close();
    }
  }
}
