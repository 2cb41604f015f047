package ristretto.opencl;

import org.jocl.blast.CLBlast;
import ristretto.kernels.DeviceException;
import ristretto.kernels.FileException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.driver.BlasCalls;
import ristretto.kernels.ir.Kernel;

/**
 * CLBlast by way of JOCLBlast: whether it is there, and which products of a device it computes. It
 * compiles its programs when the first product of a type runs, for seconds. Only drivers can keep
 * them, and most do; still, products that are done in milliseconds are not worth it. On processors
 * it is several times slower than kernels made for them.
 */
final class ClBlast {
  /** Multiply-adds of a product from which on it pays. */
  static final long LARGE = 1L << 27;

  private static String missing;

  private final String device;
  private final boolean processor;
  private final BlasChoice choice;
  private boolean told;

  ClBlast(String device, boolean processor, BlasChoice choice) {
    this.device = device;
    this.processor = processor;
    this.choice = choice;
    if (choice == BlasChoice.CLBLAST && !missing().isEmpty()) {
      throw new DeviceException(
          "["
              + device
              + "] CLBlast must be there to be chosen; it is not: "
              + missing()
              + "; put org.jocl:jocl-blast on the path, or remove -Dristretto.opencl.blas");
    }
  }

  /** Why it cannot be used, in words; empty if it can. Loads it. */
  static synchronized String missing() {
    if (missing == null) {
      missing = find();
    }
    return missing;
  }

  /** What a device's description says of it: only where it would be used. */
  static String note(boolean processor, String missing) {
    return processor || missing.isEmpty() ? "" : ", products by own kernels: " + missing;
  }

  private static String find() {
    try {
      Class<?> owner =
          Class.forName("org.jocl.blast.CLBlast", false, ClBlast.class.getClassLoader());
      JoclLibrary.load(
          owner, "JOCLBlast_1_5_2", "clblast", () -> CLBlast.setExceptionsEnabled(true));
      return "";
    } catch (ClassNotFoundException | NoClassDefFoundError e) {
      return "JOCLBlast is not on the path";
    } catch (LinkageError e) {
      return "JOCLBlast cannot be loaded (" + e.getMessage().lines().findFirst().orElse("") + ")";
    } catch (FileException e) {
      return "JOCLBlast cannot be loaded (" + e.getMessage() + ")";
    }
  }

  /** Whether it computes this product. */
  boolean takes(Kernel.Gemm k) {
    boolean takes =
        switch (choice) {
          case OWN -> false;
          case CLBLAST -> BlasCalls.fits(k);
          case AUTO ->
              !processor
                  && k.m() * k.n() * k.k() >= LARGE
                  && BlasCalls.fits(k)
                  && missing().isEmpty();
        };
    tell();
    return takes;
  }

  private synchronized void tell() {
    if (!told) {
      told = true;
      Debug.log(Debug.DEVICES, () -> "[opencl] " + device + " " + words());
    }
  }

  /** What computes products and why. */
  String words() {
    return switch (choice) {
      case OWN -> "products by own kernels, as -Dristretto.opencl.blas=own says";
      case CLBLAST -> "products by CLBlast, as -Dristretto.opencl.blas=clblast says";
      case AUTO -> {
        if (processor) {
          yield "products by own kernels, which are faster on processors than CLBlast's";
        }
        yield missing().isEmpty()
            ? "products of at least 2^27 multiply-adds by CLBlast, others by own kernels, because"
                + " it compiles its programs for seconds"
            : "products by own kernels: " + missing();
      }
    };
  }
}
