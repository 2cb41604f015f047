package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.BOOL;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.I64;
import static ristretto.expr.Ops.I8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Table;
import ristretto.expr.Tensor;
import ristretto.expr.option.CsvOptions;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;

class CsvFileTest {
  private final Context ctx = TestDevice.open();

  @TempDir Path folder;

  @AfterEach
  void close() {
    ctx.close();
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("t.csv"), text);
  }

  private Table read(String text) throws IOException {
    return ctx.readCsv(file(text));
  }

  private double[] doubles(Table t, String name) {
    return t.column(name, F64).toDoubleArray();
  }

  @Test
  void typesAreFound() throws IOException {
    Table t =
        read(
            """
            i,f,b,d,t,s,gap,none
            1,0.5,true,2024-02-29,2024-02-29T12:30,x,7,
            -2,1e3,FALSE,1969-12-31,1970-01-01 00:00:00.001+01:00,"y, ""z""\",NA,nan
            9223372036854775807,-inf,True,1970-01-01,1970-01-02,ü,-8,null
            """);
    assertThat(t.names()).containsExactly("i", "f", "b", "d", "t", "s", "gap", "none");
    assertThat(t.rows()).isEqualTo(3);
    assertThat(t.dtype("i")).isEqualTo(I64);
    assertThat(t.dtype("f")).isEqualTo(F64);
    assertThat(t.dtype("b")).isEqualTo(BOOL);
    assertThat(t.dtype("gap")).isEqualTo(F64);
    assertThat(t.column("i", I64).toLongArray()).containsExactly(1, -2, Long.MAX_VALUE);
    assertThat(doubles(t, "f")).containsExactly(0.5, 1000, Double.NEGATIVE_INFINITY);
    assertThat(t.column("b", BOOL).toBooleanArray()).containsExactly(true, false, true);
    assertThat(t.column("d", I64).toLongArray()).containsExactly(19782, -1, 0);
    assertThat(t.column("t", I64).toLongArray())
        .containsExactly(1709209800000L, 1 - 3_600_000L, 86_400_000L);
    assertThat(t.texts("s")).containsExactly("x", "y, \"z\"", "ü");
    assertThat(t.categories("s")).containsExactly("x", "y, \"z\"", "ü");
    assertThat(t.codes("s").toIntArray()).containsExactly(0, 1, 2);
    assertThat(doubles(t, "gap")).containsExactly(7, Double.NaN, -8);
    assertThat(doubles(t, "none")).containsExactly(Double.NaN, Double.NaN, Double.NaN);
    assertThat(t.matrix(F32, "gap", "b").shape().toArray()).containsExactly(3, 2);
    assertThat(t.select("b", "gap").matrix(F32).toFloatArray())
        .containsExactly(1, 7, 0, Float.NaN, 1, -8);
    assertThat(t.head(1).column("i", I32).toIntArray()).containsExactly(1);
  }

  @Test
  void kindsWiden() throws IOException {
    Table t = read("a,b,c,d,e\n1,2024-01-01,,1,true\n2.5,2024-01-01T01:00,1,x,\n,,2,2,false\n");
    assertThat(doubles(t, "a")).containsExactly(1, 2.5, Double.NaN);
    assertThat(doubles(t, "b")).containsExactly(1704067200000.0, 1704070800000.0, Double.NaN);
    assertThat(doubles(t, "c")).containsExactly(Double.NaN, 1, 2);
    // The texts of earlier rows are kept as they are written.
    assertThat(t.texts("d")).containsExactly("1", "x", "2");
    assertThat(doubles(t, "e")).containsExactly(1, Double.NaN, 0);
    assertThat(read("a\n007\nx\n").texts("a")).containsExactly("007", "x");
    assertThat(read("a,b\nx,NA\n,2\n").texts("a")).containsExactly("x", "");
  }

  @Test
  void optionsSelect() throws IOException {
    var options =
        new CsvOptions()
            .separator(';')
            .decimalComma()
            .quote('\'')
            .columns("p", "d", "z")
            .date("d", "dd.MM.uuuu")
            .text("z")
            .missing("", "-");
    Table t = ctx.readCsv(file("d;x;p;z\n29.02.2024;'a;b';1,5;01\n01.01.1970;c;-;2\n"), options);
    assertThat(t.names()).containsExactly("p", "d", "z");
    assertThat(doubles(t, "p")).containsExactly(1.5, Double.NaN);
    assertThat(t.column("d", I64).toLongArray()).containsExactly(19782, 0);
    assertThat(t.texts("z")).containsExactly("01", "2");
    Table plain = ctx.readCsv(file("1,x\n2,y\n"), new CsvOptions().withoutHeader());
    assertThat(plain.names()).containsExactly("0", "1");
    assertThat(plain.column("0", I64).toLongArray()).containsExactly(1, 2);
    Table named = ctx.readCsv(file("1,x\n2,y"), new CsvOptions().names("n", "t"));
    assertThat(named.texts("t")).containsExactly("x", "y");
    assertThat(read("\ufeffa,b\r\n1,2\r\n\r\n").names()).containsExactly("a", "b");
    assertThat(read("a,b\n").rows()).isZero();
    assertThat(read("a,b\n").matrix(F32).shape().toArray()).containsExactly(0, 2);
  }

  @Test
  void numbersAreThoseOfJava() throws IOException {
    var random = new SplittableRandom(1);
    var text = new StringBuilder("x\n");
    double[] expected = new double[5000];
    for (int k = 0; k < expected.length; k++) {
      double v = Double.longBitsToDouble(random.nextLong());
      String some =
          switch (k % 3) {
            case 0 -> Double.toString(Double.isFinite(v) ? v : 1.5);
            case 1 -> random.nextInt(-1000, 1000) + "." + random.nextInt(1 << 30);
            default -> random.nextLong(1L << 60) + "e" + random.nextInt(-400, 300);
          };
      expected[k] = Double.parseDouble(some);
      text.append(some).append('\n');
    }
    assertThat(doubles(read(text.toString()), "x")).containsExactly(expected);
    for (String none :
        new String[] {"1d", "0x1p3", "1e", ".", "+", "1_0", "--1", "1e5.0", "Infinit"}) {
      assertThat(read("x\n" + none + "\n").isText("x")).as(none).isTrue();
    }
  }

  @Test
  void writtenTablesReadBackEqual() throws IOException {
    Table t =
        read(
            "i,f,b,d,t,s\n"
                + "1,0.1,true,2024-02-29,2024-02-29T12:30:01,\"a,\"\"b\"\n"
                + "-5,,false,1969-01-01,,\n");
    Path copy = folder.resolve("copy.csv");
    ctx.writeCsv(copy, t);
    assertThat(copy)
        .hasContent(
            "i,f,b,d,t,s\n1,0.1,true,2024-02-29,2024-02-29T12:30:01Z,\"a,\"\"b\"\n"
                + "-5,,false,1969-01-01,,\n");
    Table back = ctx.readCsv(copy);
    assertThat(back.toString()).isEqualTo(t.toString());
    var some = new LinkedHashMap<String, Tensor<?>>();
    some.put("f", ctx.tensor(new float[] {0.1f, Float.NaN, 3}));
    some.put("b", ctx.tensor(new boolean[] {true, false, true}));
    some.put("i", ctx.tensor(new long[] {Long.MIN_VALUE, 0, 1}));
    ctx.writeCsv(copy, some);
    assertThat(copy).hasContent("f,b,i\n0.1,true,-9223372036854775808\n,false,0\n3.0,true,1\n");
    ctx.writeCsv(copy, Map.of("f", ctx.tensor(new float[] {Float.NaN, 1})));
    assertThat(doubles(ctx.readCsv(copy), "f")).containsExactly(Double.NaN, 1);
  }

  @Test
  void tablesPrint() throws IOException {
    assertThat(read("name,x\nab,1.25\nc,\n").toString())
        .isEqualTo(
            """
            table of 2 rows, 2 columns
            name     x
            text   f64
            ab    1.25
            c      nan\
            """);
    assertThat(read("n\n" + "1\n".repeat(12)).toString())
        .endsWith("1\n...")
        .startsWith("table of 12 rows");
  }

  private void refused(String text, String message) throws IOException {
    Path file = file(text);
    assertThatThrownBy(() -> ctx.readCsv(file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage("[csv] " + message.replace("FILE", file.toString()));
  }

  @Test
  void flawsOfFilesAreFound() throws IOException {
    refused("", "the first line must name the columns; got an empty file of FILE.");
    refused(
        "a,b\n1\n",
        "every line must have a value for each of the 2 columns; got 1 in line 2 of FILE.");
    refused("a,a\n", "columns must have different names; got two columns 'a' of FILE.");
    refused(
        "a,b\n1,2\n\n3,4\n",
        "every line must have a value for each of the 2 columns; got a blank line 3 of FILE.");
    refused(
        "a,b\n\"1,2\n",
        "quotes must be closed, and enclose a whole value; got other quotes after line 1 of FILE.");
    refused(
        "a\n9007199254740993\nNA\n",
        "whole numbers beyond 2^53 must not be in a column with missing values, which is F64; read"
            + " it as text with CsvOptions.text; got one in column a of line 2 of FILE.");
    Path file = file("d\n2024-02-30\n");
    assertThatThrownBy(() -> ctx.readCsv(file, new CsvOptions().date("d", "uuuu-MM-dd HH")))
        .hasMessage(
            "[csv] dates must have their format, and be in the calendar; got '2024-02-30' in column"
                + " d of line 2 of "
                + file
                + ".");
    assertThatThrownBy(() -> ctx.readCsv(file, new CsvOptions().columns("x")))
        .hasMessage("[csv] there must be a column x; got the columns [d] of " + file + ".");
    assertThatThrownBy(() -> ctx.readCsv(file, new CsvOptions().names("x", "y")))
        .hasMessage("[csv] there must be a name for each column; got 2 for 1 of " + file + ".");
    Path none = folder.resolve("none.csv");
    assertThatThrownBy(() -> ctx.readCsv(none))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[csv] the file must exist and be readable; got "
                + none
                + " (no such file); check the path.");
    assertThatThrownBy(() -> ctx.writeCsv(folder.resolve("no/x.csv"), read("a\n1\n")))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[writeCsv] a CSV file must be writable; got "
                + folder.resolve("no/x.csv")
                + " (no such folder); check the path");
  }

  @Test
  void misuseIsRefused() throws IOException {
    Table t = read("x,s\n1.5,a\n300,b\n");
    Table mixed = read("s\n1\nabc\n");
    assertThatThrownBy(() -> t.column("y", F64))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[table] there must be a column 'y'; got the columns [x, s].");
    assertThatThrownBy(() -> mixed.column("s", F64))
        .hasMessage(
            "[table] the values of a column must be numbers; got text in column 's': 'abc' in"
                + " column s of line 3; read it with texts or codes.");
    assertThatThrownBy(() -> t.texts("x"))
        .hasMessage(
            "[table] the column must be text; got f64 in column 'x'; name it in CsvOptions.text.");
    assertThatThrownBy(() -> t.column("x", I64))
        .hasMessage(
            "[table] the dtype must hold all values of a column; got i64 for 1.5 in row 0 of column"
                + " 'x'; use F64.");
    assertThatThrownBy(() -> read("x\n1\n300\n").column("x", I8))
        .hasMessage(
            "[table] the dtype must hold all values of a column; got i8 for 300 in row 1 of column"
                + " 'x'; use F64.");
    assertThatThrownBy(() -> t.select("x", "x"))
        .hasMessage("[select] columns must be named once; got 'x' twice.");
    assertThatThrownBy(() -> t.head(-1))
        .hasMessage("[head] the number of rows must not be negative; got -1.");
    assertThatThrownBy(() -> ctx.table(Map.of("m", ctx.zeros(F32, 2, 2))))
        .hasMessage("[table] columns must be vectors of one length; got f32[2,2] for 'm'.");
    assertThatThrownBy(() -> new CsvOptions().separator('"'))
        .hasMessage(
            "[csv] separator and quote must be different characters, and no line ends; got '\"' and"
                + " '\"'.");
    assertThatThrownBy(() -> new CsvOptions().decimalComma())
        .hasMessage(
            "[csv] separators of values and of decimals must differ; got ',' for both; set another"
                + " one first: new CsvOptions().separator(';').decimalComma().");
    assertThatThrownBy(() -> new CsvOptions().date("d", "bbb"))
        .isInstanceOf(ShapeException.class)
        .hasMessageStartingWith(
            "[csv] a date must have a pattern of DateTimeFormatter; got 'bbb' (");
  }

  @Test
  void damagedFilesAreReadOrRefused() throws IOException {
    byte[] good =
        "a,b,c\n1,2024-01-01,\"x\ny\"\n2.5,,z\n".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    var random = new SplittableRandom(3);
    Path file = folder.resolve("t.csv");
    for (int k = 0; k < 300; k++) {
      byte[] bad = good.clone();
      for (int n = random.nextInt(1, 4); n > 0; n--) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
      }
      Files.write(file, bad);
      try {
        assertThat(ctx.readCsv(file).toString()).startsWith("table of ");
      } catch (RistrettoException e) {
        assertThat(e.getMessage()).startsWith("[csv] ");
      }
    }
  }
}
