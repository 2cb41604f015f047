package ristretto.cuda;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;
import ristretto.kernels.DeviceException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Choice;
import ristretto.kernels.driver.BlasCalls;
import ristretto.kernels.driver.BlasChoice;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/** Selects the implementation of a device's matrix products: cuBLAS or own kernels. */
final class Products {
  /** Rows and columns of the matrix that tests cuBLASLt's treatment of NaN. */
  private static final int SIDE = 64;

  private final CudaDevice device;
  private final BlasChoice choice;
  private final Optional<Cublas> library;
  private final boolean tf32 = Choice.flag("ristretto.cuda.tf32", false);
  private final boolean epilogues = Choice.flag("ristretto.cuda.epilogues", true);
  private Cublas.Session session;
  private Boolean keepsNaN;
  private static boolean missed;
  private boolean told;

  Products(CudaDevice device, BlasChoice choice) {
    this(
        device,
        choice,
        choice == BlasChoice.OWN ? Optional.empty() : Cublas.find(device.hardware.driver()));
  }

  Products(CudaDevice device, BlasChoice choice, Optional<Cublas> library) {
    this.device = device;
    this.choice = choice;
    this.library = library;
    if (choice == BlasChoice.LIBRARY && library.isEmpty()) {
      throw new DeviceException(
          "["
              + device.name()
              + "] -Dristretto.cuda.blas=cublas needs cuBLAS; neither libcublas.so.12 nor .13 was"
              + " found; install it, for example with pip install nvidia-cublas-cu12, or remove"
              + " -Dristretto.cuda.blas");
    }
  }

  /** Returns true if cuBLAS computes this product. */
  boolean takes(Kernel.Gemm k) {
    tell();
    boolean fits = library.isPresent() && BlasCalls.fits(k);
    return fits && (choice == BlasChoice.LIBRARY || BlasCalls.cublasPays(k));
  }

  /** Returns the library's task for {@code kernel}; null if own kernels compute it. */
  Task task(Kernel kernel) {
    return switch (kernel) {
      case Kernel.Gemm k when takes(k) -> new BlasProduct(this, k);
      case Kernel.FusedGemm k -> fused(k).orElse(null);
      default -> null;
    };
  }

  /**
   * Returns cuBLASLt's product with its epilogue fused; empty if cuBLASLt has no equivalent
   * epilogue.
   */
  Optional<LtProduct> fused(Kernel.FusedGemm k) {
    if (!epilogues
        || !(k.gemm() instanceof Kernel.Gemm g)
        || !takes(g)
        || library.get().lt.isEmpty()) {
      return Optional.empty();
    }
    return Epilogue.of(k)
        .flatMap(e -> {
          synchronized (device) {
            device.checkOpen(k.name());
            device.enter();
            return isExact(e) ? lt(g, e) : Optional.empty();
          }
        });
  }

  private Optional<LtProduct> lt(Kernel.Gemm g, Epilogue e) {
    return LtProduct.of(library.get().lt.get(), session(), g, e, tf32, device.stream.handle());
  }

  private boolean isExact(Epilogue e) {
    return switch (e.function()) {
      case NONE -> true;
      case RELU -> keepsNaN();
      // The library's tanh may be as imprecise as the GPU's tanh instruction, so it needs TF32's
      // permission.
      case GELU -> tf32;
    };
  }

  /**
   * Returns true if cuBLASLt's ReLU propagates NaN, which NVIDIA does not document: measured once.
   */
  private boolean keepsNaN() {
    if (keepsNaN == null) {
      float[] values = new float[SIDE * SIDE];
      Arrays.fill(values, Float.NaN);
      try (Buffer in = device.allocate(4L * values.length);
          Buffer out = device.allocate(4L * values.length)) {
        device.write(in, 0, MemorySegment.ofArray(values));
        var e = new Epilogue(Epilogue.Function.RELU, Optional.empty(), square(1));
        Kernel.Gemm g =
            new Kernel.Gemm(
                "gemm_f32",
                ScalarType.F32,
                Longs.of(),
                SIDE,
                SIDE,
                SIDE,
                square(0),
                square(0),
                square(1),
                1,
                0);
        Optional<LtProduct> product = lt(g, e);
        product.ifPresent(p -> p.start(new Buffer[] {in, out}, new long[0], new long[0]));
        device.read(out, 0, MemorySegment.ofArray(values));
        boolean kept = IntStream.range(0, values.length).allMatch(k -> Float.isNaN(values[k]));
        keepsNaN = product.isPresent() && kept;
      }
    }
    return keepsNaN;
  }

  private static Operand.Memory square(int buffer) {
    return new Operand.Memory(ScalarType.F32, buffer, new Affine(0, Longs.of(SIDE, 1)));
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

  /** Describes which library or kernels compute products, and why. */
  static String words(Optional<Cublas> library, BlasChoice choice) {
    if (choice == BlasChoice.OWN) {
      return "matrix products by built-in kernels, as -Dristretto.cuda.blas=own says";
    }
    return library
        .map(l ->
            "matrix products by cuBLAS "
                + l.version
                + (l.lt.isPresent()
                    ? ""
                    : ", and their epilogues by separate kernels, because there is no libcublasLt"
                        + " beside it"))
        .orElse(
            "matrix products by built-in kernels, several times slower than cuBLAS, because neither"
                + " libcublas.so.12 nor .13 was found; name its folder in"
                + " RISTRETTO_CUDA_LIBRARIES");
  }

  /** Returns the session, opened on first use. Called under the device's lock. */
  Cublas.Session session() {
    if (session == null) {
      session = library.orElseThrow().open(device, tf32);
    }
    return session;
  }

  void close() {
    if (session != null) {
      session.close();
    }
  }
}
