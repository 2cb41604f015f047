package ristretto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.kernels.scalar.ScalarType.F32;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.DoubleBinaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Recording;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.TapeBuilder;
import ristretto.kernels.source.KernelSource;
import ristretto.kernels.source.Reach;
import ristretto.kernels.source.Routine;

/** Products by kernels of our own and by the library, with what surrounds them. */
class CudaProductsTest {
  private CudaDevice device;

  @BeforeEach
  void open() {
    Assumptions.assumeTrue(TestDevice.hardware() != null, TestDevice.reason());
    device = new CudaDevice(TestDevice.hardware());
  }

  @AfterEach
  void close() {
    if (device != null) {
      device.close();
    }
  }

  /** A launch has few groups in its second and third dimension. */
  @Test
  void thereMayBeManyTiles() {
    for (Kernel.Gemm kernel :
        List.of(gemm(1, 5_000_000, 1, 3), gemm(1, 3, 5_000_000, 1), gemm(1_000_000, 1, 2, 3))) {
      Routine routine = KernelSource.render(kernel, device.target, Reach.of(kernel));
      for (Routine.Step step : routine.steps()) {
        assertThat(step.groups().subList(1, 3)).isEqualTo(List.of(1L, 1L));
        assertThat(step.groups().getFirst()).isBetween(300_000L, (long) Integer.MAX_VALUE);
      }
    }
  }

  @Test
  void ownKernels() {
    try (var own = own()) {
      check(own, 1, 16 * 100 + 3, 1, 2);
      check(own, 3, 200, 130, 40);
      check(own, 70, 3, 20, 1);
    }
  }

  private static CudaDevice own() {
    return with("ristretto.cuda.blas", "own");
  }

  private static CudaDevice with(String property, String value) {
    System.setProperty(property, value);
    try {
      return new CudaDevice(TestDevice.hardware());
    } finally {
      System.clearProperty(property);
    }
  }

  private static void library() {
    Assumptions.assumeTrue(
        Cublas.find(TestDevice.hardware().driver()).flatMap(c -> c.lt).isPresent(),
        "cuBLASLt is not installed");
  }

  /** Epilogue of the product x of 70 x 80, k = 90, as formulas of x and the bias b. */
  private static Kernel.FusedGemm after(
      Kernel.Gemm g, BiFunction<TapeBuilder, int[], Integer> formula, Affine bias) {
    var t = new TapeBuilder();
    int row = formula.apply(t, new int[] {t.input(0, F32), t.input(1, F32)});
    Operand.Memory target = new Operand.Memory(F32, 4, new Affine(0, g.c().map().strides()));
    var map =
        new Kernel.Map(
            "map_f32",
            space(g),
            t.build(row),
            List.of(g.c(), new Operand.Memory(F32, 3, bias)),
            List.of(target));
    return new Kernel.FusedGemm(
        "gemm_f32_fused", g, Optional.empty(), Optional.empty(), Optional.of(map));
  }

  private static Longs space(Kernel.Gemm g) {
    return Longs.of(g.batch().get(0), g.m(), g.n());
  }

  private static int sum(TapeBuilder t, int[] xb) {
    return t.apply(Op.ADD, xb[0], xb[1]);
  }

  private static int relu(TapeBuilder t, int x) {
    return t.apply(Op.MAX, x, t.constant(F32, 0));
  }

  private static int gelu(TapeBuilder t, int x) {
    int cube = t.apply(Op.MUL, t.apply(Op.MUL, x, x), x);
    int inner = t.apply(Op.ADD, x, t.apply(Op.MUL, cube, t.constant(F32, 0.044715)));
    int tanh = t.apply(Op.TANH, t.apply(Op.MUL, inner, t.constant(F32, Math.sqrt(2 / Math.PI))));
    return t.apply(
        Op.MUL,
        t.apply(Op.MUL, x, t.constant(F32, 0.5)),
        t.apply(Op.ADD, tanh, t.constant(F32, 1)));
  }

  private static final Affine ROW = new Affine(5, Longs.of(0, 0, 1));

  @Test
  void theLibraryAddsABiasAndCutsOffWhatIsNegative() {
    library();
    for (int batch : new int[] {1, 3}) {
      Kernel.Gemm g = gemm(batch, 70, 80, 90);
      checkAfter(after(g, CudaProductsTest::sum, ROW), (x, b) -> x + b, 0);
      checkAfter(after(g, (t, xb) -> relu(t, sum(t, xb)), ROW), (x, b) -> Math.max(x + b, 0), 0);
      checkAfter(after(g, (t, xb) -> relu(t, xb[0]), ROW), (x, b) -> Math.max(x, 0), 0);
    }
  }

