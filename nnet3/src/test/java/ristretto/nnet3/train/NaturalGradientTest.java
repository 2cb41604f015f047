package ristretto.nnet3.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.ForwardStep;

class NaturalGradientTest {
  /** Results of a new Kaldi object for one matrix after the other. */
  @ParameterizedTest
  @ValueSource(strings = {"ng-1", "ng-2", "ng-3", "ng-4"})
  void doesWhatKaldiDoes(String name) {
    compare(
        name,
        (context, gradient, in) -> {
          Tensor<F32> x = context.tensor(in.data(), in.rows(), in.cols());
          if (gradient.isNew()) {
            gradient.start(x);
          }
          boolean update = gradient.updates();
          gradient.precondition(x, update);
          gradient.done(in.rows(), update);
          return x.toFloatArray();
        });
  }

  /** Results for columns that stay in place. */
  @ParameterizedTest
  @ValueSource(strings = {"ng-1", "ng-2", "ng-3", "ng-4"})
  void rowsMayStayWhereTheyAre(String name) {
    compare(
        name,
        (context, gradient, in) -> {
          Tensor<F32> x = context.tensor(in.data(), 1, in.rows(), in.cols());
          int first = in.cols() / 3;
          var rows =
              new PreconditionedRows.SideBySide(
                  List.of(
                      new ForwardStep.Columns(first, x.slice(all(), all(), range(0, first)), 1),
                      new ForwardStep.Columns(
                          in.cols() - first,
                          context.eval(x.slice(all(), all(), range(first, in.cols())).times(2)),
                          0.5f)),
                  false,
                  in.rows());
          if (gradient.isNew()) {
            gradient.start(rows);
          }
          boolean update = gradient.updates();
          Tensor<F32> h = gradient.project(rows, update);
          Tensor<F32> whole = x.reshape(in.rows(), in.cols());
          float[] result = context.eval(whole.minus(dot(h, gradient.w()))).toFloatArray();
          gradient.done(in.rows(), update);
          return result;
        });
  }

  private interface Step {
    float[] apply(Context context, NaturalGradient gradient, Matrix in);
  }

  private static void compare(String name, Step makes) {
    Map<String, String> settings = new HashMap<>();
    for (String pair : Vectors.text(name, "args").trim().split("\\s+")) {
      settings.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
    }
    var options =
        new NaturalGradient.Options(
            Integer.parseInt(settings.get("rank")),
            Integer.parseInt(settings.get("update-period")),
            Double.parseDouble(settings.getOrDefault("num-samples-history", "2000")),
            0,
            Double.parseDouble(settings.getOrDefault("alpha", "4")),
            1e-10,
            5e-4);
    Map<String, Matrix> archive = archive(Vectors.bytes(name, "ng.txt"));
    try (Context context = Context.open()) {
      var gradient = new NaturalGradient(context, options, Integer.parseInt(settings.get("dim")));
      for (int step = 0; archive.containsKey("in" + step); step++) {
        Matrix in = archive.get("in" + step);
        float[] out = makes.apply(context, gradient, in);
        double scale = gradient.scale().item();
        assertThat(scale)
            .as("step %d", step)
            .isCloseTo(archive.get("scale" + step).data()[0], offset(2e-4 * scale));
        close(step, out, archive.get("out" + step).data());
      }
    }
  }

  private static Map<String, Matrix> archive(byte[] text) {
    Map<String, Matrix> all = new HashMap<>();
    try (var in = KaldiInput.of("ng.txt", text)) {
      while (!in.atEnd()) {
        all.put(in.readToken(), in.readMatrix());
      }
    }
    return all;
  }

  private static void close(int step, float[] got, float[] wanted) {
    double error = 0;
    double size = 0;
    for (int i = 0; i < got.length; i++) {
      error += Math.pow(got[i] - wanted[i], 2);
      size += Math.pow(wanted[i], 2);
    }
    assertThat(Math.sqrt(error / size)).as("step %d", step).isLessThan(3e-4);
  }
}
