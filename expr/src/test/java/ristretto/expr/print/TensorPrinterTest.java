package ristretto.expr.print;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import ristretto.expr.option.PrintOptions;
import ristretto.kernels.ShapeException;
import ristretto.kernels.scalar.ScalarType;

/** Compares with texts that NumPy printed; {@code make_cases.py} beside the cases made them. */
class TensorPrinterTest {

  record Case(String title, ScalarType type, long[] shape, ElementReader reader, String text) {}

  @TestFactory
  List<DynamicTest> printsAsNumPyDoes() {
    return cases().stream()
        .map(c ->
            DynamicTest.dynamicTest(
                c.title(),
                () ->
                    assertThat(TensorPrinter.print(c.type(), c.shape(), c.reader()))
                        .isEqualTo(c.text())))
        .toList();
  }

  @Test
  void headerNamesTypeAndShape() {
    assertThat(TensorPrinter.header(ScalarType.F32, new long[] {2, 3})).isEqualTo("f32[2,3]");
    assertThat(TensorPrinter.header(ScalarType.BOOL, new long[0])).isEqualTo("bool[]");
  }

  @Test
  void describePutsTheHeaderOnALineOfItsOwn() {
    assertThat(TensorPrinter.describe(ScalarType.I32, new long[] {2, 2}, counting()))
        .isEqualTo("i32[2,2]\n[[0 1]\n [2 3]]");
    assertThat(TensorPrinter.describe(ScalarType.I32, new long[0], counting()))
        .isEqualTo("i32[] 0");
  }

  @Test
  void brainFloatsShowTheFewestDigitsThatReadBack() {
    // 0x3dcd is 0.10009765625, 0x4049 is 3.140625
    MemorySegment data = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_SHORT, sh(0x3dcd, 0x4049));
    assertThat(
            TensorPrinter.print(
                ScalarType.BF16, new long[] {2}, ElementReader.of(ScalarType.BF16, data)))
        .isEqualTo("[0.1  3.14]");
  }

  @Test
  void manySmallAxesAreCutBelowNumPysThreeEnds() {
    long[] shape = new long[10];
    Arrays.fill(shape, 7);
    assertThat(TensorPrinter.print(ScalarType.I32, shape, counting()).length()).isLessThan(200_000);
  }

  @Test
  void axesTooShortToSummarizeAreCutFromTheOutermost() {
    long[] shape = new long[30];
    Arrays.fill(shape, 2);
    String text = TensorPrinter.print(ScalarType.I64, shape, counting());
    assertThat(text.length()).isLessThan(1_000_000);
    assertThat(text).startsWith("[".repeat(30) + "   0    1]").contains("...");
  }

  @Test
  void hugeTensorsAreReadAtTheirEndsOnly() {
    List<Long> asked = new ArrayList<>();
    ElementReader reader =
        new ElementReader() {
          @Override
          public double floating(long element) {
            throw new AssertionError("integers are read as longs");
          }

          @Override
          public long integer(long element) {
            asked.add(element);
            return 7;
          }
        };
    assertThat(TensorPrinter.print(ScalarType.I64, new long[] {1L << 50}, reader))
        .isEqualTo("[7 7 7 ... 7 7 7]");
    assertThat(asked).hasSize(6);
  }

  @Test
  void optionsAreThoseOfNumPy() {
    PrintOptions options = new PrintOptions(5, 1, 20, 3);
    ElementReader thirds = reader(element -> (element + 1) / 3.0);
    assertThat(TensorPrinter.print(ScalarType.F64, new long[] {4}, thirds, options))
        .isEqualTo("[0.333 0.667 1.\n 1.333]");
    assertThat(TensorPrinter.print(ScalarType.F64, new long[] {6}, thirds, options))
        .isEqualTo("[0.333 ... 2.   ]");
  }

  @Test
  void impossibleOptionsAreRefused() {
    assertThatThrownBy(() -> new PrintOptions(5, 0, 20, 3))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[print] threshold and precision must be at least 0, edgeItems and lineWidth at least"
                + " 1; got threshold 5, edgeItems 0, lineWidth 20, precision 3.");
  }

  private static short[] sh(int first, int second) {
    return new short[] {(short) first, (short) second};
  }

  private static ElementReader counting() {
    return reader(element -> element);
  }

  private static ElementReader reader(java.util.function.LongToDoubleFunction value) {
    return new ElementReader() {
      @Override
      public double floating(long element) {
        return value.applyAsDouble(element);
      }

      @Override
      public long integer(long element) {
        return (long) value.applyAsDouble(element);
      }
    };
  }

  private static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    try (BufferedReader in = open()) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] head = line.split(" ");
        ScalarType type = ScalarType.valueOf(head[1].toUpperCase(Locale.ROOT));
        String inner = head[2].substring(1, head[2].length() - 1);
        long[] shape =
            inner.isEmpty()
                ? new long[0]
                : Arrays.stream(inner.split(",")).mapToLong(Long::parseLong).toArray();
        String source = in.readLine();
        StringBuilder text = new StringBuilder(in.readLine());
        for (String l = in.readLine(); !l.equals("end"); l = in.readLine()) {
          text.append('\n').append(l);
        }
        cases.add(new Case(line, type, shape, elements(type, source), text.toString()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return cases;
  }

  private static BufferedReader open() throws IOException {
    String more = System.getProperty("ristretto.test.print.cases");
    return more != null
        ? Files.newBufferedReader(Path.of(more))
        : new BufferedReader(
            new InputStreamReader(
                TensorPrinterTest.class.getResourceAsStream("cases.txt"), StandardCharsets.UTF_8));
  }

  private static ElementReader elements(ScalarType type, String source) {
    if (source.equals("arange")) {
      return counting();
    }
    String[] words = source.split(" ");
    MemorySegment data = Arena.ofAuto().allocate((long) words.length * type.bytes(), 8);
    for (int k = 1; k < words.length; k++) {
      long bits = Long.parseUnsignedLong(words[k], 16);
      for (int b = 0; b < type.bytes(); b++) {
        data.set(
            ValueLayout.JAVA_BYTE, (long) (k - 1) * type.bytes() + b, (byte) (bits >>> (8 * b)));
      }
    }
    return ElementReader.of(type, data);
  }
}