  private void checkAfter(Kernel.FusedGemm fused, DoubleBinaryOperator formula, double tolerance) {
    checkAfter(device, fused, formula, tolerance);
  }

  /** One launch, by the library, of the exact result; also as part of a graph. */
  private static void checkAfter(
      CudaDevice device, Kernel.FusedGemm fused, DoubleBinaryOperator formula, double tolerance) {
    Kernel.Product g = fused.gemm();
    int batch = (int) g.batch().get(0);
    int m = (int) g.m();
    int n = (int) g.n();
    int k = (int) g.k();
    assertThat(device.fuses(fused)).isTrue();
    var launch = (CudaLaunch) device.prepare(fused);
    assertThat(launch.isProduct()).isTrue();
    assertThat(launch.source()).startsWith("/* SGEMM of cuBLASLt with epilogue ");
    float[] left = numbers(batch * m * k, 7);
    float[] right = numbers(batch * k * n, 5);
    float[] bias = numbers(n + 5, 9);
    float[] result = new float[batch * m * n];
    try (Buffer a = device.allocate(4L * left.length);
        Buffer b = device.allocate(4L * right.length);
        Buffer c = device.allocate(4L * bias.length);
        Buffer d = device.allocate(4L * result.length)) {
      device.write(a, 0, MemorySegment.ofArray(left));
      device.write(b, 0, MemorySegment.ofArray(right));
      device.write(c, 0, MemorySegment.ofArray(bias));
      var buffers = new Buffer[] {a, b, null, c, d};
      long before = device.counters().launches();
      launch.run(buffers, new long[0]);
      assertThat(device.counters().launches()).isEqualTo(before + 1);
      device.read(d, 0, MemorySegment.ofArray(result));
      try (Recording recording =
          device.record(List.of(launch), buffers, new long[0]).orElseThrow()) {
        device.write(d, 0, MemorySegment.ofArray(new float[result.length]));
        recording.run();
        float[] again = new float[result.length];
        device.read(d, 0, MemorySegment.ofArray(again));
        assertThat(again).isEqualTo(result);
      }
    }
    for (int e = 0; e < result.length; e++) {
      float x = product(left, right, e, m, n, k);
      double expected = formula.applyAsDouble(x, bias[5 + e % n]);
      if (Math.abs(result[e] - expected) > tolerance * Math.max(1, Math.abs(expected))) {
        assertThat((double) result[e]).as("element %d", e).isEqualTo(expected);
      }
    }
  }

  @Test
  void whatTheLibraryDoesNotDoExactlyAsWrittenIsNoPartOfItsProduct() {
    library();
    Kernel.Gemm g = gemm(1, 70, 80, 90);
    assertThat(device.fuses(after(g, (t, xb) -> gelu(t, sum(t, xb)), ROW))).isFalse();
    assertThat(device.fuses(after(g, (t, xb) -> t.apply(Op.ABS, sum(t, xb)), ROW))).isFalse();
    assertThat(device.fuses(after(g, (t, xb) -> t.apply(Op.MAX, xb[0], xb[1]), ROW))).isFalse();
    var column = new Affine(0, Longs.of(0, 1, 0));
    assertThat(device.fuses(after(g, CudaProductsTest::sum, column))).isFalse();
    var whole = new Affine(0, Longs.of(0, 80, 1));
    assertThat(device.fuses(after(g, CudaProductsTest::sum, whole))).isFalse();
    // A tiny product is one of our own, whatever comes after it.
    Kernel.Gemm tiny = gemm(1, 7, 8, 9);
    assertThat(device.fuses(after(tiny, (t, xb) -> gelu(t, sum(t, xb)), ROW))).isTrue();
    try (var without = with("ristretto.cuda.epilogues", "false")) {
      assertThat(without.fuses(after(g, CudaProductsTest::sum, ROW))).isFalse();
    }
  }

  @Test
  void whoWantsTf32GetsTheLibrarysGeluToo() {
    library();
    Kernel.Gemm g = gemm(1, 70, 80, 90);
    try (var tf32 = with("ristretto.cuda.tf32", "true")) {
      checkAfter(
          tf32,
          after(g, (t, xb) -> gelu(t, sum(t, xb)), ROW),
          (x, b) -> {
            double y = x + b;
            double t = Math.tanh(Math.sqrt(2 / Math.PI) * (y + 0.044715 * y * y * y));
            return 0.5 * y * (1 + t);
          },
          1e-3);
    }
  }

