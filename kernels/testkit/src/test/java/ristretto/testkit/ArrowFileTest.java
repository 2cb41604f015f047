package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.BOOL;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I64;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Table;
import ristretto.expr.Tensor;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.RistrettoException;

/** Files written by Apache Arrow 19 for Java; {@code linked.arrow} has frames of lz4 1.9.4. */
class ArrowFileTest {
  private static final int ROWS = 13;
  private static final String[] TEXTS = {"text", "large", "view"};
  private final Context ctx = TestDevice.open();

  @TempDir Path folder;

  @AfterEach
  void close() {
    ctx.close();
  }

  private static byte[] bytes(String name) throws IOException {
    try (InputStream in = ArrowFileTest.class.getResourceAsStream("arrow/" + name)) {
      return in.readAllBytes();
    }
  }

  private Path file(String name) throws IOException {
    return Files.write(folder.resolve(name), bytes(name));
  }

  private static double[] expected(boolean gaps, IntToDoubleFunction value) {
    return IntStream.range(0, ROWS)
        .mapToDouble(k -> gaps && k % 3 == 1 ? Double.NaN : value.applyAsDouble(k))
        .toArray();
  }

  private static int sign(int k) {
    return k % 2 == 0 ? 1 : -1;
  }

  private static void checkNumbers(Table t, boolean gaps) {
    var columns = new LinkedHashMap<String, IntToDoubleFunction>();
    columns.put("i8", k -> sign(k) * (100 + k));
    columns.put("i16", k -> sign(k) * (30000 + k));
    columns.put("i32", k -> sign(k) * (2000000000 + k));
    columns.put("u8", k -> 200 + k);
    columns.put("u16", k -> 60000 + k);
    columns.put("u32", k -> 4000000000L + k);
    columns.put("f16", k -> sign(k) * (0.5 + k));
    columns.put("f32", k -> sign(k) * (0.1f + k));
    columns.put("f64", k -> sign(k) * (0.1 + k));
    columns.put("bool", k -> k % 2);
    columns.put("day", k -> sign(k) * 19782 - k);
    columns.put("milli", k -> sign(k) * 19782 - k);
    columns.put("s", k -> (sign(k) * 1700000000L + k) * 1000);
    columns.put("ms", k -> sign(k) * 1700000000123L + k);
    columns.put("us", k -> Math.floorDiv(sign(k) * 1700000000123456L + k, 1000));
    columns.put("ns", k -> Math.floorDiv(sign(k) * 1700000000123456789L + k, 1000000));
    columns.forEach((name, value) ->
        assertThat(t.column(name, F64).toDoubleArray())
            .as(name)
            .containsExactly(expected(gaps, value)));
  }

  private static void checkTexts(Table t, boolean gaps) {
    for (String name : TEXTS) {
      for (int k = 0; k < t.rows(); k++) {
        String text =
            switch (name) {
              case "text" -> "ü" + k % 5;
              case "large" -> k % 2 == 0 ? "" : "large " + k;
              default -> k % 2 == 0 ? "short" + k : "a text of more than twelve bytes " + k;
            };
        assertThat(t.texts(name).get(k)).isEqualTo(gaps && k % 3 == 1 ? "" : text);
      }
    }
  }

