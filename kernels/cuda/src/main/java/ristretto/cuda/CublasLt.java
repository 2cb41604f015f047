package ristretto.cuda;

import static ristretto.cuda.Library.INT;
import static ristretto.cuda.Library.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * cuBLASLt: matrix products with fused epilogues (bias, activation). It uses the handles of the
 * cuBLAS that it was loaded with.
 */
final class CublasLt {
  private static final int TRANSPOSE_A = 3;
  private static final int TRANSPOSE_B = 4;
  private static final int EPILOGUE = 7;
  private static final int BIAS_POINTER = 8;
  private static final int BATCH_COUNT = 5;
  private static final int BATCH_STEP = 6;
  private static final int MOST_WORKSPACE = 1;

  /** Attribute for the alignment of A; the attributes for B, C and D follow in this order. */
  private static final int ALIGNMENT = 5;

  private static final int FLOAT = 0;
  private static final int COMPUTE_FLOAT = 68;
  private static final int COMPUTE_TF32 = 77;

  /**
   * Size of a result of the heuristic: an algorithm of 64 bytes, workspace, status, occupancy, and
   * 16 reserved bytes.
   */
  private static final long RESULT_BYTES = 96;

  private static final long RESULT_STATUS = 72;

  /** Stand-in for a buffer's address; cuBLASLt looks only at the alignment of addresses. */
  private static final long ANY_BUFFER = 1 << 20;

  private static final Cleaner CLEANER = Cleaner.create();

  private final MethodHandle createProduct;
  private final MethodHandle setProduct;
  private final MethodHandle destroyProduct;
  private final MethodHandle createLayout;
  private final MethodHandle setLayout;
  private final MethodHandle destroyLayout;
  private final MethodHandle createPreference;
  private final MethodHandle setPreference;
  private final MethodHandle destroyPreference;
  private final MethodHandle choose;
  private final MethodHandle multiply;

  private CublasLt(Library library) {
    createProduct = library.function("cublasLtMatmulDescCreate", LONG, INT, INT);
    setProduct = library.function("cublasLtMatmulDescSetAttribute", LONG, INT, LONG, LONG);
    destroyProduct = library.function("cublasLtMatmulDescDestroy", LONG);
    createLayout = library.function("cublasLtMatrixLayoutCreate", LONG, INT, LONG, LONG, LONG);
    setLayout = library.function("cublasLtMatrixLayoutSetAttribute", LONG, INT, LONG, LONG);
    destroyLayout = library.function("cublasLtMatrixLayoutDestroy", LONG);
    createPreference = library.function("cublasLtMatmulPreferenceCreate", LONG);
    setPreference = library.function("cublasLtMatmulPreferenceSetAttribute", LONG, INT, LONG, LONG);
    destroyPreference = library.function("cublasLtMatmulPreferenceDestroy", LONG);
    choose =
        library.function(
            "cublasLtMatmulAlgoGetHeuristic",
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            INT,
            LONG,
            LONG);
    multiply =
        library.function(
            "cublasLtMatmul",
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG,
            LONG);
  }

  /** Loads the cuBLASLt of the same installation as {@code cublas}; empty if it is missing. */
  static Optional<CublasLt> beside(Library cublas) {
    int name = cublas.file().lastIndexOf("libcublas.so");
    return Library.load(
            cublas.file().substring(0, name)
                + cublas.file().substring(name).replace("cublas", "cublasLt"),
            cublas.major())
        .map(CublasLt::new);
  }

  /**
   * Layout of a batch of column-major matrices.
   *
   * @param alignment alignment of the first element's address in bytes
   */
  record Layout(long rows, long columns, long lead, long step, int alignment) {}

  /**
   * Prepares {@code D = epilogue(alpha A B)} in F32; empty if cuBLASLt has no algorithm for this
   * product.
   *
   * @param handle handle of cuBLAS
   * @param batch number of products
   */
  Optional<Plan> plan(
      long handle,
      long workspace,
      boolean tf32,
      boolean transposeA,
      boolean transposeB,
      Layout a,
      Layout b,
      Layout d,
      long batch,
      Epilogue epilogue) {
    var parts = new Parts(this);
    var plan = new Plan(handle, workspace, parts);
    CLEANER.register(plan, parts);
    plan.describe(tf32, transposeA, transposeB, epilogue.code());
    epilogue.bias().ifPresent(m -> plan.bias(ANY_BUFFER + 4 * m.map().offset()));
    parts.layout(a, batch);
    parts.layout(b, batch);
    parts.layout(d, batch);
    return plan.choose(List.of(a, b, d, d)) ? Optional.of(plan) : Optional.empty();
  }

  /** Descriptors that cuBLASLt allocated, freed when the plan becomes unreachable. */
  private static final class Parts implements Runnable {
    private final CublasLt library;
    private long product;
    private final List<Long> layouts = new ArrayList<>();

    Parts(CublasLt library) {
      this.library = library;
    }

