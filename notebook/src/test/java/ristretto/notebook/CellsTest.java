package ristretto.notebook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import jdk.jshell.SourceCodeAnalysis.Completeness;
import org.dflib.jjava.jupyter.kernel.ReplacementOptions;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CellsTest {
  private static final Cells CELLS = new Cells();

  @TempDir Path folder;

  @AfterAll
  static void close() {
    CELLS.eval("ctx.close();");
    CELLS.close();
  }

  private static String text(String cell) {
    Cells.Value value = CELLS.eval(cell);
    return value == null ? null : value.value().toString();
  }

  private static void fails(String cell, String... lines) {
    assertThatThrownBy(() -> CELLS.eval(cell))
        .isInstanceOfSatisfying(
            CellException.class, e -> assertThat(e.lines()).containsExactly(lines));
  }

  @Test
  void cellsForSparkAreSubmitted() throws IOException {
    Path launcher = folder.resolve("ristretto");
    Files.writeString(
        launcher,
        """
        #!/bin/sh
        echo "$1 $2 $3 $4"
        cat "$5"
        grep -q fails "$5" && exit 3
        exit 0
        """);
    assertThat(launcher.toFile().setExecutable(true)).isTrue();
    String cell = "//SPARK --master local[2] --verbose\nvoid main() {}\n";
    assertThat(SubmittedCell.isOne(cell)).isTrue();
    assertThat(SubmittedCell.isOne("// SPARK\n1")).isFalse();
    var out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(out, true));
    try {
      SubmittedCell.run(launcher, cell);
    } finally {
      System.setOut(before);
    }
    assertThat(out.toString())
        .isEqualTo("spark-submit --master local[2] --verbose" + System.lineSeparator() + cell);
    assertThatThrownBy(() -> SubmittedCell.run(launcher, cell + "// fails\n"))
        .isInstanceOfSatisfying(
            CellException.class,
            e ->
                assertThat(e.lines())
                    .containsExactly(
                        "[notebook] the script of a cell must succeed; got exit code 3; see its"
                            + " output above."));
  }

  @Test
  void valuesOfLastExpressionsAreShown() {
    assertThat(text("1 + 2")).isEqualTo("3");
    assertThat(text("var a = 5;\na")).isEqualTo("5");
    assertThat(text("a = 6")).isEqualTo("6");
    assertThat(text("a;")).isNull();
    assertThat(text("var b = a + 1;")).isNull();
    assertThat(text("// nothing")).isNull();
    assertThat(text("")).isNull();
    assertThat(text("for (int k = 0; k < 3; k++) {\n  a += k;\n}\na")).isEqualTo("9");
    assertThat(text("int twice(int k) { return 2 * k; }\ntwice(b)")).isEqualTo("14");
    assertThat(text("IO.println()")).isNull();
  }

  @Test
  void lambdasOfCellsRunInKernels() {
    assertThat(text("float k = 3;\nctx.eval(map(ctx.tensor(new float[] {1, 2}), v -> v * k))"))
        .isEqualTo("f32[2]\n[3. 6.]");
  }

  @Test
  void cellsRunOnOneThread() {
    assertThat(text("Thread.currentThread()")).isEqualTo(Thread.currentThread().toString());
    assertThat(
            text(
                "Variable<F32> in = Variable.input(\"in\", F32, 1, 2);\n"
                    + "Variable<F32> out = dense(\"d\", in, 1);\n"
                    + "var executor = new Executor(ctx, 1, out);\n"
                    + "executor.set(in, ctx.zeros(F32, 1, 2));"))
        .isNull();
    assertThat(text("executor.forward();\nexecutor.tensor(out).item()")).isEqualTo("0.0");
  }

  @Test
  void errorsNameTheLineOfTheCell() {
    fails(
        "int n = 1;\nint m = \"x\";",
        "line 2: incompatible types: java.lang.String cannot be" + " converted to int",
        "    int m = \"x\";",
        "            ^");
    fails("int n = 1;\n\nfor (int k = 0;", "the cell ends within a statement that begins line 3.");
    fails(
        "var x2 = ctx.zeros(F32, 2);\nvar x3 = ctx.zeros(F32, 3);\n\nx2.plus(x3)",
        "ShapeException: [add] shapes must broadcast; got a f32[2], b f32[3]; last axis: 2 vs 3."
            + " Reshape one of them.",
        "    at line 4");
    CELLS.eval("int half(int k) {\n  return 1 / k;\n}");
    fails(
        "half(\n  0)",
        "ArithmeticException: / by zero",
        "    at line 2 of an earlier declaration in half",
        "    at line 1");
    CELLS.eval("int late() {\n  return soon();\n}");
    fails(
        "int n = 2;\nlate()",
        "the cell uses method soon(), which must be declared before.",
        "    at line 1 of an earlier declaration in late",
        "    at line 2");
  }

  @Test
  void unfinishedCellsAreKnown() {
    assertThat(CELLS.completeness("1 + 2")).isEqualTo(Completeness.COMPLETE);
    assertThat(CELLS.completeness("for (;;) {")).isEqualTo(Completeness.DEFINITELY_INCOMPLETE);
  }

  @Test
  void namesAreCompletedAndExplained() throws IOException {
    Path pages = Files.createDirectories(folder.resolve("docs/reference"));
    Files.writeString(
        pages.resolve("page.md"),
        "# Page\n\n## softmax\n\nExponentials over their sum.\n\n## other\n\nx\n");
    Path sources = Files.createDirectories(folder.resolve("expr/src/main/java/a"));
    Files.writeString(
        sources.resolve("ReductionOps.java"),
        """
        package a;

        /** Functions. */
        public class ReductionOps {
          /**
           * Exponentials {@code exp(x)} over
           * their sum; see {@link #sum(int)}.
           *
           * @param axis the axis
           */
          public static <T> T softmax(T x, int axis) {
            return x;
          }

          /** Sum. */
          static void sum(int x) {}
        }
        """);
    var help = new Help(CELLS, pages);
    String cell = "var q = 1;\nctx.evalN";
    ReplacementOptions options = help.complete(cell, cell.length());
    assertThat(options.getReplacements()).containsExactly("evalNow(");
    assertThat(options.getSourceStart()).isEqualTo(cell.length() - "evalN".length());
    assertThat(options.getSourceEnd()).isEqualTo(cell.length());
    String call = "ctx.eval(softmax(ctx.zeros(F32, 2), 0))";
    assertThat(help.about(call, call.indexOf("softmax") + 3))
        .isEqualTo(
            "Variable<T> softmax(Variable<T> v, int axis)\nExpr<T> softmax(Expr<T> a, int axis)\n\n"
                + "Exponentials exp(x) over their sum; see sum.\naxis: the axis\n\n"
                + "Exponentials over their sum.");
    assertThat(help.about("softmax(", 8)).endsWith("Exponentials over their sum.");
    assertThat(help.about("ReductionOps", 3)).endsWith("Functions.");
    assertThat(help.about("  ", 1)).isEmpty();
  }

  @Test
  void valuesHavePictures() throws Exception {
    DisplayData table = Display.of(CELLS.eval("ctx.arange(I64, 40).reshape(2, 20)").value());
    assertThat((String) table.getData(MIMEType.parse("text/html")))
        .startsWith("<div><code>i64[2,20]</code><table><tr><th></th><th>0</th>")
        .contains("<th>&hellip;</th><th>14</th>")
        .contains("<td>20</td>")
        .endsWith("<td>39</td></tr></table></div>");
    DisplayData scalar = Display.of(CELLS.eval("ctx.tensor(new boolean[] {true})").value());
    assertThat((String) scalar.getData(MIMEType.parse("text/html"))).contains("<td>true</td>");
    DisplayData cube = Display.of(CELLS.eval("ctx.zeros(F32, 1, 1, 2)").value());
    assertThat((String) cube.getData(MIMEType.parse("text/html")))
        .isEqualTo("<div><code>f32[1,1,2]</code><pre>[[[0. 0.]]]</pre></div>");
    DisplayData plan = Display.of(CELLS.eval("ctx.explain(ctx.zeros(F32, 3).plus(1))").value());
    String html = (String) plan.getData(MIMEType.parse("text/html"));
    assertThat(html).contains("<pre>1 kernel, 0 temporaries");
    String picture = html.replaceFirst(".*base64,([^\"]*)\".*(?s:.*)", "$1");
    assertThat(new String(Base64.getDecoder().decode(picture))).contains("map_add").contains(">y<");
    for (String cell :
        List.of(
            "Plot.line(ctx.arange(F32, 5))",
            "ctx.zeros(U8, 8, 9, 1)",
            "ctx.zeros(U8, 8, 9, 3)",
            "ctx.zeros(U8, 8, 9, 4)")) {
      DisplayData image = Display.of(CELLS.eval(cell).value());
      byte[] png = Base64.getDecoder().decode((String) image.getData(MIMEType.parse("image/png")));
      assertThat(new String(png, 1, 3, java.nio.charset.StandardCharsets.US_ASCII))
          .isEqualTo("PNG");
    }
    assertThat(Display.of("text").getData(MIMEType.parse("text/plain"))).isEqualTo("text");
  }

  @Test
  void librariesOfCells() {
    assertThat(Libraries.of("// DEPS\nint x;")).isEmpty();
    fails(
        "//DEPS commons-math\n1",
        "[notebook] group:artifact:version after //DEPS must name a library; got commons-math;"
            + " check group, artifact and version, and the connection.");
  }

  @Test
  void theKernelIsDescribed() throws IOException {
    Path to = folder.resolve("kernels/ristretto");
    Notebook.install(Path.of("/opt/ristretto/ristretto"), to);
    Notebook.install(Path.of("/opt/ristretto/ristretto"), to);
    assertThat(to.resolve("kernel.json"))
        .hasContent(
            """
            {
              "argv": [
                "/opt/ristretto/ristretto",
                "notebook",
                "{connection_file}"
              ],
              "display_name": "Ristretto",
              "language": "java",
              "interrupt_mode": "message"
            }
            """);
    assertThat(to).isDirectoryContaining(file -> file.endsWith("kernel.json"));
  }
}