  @Test
  void tf32IsOffUnlessAskedFor() {
    library();
    float fine = 1 + 1f / (1 << 14);
    Assumptions.assumeTrue(TestDevice.hardware().capability() >= 80, "this GPU has no TF32");
    assertThat(corner(device, fine)).isEqualTo(128 * fine);
    try (var tf32 = with("ristretto.cuda.tf32", "true")) {
      assertThat(corner(tf32, fine)).isEqualTo(128);
    }
  }

  /** First element of a product of 128 x 128 matrices, one of {@code value}, one of ones. */
  private static float corner(CudaDevice device, float value) {
    float[] left = new float[128 * 128];
    Arrays.fill(left, value);
    float[] right = new float[128 * 128];
    Arrays.fill(right, 1);
    try (Buffer a = device.allocate(4L * left.length);
        Buffer b = device.allocate(4L * left.length);
        Buffer c = device.allocate(4L * left.length)) {
      device.write(a, 0, MemorySegment.ofArray(left));
      device.write(b, 0, MemorySegment.ofArray(right));
      device.prepare(gemm(1, 128, 128, 128)).run(new Buffer[] {a, b, c}, new long[0]);
      float[] result = new float[1];
      device.read(c, 0, MemorySegment.ofArray(result));
      return result[0];
    }
  }

  @Test
  void aLibraryThatTakesNotANumberFor0IsFoundOut() throws Throwable {
    library();
    Optional<MemorySegment> lose =
        Library.load(StandIn.folder().resolve("libcublasLt.so.12").toString(), 12)
            .flatMap(l -> l.symbols().find("standin_lose_nan"));
    Assumptions.assumeTrue(
        lose.isPresent() && System.getProperty("ristretto.cuda.driver") != null,
        "NVIDIA's library cannot be told to");
    MethodHandle set =
        Linker.nativeLinker()
            .downcallHandle(lose.get(), FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT));
    set.invokeExact(1);
    try (var loses = new CudaDevice(TestDevice.hardware())) {
      Kernel.Gemm g = gemm(1, 70, 80, 90);
      assertThat(loses.fuses(after(g, (t, xb) -> relu(t, sum(t, xb)), ROW))).isFalse();
      assertThat(loses.fuses(after(g, CudaProductsTest::sum, ROW))).isTrue();
    } finally {
      set.invokeExact(0);
    }
  }

  private static void check(CudaDevice device, int batch, int m, int n, int k) {
    float[] left = numbers(batch * m * k, 7);
    float[] right = numbers(batch * k * n, 5);
    float[] result = new float[batch * m * n];
    try (Buffer a = device.allocate(4L * left.length);
        Buffer b = device.allocate(4L * right.length);
        Buffer c = device.allocate(4L * result.length)) {
      device.write(a, 0, MemorySegment.ofArray(left));
      device.write(b, 0, MemorySegment.ofArray(right));
      device.prepare(gemm(batch, m, n, k)).run(new Buffer[] {a, b, c}, new long[0]);
      device.read(c, 0, MemorySegment.ofArray(result));
    }
    for (int e = 0; e < result.length; e++) {
      float sum = product(left, right, e, m, n, k);
      if (result[e] != sum) {
        assertThat(result[e]).as("element %d", e).isEqualTo(sum);
      }
    }
  }

  /** Element {@code e} of the product. */
  private static float product(float[] left, float[] right, int e, int m, int n, int k) {
    int matrix = e / n / m;
    float sum = 0;
    for (int d = 0; d < k; d++) {
      sum += left[e / n * k + d] * right[(matrix * k + d) * n + e % n];
    }
    return sum;
  }

  private static Kernel.Gemm gemm(long batch, long m, long n, long k) {
    return new Kernel.Gemm(
        "gemm_f32",
        F32,
        Longs.of(batch),
        m,
        n,
        k,
        matrix(0, m, k),
        matrix(1, k, n),
        matrix(2, m, n),
        1,
        0);
  }

  /** Small whole ones, whose sums are exact. */
  private static float[] numbers(int count, int period) {
    float[] all = new float[count];
    for (int k = 0; k < count; k++) {
      all[k] = k % period - 2;
    }
    return all;
  }

  private static Operand.Memory matrix(int buffer, long rows, long columns) {
    return new Operand.Memory(F32, buffer, new Affine(0, Longs.of(rows * columns, columns, 1)));
  }
}