    void layout(Layout layout, long batch) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment holder = arena.allocate(LONG);
        Cublas.check(
            (int)
                library.createLayout.invokeExact(
                    holder.address(), FLOAT, layout.rows, layout.columns, layout.lead),
            "cublasLtMatrixLayoutCreate");
        long made = holder.get(LONG, 0);
        layouts.add(made);
        if (batch > 1) {
          set(library.setLayout, made, BATCH_COUNT, arena.allocateFrom(INT, (int) batch));
          set(library.setLayout, made, BATCH_STEP, arena.allocateFrom(LONG, layout.step));
        }
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }

    @Override
    public void run() {
      try {
        if (product != 0) {
          int _ = (int) library.destroyProduct.invokeExact(product);
        }
        for (long layout : layouts) {
          int _ = (int) library.destroyLayout.invokeExact(layout);
        }
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }
  }

  private static void set(MethodHandle setter, long of, int attribute, MemorySegment value)
      throws Throwable {
    Cublas.check(
        (int) setter.invokeExact(of, attribute, value.address(), value.byteSize()),
        "cublasLtSetAttribute");
  }

  /** Matrix product with its selected algorithm. Used under its device's lock. */
  final class Plan {
    private final long handle;
    private final long workspace;
    private final Parts parts;
    private final MemorySegment algorithm = Arena.ofAuto().allocate(RESULT_BYTES, 16);

    /** Alpha, beta, and the address of the bias. */
    private final MemorySegment values = Arena.ofAuto().allocate(16, 16);

    private Plan(long handle, long workspace, Parts parts) {
      this.handle = handle;
      this.workspace = workspace;
      this.parts = parts;
    }

    private void describe(boolean tf32, boolean transposeA, boolean transposeB, int epilogue) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment holder = arena.allocate(LONG);
        Cublas.check(
            (int)
                createProduct.invokeExact(
                    holder.address(), tf32 ? COMPUTE_TF32 : COMPUTE_FLOAT, FLOAT),
            "cublasLtMatmulDescCreate");
        parts.product = holder.get(LONG, 0);
        set(setProduct, parts.product, TRANSPOSE_A, arena.allocateFrom(INT, transposeA ? 1 : 0));
        set(setProduct, parts.product, TRANSPOSE_B, arena.allocateFrom(INT, transposeB ? 1 : 0));
        set(setProduct, parts.product, EPILOGUE, arena.allocateFrom(INT, epilogue));
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }

    private void bias(long address) {
      values.set(LONG, 8, address);
      try {
        set(setProduct, parts.product, BIAS_POINTER, values.asSlice(8, 8));
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }

    /** Selects the first algorithm of the heuristic; returns false if there is none. */
    private boolean choose(List<Layout> operands) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment holder = arena.allocate(LONG);
        Cublas.check(
            (int) createPreference.invokeExact(holder.address()), "cublasLtMatmulPreferenceCreate");
        long preference = holder.get(LONG, 0);
        try {
          MemorySegment bytes = arena.allocateFrom(LONG, Cublas.WORKSPACE);
          set(setPreference, preference, MOST_WORKSPACE, bytes);
          for (int k = 0; k < operands.size(); k++) {
            MemorySegment alignment = arena.allocateFrom(INT, operands.get(k).alignment);
            set(setPreference, preference, ALIGNMENT + k, alignment);
          }
          MemorySegment count = arena.allocate(INT);
          long a = parts.layouts.get(0);
          long b = parts.layouts.get(1);
          long d = parts.layouts.get(2);
          int status =
              (int)
                  choose.invokeExact(
                      handle,
                      parts.product,
                      a,
                      b,
                      d,
                      d,
                      preference,
                      1,
                      algorithm.address(),
                      count.address());
          return status == 0 && count.get(INT, 0) == 1 && algorithm.get(INT, RESULT_STATUS) == 0;
        } finally {
          int _ = (int) destroyPreference.invokeExact(preference);
        }
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }

    /**
     * Enqueues the product.
     *
     * @param bias address of the bias; 0 if there is none
     */
    void multiply(float alpha, long a, long b, long d, long bias, long stream) {
      if (bias != 0) {
        bias(bias);
      }
      values.set(ValueLayout.JAVA_FLOAT, 0, alpha);
      values.set(ValueLayout.JAVA_FLOAT, 4, 0);
      long layoutA = parts.layouts.get(0);
      long layoutB = parts.layouts.get(1);
      long layoutD = parts.layouts.get(2);
      try {
        int status =
            (int)
                multiply.invokeExact(
                    handle,
                    parts.product,
                    values.address(),
                    a,
                    layoutA,
                    b,
                    layoutB,
                    values.address() + 4,
                    d,
                    layoutD,
                    d,
                    layoutD,
                    algorithm.address(),
                    workspace,
                    Cublas.WORKSPACE,
                    stream);
        Cublas.check(status, "cublasLtMatmul");
      } catch (Throwable t) {
        throw Library.thrown(t);
      }
    }
  }
}
