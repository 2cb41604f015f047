package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.BF16;
import static ristretto.expr.Ops.F16;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.symbolic.Layers.square;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.kernels.FileFormatException;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Bits of loaded weights whose dtype in the file is another one than in the model. */
class WeightConversionTest {
  private static final Context CTX = Context.open();
  private static final int QUIET = 0x0040_0000;

  @TempDir Path folder;

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** File of one tensor, w. */
  private Path file(String dtype, int count, ByteBuffer elements) throws IOException {
    byte[] header =
        "{\"w\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[0,%s]}}"
            .formatted(dtype, Integer.toString(count), Integer.toString(elements.capacity()))
            .getBytes(StandardCharsets.UTF_8);
    ByteBuffer all = memory(8 + header.length + elements.capacity());
    all.putLong(header.length).put(header).put(elements.rewind());
    return Files.write(folder.resolve("w.safetensors"), all.array());
  }

  private static ByteBuffer memory(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static <T> Tensor<T> load(DType<T> dtype, int count, Path file) {
    Variable<T> w = Variable.parameter("w", dtype, Initializer.zeros(), count);
    var executor = new Executor(CTX, square(w));
    assertThat(executor.load(file).cast()).containsOnlyKeys("w");
    return executor.tensor(w);
  }

  private static int bits(float value) {
    return Float.floatToRawIntBits(value);
  }

  /** Compares bits; a NaN may become quiet. */
  private static void assertBits(String name, float[] found, float[] expected) {
    assertThat(found).hasSameSizeAs(expected);
    for (int k = 0; k < found.length; k++) {
      int quiet = Float.isNaN(expected[k]) ? QUIET : 0;
      assertThat(bits(found[k]) | quiet).as(name + " " + k).isEqualTo(bits(expected[k]) | quiet);
    }
  }

  @Test
  void everyF16() throws IOException {
    ByteBuffer elements = memory(2 << 16);
    float[] expected = new float[1 << 16];
    for (int k = 0; k < expected.length; k++) {
      elements.putShort((short) k);
      expected[k] = Float.float16ToFloat((short) k);
    }
    Path file = file("F16", expected.length, elements);
    assertBits("f16", load(F32, expected.length, file).toFloatArray(), expected);
    double[] wide = load(F64, expected.length, file).toDoubleArray();
    for (int k = 0; k < wide.length; k++) {
      assertThat(Double.compare(wide[k], expected[k])).as("f16 " + k).isZero();
    }
  }

  @Test
  void everyBf16() throws IOException {
    ByteBuffer elements = memory(2 << 16);
    float[] expected = new float[1 << 16];
    for (int k = 0; k < expected.length; k++) {
      elements.putShort((short) k);
      expected[k] = Float.intBitsToFloat(k << 16);
    }
    Path file = file("BF16", expected.length, elements);
    assertBits("bf16", load(F32, expected.length, file).toFloatArray(), expected);
  }

  /** Doubles at and beside ties, in the ranges of normal and subnormal floats, and special ones. */
  private static double[] doubles() {
    double[] all = new double[4001];
    var random = new Random(3);
    for (int k = 0; k < all.length; k++) {
      int exponent = random.nextInt(276) - 150;
      double value = Math.scalb(1 + random.nextInt(1 << 24) * 0x1p-24, exponent);
      int aside = random.nextInt(3) - 1;
      all[k] =
          (random.nextBoolean() ? -1 : 1)
              * (aside == 0 ? value : aside < 0 ? Math.nextDown(value) : Math.nextUp(value));
    }
    List<Double> special =
        List.of(
            0.0,
            -0.0,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            Double.MIN_VALUE,
            -1e-300,
            0x1p-150,
            Math.nextUp(0x1p-150),
            0x1.8p-149,
            (double) Float.MAX_VALUE,
            Math.nextDown(0x1.ffffffp127),
            (double) Float.MIN_NORMAL,
            Math.nextDown((double) Float.MIN_NORMAL));
    for (int k = 0; k < special.size(); k++) {
      all[k] = special.get(k);
    }
    return all;
  }

  private Path doubles(double... values) throws IOException {
    ByteBuffer elements = memory(8 * values.length);
    for (double value : values) {
      elements.putDouble(value);
    }
    return file("F64", values.length, elements);
  }

  @Test
  void doublesAreRoundedToNearest() throws IOException {
    double[] values = doubles();
    float[] expected = new float[values.length];
    for (int k = 0; k < values.length; k++) {
      expected[k] = (float) values[k];
    }
    assertBits("f64", load(F32, values.length, doubles(values)).toFloatArray(), expected);
  }

  @Test
  void floatsAreRoundedToNearest() throws IOException {
    int count = 20_011;
    ByteBuffer elements = memory(4 * count);
    float[] half = new float[count];
    float[] brain = new float[count];
    var random = new Random(4);
    for (int k = 0; k < count; k++) {
      int sign = random.nextBoolean() ? 1 << 31 : 0;
      // From below half of the least subnormal f16 up to the largest f16.
      int of = sign | random.nextInt(bits(0x1p-26f), bits(65519.9f));
      float value = Float.intBitsToFloat(k % 3 == 0 ? of & ~0xfff : of);
      elements.putFloat(value);
      half[k] = Float.float16ToFloat(Float.floatToFloat16(value));
      int b = bits(value);
      brain[k] = Float.intBitsToFloat((b + 0x7fff + (b >>> 16 & 1)) & 0xffff_0000);
    }
    Path file = file("F32", count, elements);
    assertBits("f16", CTX.eval(load(F16, count, file).cast(F32)).toFloatArray(), half);
    assertBits("bf16", CTX.eval(load(BF16, count, file).cast(F32)).toFloatArray(), brain);
  }

  @Test
  void doublesBecomeNarrowFloatsThroughF32() throws IOException {
    // As in PyTorch; the last places of the first two are lost in F32, which makes them ties.
    double[] values = {1 + 0x1p-11 + 0x1p-40, -(1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-11 + 0x1p-23};
    assertThat(CTX.eval(load(F16, 3, doubles(values)).cast(F32)).toFloatArray())
        .containsExactly(1, -1, 1 + 0x1p-10f);
    double[] others = {1 + 0x1p-8 + 0x1p-40, -(1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-8 + 0x1p-23};
    assertThat(CTX.eval(load(BF16, 3, doubles(others)).cast(F32)).toFloatArray())
        .containsExactly(1, -1, 1 + 0x1p-7f);
  }

  private static <T> void refuses(DType<T> dtype, Path file, String got, String type) {
    Variable<T> w = Variable.parameter("w", dtype, Initializer.ones(), 3);
    var executor = new Executor(CTX, square(w));
    assertThatThrownBy(() -> executor.load(file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[load] finite values must stay finite in the dtype of their variable; got a magnitude"
                + " of "
                + got
                + " for w "
                + dtype
                + "[3], which is "
                + type
                + " in "
                + file
                + "; declare the variable as "
                + type
                + ", or scale the values.");
    float[] after = CTX.eval(executor.tensor(w).cast(F32)).toFloatArray();
    assertThat(after).containsExactly(1, 1, 1);
  }

  @Test
  void overflowIsAnError() throws IOException {
    refuses(F32, doubles(1, -0x1.ffffffp127, 0), "3.4028235677973366E38", "f64");
    refuses(F32, doubles(1e300, Double.NaN, Double.POSITIVE_INFINITY), "1.0E300", "f64");
    refuses(F16, doubles(1, 2, 65520), "65520.0", "f64");
    Path file = file("F32", 3, memory(12).putFloat(1).putFloat(-65520).putFloat(3));
    refuses(F16, file, "65520.0", "f32");
    refuses(
        BF16,
        file("F32", 3, memory(12).putFloat(1).putFloat(Float.MAX_VALUE).putFloat(3)),
        "3.4028234663852886E38",
        "f32");
    assertThat(
            load(F32, 3, doubles(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, 1))
                .toFloatArray())
        .containsExactly(Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY, 1);
  }
}