  @Test
  void typesAreKept() throws IOException {
    Table t = ctx.readArrow(file("types.arrow"));
    assertThat(t.rows()).isEqualTo(ROWS);
    assertThat(t.names()).startsWith("i8", "i16").endsWith("view", "none").hasSize(22);
    checkNumbers(t, false);
    checkTexts(t, false);
    for (String name : List.of("i8", "u32", "u64", "i64", "day", "milli", "s", "ns")) {
      assertThat(t.dtype(name)).as(name).isEqualTo(I64);
    }
    assertThat(t.dtype("bool")).isEqualTo(BOOL);
    assertThat(t.dtype("f16")).isEqualTo(F64);
    assertThat(t.column("i64", I64).toLongArray())
        .containsExactly(
            IntStream.range(0, ROWS)
                .mapToLong(k -> sign(k) * (9000000000000000000L + k))
                .toArray());
    assertThat(t.column("u64", I64).toLongArray())
        .containsExactly(
            IntStream.range(0, ROWS).mapToLong(k -> 9000000000000000000L + k).toArray());
    assertThat(t.column("none", F64).toDoubleArray()).containsOnly(Double.NaN).hasSize(ROWS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gaps.arrow", "stream.arrows", "lz4.arrow"})
  void missingValuesAreNan(String name) throws IOException {
    Table t = ctx.readArrow(file(name));
    assertThat(t.rows()).isEqualTo(ROWS);
    checkNumbers(t, true);
    checkTexts(t, true);
    assertThat(t.column("u64", F64).toDoubleArray())
        .containsExactly(expected(true, k -> 9007199254740000L + k));
  }

  @Test
  void oldStreamsAreRead() throws IOException {
    Table t = ctx.readArrow(file("old.arrow"), "view", "i16");
    assertThat(t.names()).containsExactly("view", "i16");
    assertThat(t.texts("view")).containsExactly("short0", "", "short2");
    assertThat(t.column("i16", F64).toDoubleArray()).containsExactly(30000, Double.NaN, 30002);
  }

  @Test
  void linkedBlocksOfLz4AreRead() throws IOException {
    Table t = ctx.readArrow(file("linked.arrow"));
    assertThat(t.column("n", I64).toLongArray())
        .containsExactly(IntStream.range(0, 20000).mapToLong(k -> k / 100).toArray());
    assertThat(t.column("x", F64).toDoubleArray())
        .containsExactly(IntStream.range(0, 20000).mapToDouble(k -> k % 700 + 0.5).toArray());
  }

  @Test
  void dictionariesAreRead() throws IOException {
    Table t = ctx.readArrow(file("dictionary.arrow"));
    assertThat(t.texts("city")).containsExactly("Bergen", "Oslo", "Bergen", "", "Tromsø");
    assertThat(t.column("code", I64).toLongArray()).containsExactly(10, -20, 10, -20, 10);
    assertThat(ctx.readArrow(file("dictionary.arrow"), "code").names()).containsExactly("code");
  }

  @Test
  void otherColumnsAreLeftOut() throws IOException {
    Path file = file("nested.arrow");
    Table t = ctx.readArrow(file, "b", "view", "a");
    assertThat(t.names()).containsExactly("b", "view", "a");
    assertThat(t.column("b", F64).toDoubleArray()).containsExactly(0.5, 1.5, 2.5, 3.5);
    assertThat(t.texts("view").getLast()).isEqualTo("a text of more than twelve bytes 3");
    assertThat(t.column("a", I64).toLongArray()).containsExactly(0, 1, 4, 9);
    assertThatThrownBy(() -> ctx.readArrow(file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[readArrow] an Arrow file must have columns of numbers, booleans, dates, times and"
                + " texts, or be read by the names of such columns; got column 'list' of type List"
                + " in "
                + file
                + "; write it again.");
    assertThatThrownBy(() -> ctx.readArrow(file, "a", "c"))
        .hasMessage(
            "[readArrow] an Arrow file must have a column 'c'; got the columns [a, list, struct,"
                + " fixed, binary, decimal, view, b] in "
                + file
                + "; write it again.");
  }

  @Test
  void filesWithoutRowsAreRead() throws IOException {
    Table t = ctx.readArrow(file("empty.arrow"));
    assertThat(t.rows()).isZero();
    assertThat(t.names()).hasSize(22);
  }

  @Test
  void zstandardIsRefused() throws IOException {
    Path file = file("zstd.arrow");
    assertThatThrownBy(() -> ctx.readArrow(file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[readArrow] an Arrow file must have no compression, or LZ4; got buffers compressed by"
                + " Zstandard in "
                + file
                + "; write it again.");
  }

  @Test
  void writtenTablesReadBackEqual() throws IOException {
    Path copy = folder.resolve("copy.arrow");
    for (String name : List.of("types.arrow", "gaps.arrow", "empty.arrow")) {
      Table t = ctx.readArrow(file(name));
      ctx.writeArrow(copy, t);
      Table back = ctx.readArrow(copy);
      assertThat(back.toString()).isEqualTo(t.toString());
      checkSame(back, t);
    }
    Path csv =
        Files.writeString(
            folder.resolve("t.csv"),
            "i,d,t,s,n\n1,2024-02-29,2024-02-29T12:30:01,ü,\n,1969-01-01,,,\n");
    Table t = ctx.readCsv(csv);
    ctx.writeArrow(copy, t);
    checkSame(ctx.readArrow(copy), t);
    assertThat(ctx.readArrow(copy).toString()).isEqualTo(t.toString());
  }

  private static void checkSame(Table a, Table b) {
    assertThat(a.names()).isEqualTo(b.names());
    for (String name : a.names()) {
      if (a.isText(name)) {
        assertThat(a.texts(name)).containsExactlyElementsOf(b.texts(name));
      } else {
        assertThat(a.dtype(name)).as(name).isEqualTo(b.dtype(name));
        assertThat(a.column(name, F64).toDoubleArray())
            .containsExactly(b.column(name, F64).toDoubleArray());
      }
    }
  }

  @Test
  void vectorsAreWritten() {
    // More than a record batch has.
    int n = (1 << 16) + 7;
    double[] values =
        IntStream.range(0, n).mapToDouble(k -> k % 5 == 0 ? Double.NaN : -k).toArray();
    boolean[] flags = new boolean[n];
    Arrays.fill(flags, n / 2, n, true);
    var columns = new LinkedHashMap<String, Tensor<?>>();
    columns.put("x", ctx.tensor(values));
    columns.put("flag", ctx.tensor(flags));
    columns.put(
        "k", ctx.tensor(IntStream.range(0, n).mapToLong(k -> Long.MIN_VALUE + k).toArray()));
    Path file = folder.resolve("x.arrow");
    ctx.writeArrow(file, columns);
    Table t = ctx.readArrow(file);
    assertThat(t.names()).containsExactly("x", "flag", "k");
    assertThat(t.column("x", F64).toDoubleArray()).containsExactly(values);
    assertThat(t.column("flag", BOOL).toBooleanArray()).containsExactly(flags);
    assertThat(t.column("k", I64).toLongArray()[n - 1]).isEqualTo(Long.MIN_VALUE + n - 1);
    assertThatThrownBy(() -> ctx.writeArrow(folder.resolve("no/x.arrow"), columns))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[writeArrow] an Arrow file must be writable; got "
                + folder.resolve("no/x.arrow")
                + " (no such folder); check the path");
    ctx.writeArrow(file, Map.of());
    assertThat(ctx.readArrow(file).names()).isEmpty();
  }

  private void refused(byte[] content, String message) throws IOException {
    Path file = Files.write(folder.resolve("bad.arrow"), content);
    assertThatThrownBy(() -> ctx.readArrow(file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[readArrow] an Arrow file must have " + message + " in " + file + "; write it again.");
  }

  @Test
  void flawsOfFilesAreFound() throws IOException {
    byte[] good = bytes("gaps.arrow");
    refused(
        Arrays.copyOf(good, good.length - 1), "a footer at the end; got a file that is cut off");
    refused("ARROW1".getBytes(), "a footer at the end; got a file that is cut off");
    refused(new byte[0], "all bytes of its messages; got the end of the file");
    refused(
        "a,b\n1,2\n".getBytes(), "Arrow IPC messages; got a message of 174206049 bytes at byte 0");
    refused(new byte[8], "a schema; got none");
    byte[] stream = bytes("stream.arrows");
    refused(
        Arrays.copyOf(stream, stream.length / 2),
        "all bytes of its messages; got a message of 872 bytes at byte 2504");
    Path none = folder.resolve("none.arrow");
    assertThatThrownBy(() -> ctx.readArrow(none))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[readArrow] an Arrow file must exist and be readable; got "
                + none
                + " (no such file); check the path");
    assertThatThrownBy(() -> ctx.readArrow(folder))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[readArrow] an Arrow file must exist and be readable; got "
                + folder
                + " (not a regular file); check the path");
  }

  @ParameterizedTest
  @ValueSource(strings = {"types.arrow", "lz4.arrow", "stream.arrows", "dictionary.arrow"})
  void damagedFilesAreReadOrRefused(String name) throws IOException {
    byte[] good = bytes(name);
    var random = new SplittableRandom(3);
    Path file = folder.resolve(name);
    for (int k = 0; k < 500; k++) {
      byte[] bad = k % 5 == 0 ? Arrays.copyOf(good, random.nextInt(good.length)) : good.clone();
      for (int n = random.nextInt(1, 4); n > 0 && bad.length > 0; n--) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
      }
      Files.write(file, bad);
      try {
        assertThat(ctx.readArrow(file).toString()).startsWith("table of ");
      } catch (RistrettoException e) {
        assertThat(e.getMessage()).startsWith("[readArrow] ");
      }
    }
  }
}
