package ristretto.tornado;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.kernels.driver.DriverProvider.Found;
import ristretto.kernels.source.java.JavaDialect;
import ristretto.kernels.source.java.JavaProgram;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.exceptions.TornadoBailoutRuntimeException;

/** Java computes on the device what it computes here, where TornadoVM alone would not. */
class CompilationTest {
  private static final int[] INTEGERS = {
    0, 1, -1, 5, -7, Integer.MAX_VALUE, Integer.MIN_VALUE, 123456789, -123456789, 33, 31
  };
  private static final float[] FLOATS = {
    0f, -0f, 1f, -1f, 1.5f, -2.75f, 1e-40f, 3e38f, Float.NaN, Float.POSITIVE_INFINITY, 3e9f, -3e9f
  };
  private static final long[] LONGS = {
    0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1234567890123L, -1234567890123L, 63
  };
  private static final int N = 11 * 12 * 8;

  private static Accelerator accelerator;

  @BeforeAll
  static void open() {
    Found<Accelerator> found = Sdk.find();
    Assumptions.assumeFalse(found.devices().isEmpty(), found.reason());
    accelerator = found.devices().getFirst();
  }

  /** Bodies of a method with the arguments a and b, x and y, and l. */
  static Stream<String> bodies() {
    return Stream.of(
        "return a >>> (b & 31);",
        "return (int) (l >>> (b & 63)) ^ (int) (l >>> 5 >> 32);",
        "int u = ((byte) a) & 255; return u < b ? b : u << 24 >> 24;",
        "int u = ((short) a) & 65535; return (int) (double) (u << 16 >> 17) + (u > b ? 1 : 2);",
        "long u = a & 0xffffffffL; return u < l ? 1 : (int) (double) (u << 32 >> 40);",
        "return a / 2 + a / 8 + (int) (l / 16);",
        "return Float.floatToRawIntBits(x * y) & 0x7f800000;",
        "return Float.floatToRawIntBits(Float.intBitsToFloat(a ^ 0x3f000000)) + 1;",
        "return (int) Double.doubleToRawLongBits(Double.longBitsToDouble(l + 1));",
        "boolean p = a < b && x < y; boolean q = p || l > 3; return q ? 1 : 2;",
        "boolean p = !(x < y) || a == b; return p && !(x >= y) ? a : b;",
        "return x < y ? a < b ? 1 : 2 : !(x <= y) ? 3 : 4;",
        "return !(x < y) ? !(x > y) ? 1 : 2 : !(x == y) ? 3 : 4;",
        "if (!(x < y)) { if (x != x) { return 5; } return 6; } return x >= y ? 7 : 8;",
        "int s = 0; for (int k = 0; !(k >= x) && k < 40; k++) { s += k; } return s;",
        "int s = a; int k = 0; while (x < y + k && k < 9) { s = s * 3 + k; k++; } return s;",
        "int p = a; int q = b; for (int k = 0; k < 5; k++) { int t = p; p = q; q = t; }"
            + " return p * 3 + q;",
        "int p = a; int q = b; int r = 1; for (int k = 0; k < (a & 7); k++)"
            + " { int t = p; p = q; q = r; r = t; } return p * 5 + q * 3 + r;",
        "int at = 0; int r = a; int n = 0; while (at >= 0) { if (at == 0)"
            + " { at = (r & 1) == 0 ? 1 : 2; } else if (at == 1) { r = r / 2; n++;"
            + " at = n > 40 ? 2 : 0; } else { n = r + n; at = -1; } } return n;",
        "float t = x; for (int k = 0; k < 4; k++) { t = t != t ? y : t * 0.5f + 1f; }"
            + " return Float.floatToRawIntBits(t) & 0x7f800000;",
        "return x * y + 1f > 2f ? 1 : 0;");
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void computesWhatJavaComputes(String body) throws ReflectiveOperationException {
    Class<?> program = program(body, "each");
    int[] got = run(accelerator.compile(method(program, "each")));
    Method one = method(program, "one");
    for (int i = 0; i < N; i++) {
      assertThat(got[i])
          .as("%d %d %s %s %d", a(i), b(i), x(i), y(i), l(i))
          .isEqualTo(one.invoke(null, a(i), b(i), x(i), y(i), l(i)));
    }
  }

  /** A method of that name is no kernel of OpenCL C, because it has a function of that name. */
  @Test
  void whatTheDriverDoesNotTakeIsAnError() throws ReflectiveOperationException {
    Method all = method(program("return 0;", "all"), "all");
    assertThatThrownBy(() -> accelerator.compile(all))
        .hasMessage("the OpenCL driver created no kernel");
  }

  /** The driver takes whole groups only. */
  @Test
  void aRefusedLaunchIsAnError() throws ReflectiveOperationException {
    Accelerator.Code code = accelerator.compile(method(program("return 0;", "each"), "each"));
    Accelerator.Queue queue = accelerator.new Queue();
    Accelerator.Memory memory = accelerator.allocate(1000);
    Object[] arguments = {memory, memory, memory, memory, 1L};
    assertThatThrownBy(
            () -> queue.launch(code, arguments, new long[] {5, 1, 1}, new long[] {4, 1, 1}))
        .isInstanceOf(TornadoBailoutRuntimeException.class)
        .hasMessageContaining("the driver refused to start the kernel");
    accelerator.release(memory);
  }

  private static Class<?> program(String body, String name) {
    String source =
        "import uk.ac.manchester.tornado.api.KernelContext;\n"
            + "import uk.ac.manchester.tornado.api.types.arrays.*;\n"
            + "public final class "
            + JavaDialect.CLASS
            + " {\n"
            + "public static int one(int a, int b, float x, float y, long l) {\n"
            + body
            + "\n}\n"
            + "public static void "
            + name
            + "(KernelContext context, IntArray out, IntArray in,"
            + " FloatArray real, LongArray wide, long n) {\n"
            + "int i = context.globalIdx;\nif (i < (int) n) {\n"
            + "out.set(i, one(in.get(i), in.get(i + (int) n), real.get(i), real.get(i + (int) n),"
            + " wide.get(i)));\n}\n}\n}\n";
    return new Loader(JavaProgram.compile(source, Programs.PATH)).type;
  }

  private static Method method(Class<?> program, String name) {
    return Stream.of(program.getDeclaredMethods())
        .filter(m -> m.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static final class Loader extends ClassLoader {
    private final Class<?> type;

    Loader(byte[] code) {
      super(KernelContext.class.getClassLoader());
      type = defineClass(JavaDialect.CLASS, code, 0, code.length);
    }
  }

  private static int a(int i) {
    return INTEGERS[i % 11];
  }

  private static int b(int i) {
    return INTEGERS[i / 11 % 11];
  }

  private static float x(int i) {
    return FLOATS[i % 12];
  }

  private static float y(int i) {
    return FLOATS[i / 12 % 12];
  }

  private static long l(int i) {
    return LONGS[i % 8];
  }

  private static int[] run(Accelerator.Code code) {
    Accelerator.Queue queue = accelerator.new Queue();
    int[] integers = new int[2 * N];
    float[] floats = new float[2 * N];
    long[] longs = new long[N];
    for (int i = 0; i < N; i++) {
      integers[i] = a(i);
      integers[N + i] = b(i);
      floats[i] = x(i);
      floats[N + i] = y(i);
      longs[i] = l(i);
    }
    Accelerator.Memory out = accelerator.allocate(4L * N);
    Accelerator.Memory in = accelerator.allocate(8L * N);
    Accelerator.Memory real = accelerator.allocate(8L * N);
    Accelerator.Memory wide = accelerator.allocate(8L * N);
    queue.write(in, 0, MemorySegment.ofArray(integers));
    queue.write(real, 0, MemorySegment.ofArray(floats));
    queue.write(wide, 0, MemorySegment.ofArray(longs));
    long groups = (N + 63) / 64;
    queue.launch(
        code,
        new Object[] {out, in, real, wide, (long) N},
        new long[] {64 * groups, 1, 1},
        new long[] {64, 1, 1});
    MemorySegment result = MemorySegment.ofArray(new int[N]);
    queue.read(out, 0, result);
    queue.close();
    Stream.of(out, in, real, wide).forEach(accelerator::release);
    return result.toArray(ValueLayout.JAVA_INT);
  }
}
