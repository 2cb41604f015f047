package ristretto.opencl;

import org.jocl.blast.CLBlast;
import ristretto.kernels.DeviceException;
import ristretto.kernels.FileException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.driver.BlasCalls;
import ristretto.kernels.driver.BlasChoice;
import ristretto.kernels.ir.Kernel;

/**
 * CLBlast through JOCLBlast: finds the library and selects the products of a device for it. CLBlast
 * compiles its programs when the first product of a type runs, which takes seconds. Only drivers
 * can cache these programs, and most drivers do; still, products that take milliseconds do not pay
 * for the compilation. On processors CLBlast is several times slower than own kernels.
 */
final class ClBlast {
  /** Smallest number of multiply-adds of a product for which CLBlast pays. */
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
    if (choice == BlasChoice.LIBRARY && !missing().isEmpty()) {
      throw new DeviceException(
          "["
              + device
              + "] -Dristretto.opencl.blas=clblast needs CLBlast; "
              + missing()
              + "; put org.jocl:jocl-blast on the path, or remove -Dristretto.opencl.blas");
    }
  }

  /** Loads CLBlast. Returns the reason why CLBlast cannot be used; empty if it can. */
  static synchronized String missing() {
    if (missing == null) {
      missing = find();
    }
    return missing;
  }

  /**
   * Returns the suffix about CLBlast for a device's description; empty on processors, which do not
   * use CLBlast.
   */
  static String note(boolean processor, String missing) {
    return processor || missing.isEmpty()
        ? ""
        : ", matrix products by built-in kernels: " + missing;
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

  /** Returns true if CLBlast computes this product. */
  boolean takes(Kernel.Gemm k) {
    boolean takes =
        switch (choice) {
          case OWN -> false;
          case LIBRARY -> BlasCalls.fits(k);
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

  /** Describes which library or kernels compute products, and why. */
  String words() {
    return switch (choice) {
      case OWN -> "matrix products by built-in kernels, as -Dristretto.opencl.blas=own says";
      case LIBRARY -> "matrix products by CLBlast, as -Dristretto.opencl.blas=clblast says";
      case AUTO -> {
        if (processor) {
          yield "matrix products by built-in kernels, which are faster than CLBlast on processors";
        }
        yield missing().isEmpty()
            ? "matrix products of at least 2^27 multiply-adds by CLBlast, smaller ones by built-in"
                + " kernels, because CLBlast takes seconds to compile its programs"
            : "matrix products by built-in kernels: " + missing();
      }
    };
  }
}
