package ristretto.symbolic.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.relu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.kernels.FileException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

class ModelPictureTest {
  @TempDir Path folder;

  private static List<String> texts(String svg) {
    var matcher = Pattern.compile("<text[^>]*>([^<]*)</text>").matcher(svg);
    var all = new ArrayList<String>();
    while (matcher.find()) {
      all.add(matcher.group(1));
    }
    return all;
  }

  private static Executor residual(Context ctx) {
    Variable<F32> x = Variable.input("x<1>", F32, -1, 4);
    Variable<F32> hidden = relu(dense("first", x, 4));
    return new Executor(ctx, dense("second", hidden.plus(x), 1));
  }

  @Test
  void boxesAreInputsAndOperators() throws IOException {
    try (var ctx = Context.open()) {
      Path file = folder.resolve("model.svg");
      residual(ctx).picture(file);
      String svg = Files.readString(file);
      assertThat(texts(svg))
          .containsExactly(
              "x&lt;1&gt;",
              "f32[?,4]",
              "first",
              "f32[?,4]",
              "20 parameters",
              "relu",
              "f32[?,4]",
              "plus",
              "f32[?,4]",
              "second",
              "f32[?,1]",
              "5 parameters");
      assertThat(svg).startsWith("<svg ").endsWith("</svg>\n");
    }
  }

  @Test
  void messages() {
    try (var ctx = Context.open()) {
      Executor executor = residual(ctx);
      Path png = folder.resolve("model.png");
      assertThatThrownBy(() -> executor.picture(png))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[picture] the file name must end in .svg; got " + png + "; rename the file.");
      Path folderOfNone = folder.resolve("none").resolve("model.svg");
      assertThatThrownBy(() -> executor.picture(folderOfNone))
          .isInstanceOf(FileException.class)
          .hasMessageStartingWith(
              "[picture] the file must be writable; got " + folderOfNone.toAbsolutePath() + " (");
      assertThat(png).doesNotExist();
    }
  }
}
