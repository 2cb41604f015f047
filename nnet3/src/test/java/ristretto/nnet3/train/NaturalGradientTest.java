package ristretto.nnet3.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.F32;
import ristretto.expr.Tensor;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.Matrix;

class NaturalGradientTest {
  /** What a new object of Kaldi's makes of one matrix after the other. */
  @ParameterizedTest
  @ValueSource(strings = {"ng-1", "ng-2", "ng-3", "ng-4"})
  void doesWhatKaldiDoes(String name) {
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
        Tensor<F32> x = context.tensor(in.data(), in.rows(), in.cols());
        if (gradient.isNew()) {
          gradient.start(x);
        }
        boolean update = gradient.updates();
        gradient.precondition(x, update);
        gradient.done(in.rows(), update);
        double scale = gradient.scale().item();
        assertThat(scale)
            .as("step %d", step)
            .isCloseTo(archive.get("scale" + step).data()[0], offset(2e-4 * scale));
        close(step, x.toFloatArray(), archive.get("out" + step).data());
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
