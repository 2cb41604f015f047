package ristretto.nnet3.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.matrix.Matrix;

class OrthonormalConstraintTest {
  private static final Pattern PARAMETERS = Pattern.compile("<(Linear)?Params> ([^\\]]*\\])");

  /** Models that Kaldi wrote after one step and the next. */
  @ParameterizedTest
  @CsvSource({"orth-5, -1", "orth-6, 1", "orth-7, -1", "orth-8, 0.5"})
  void doesWhatKaldiDoes(String name, double scale) {
    try (Context context = Context.open()) {
      for (int step = 0; Vectors.has(name, "step" + (step + 1) + ".txt"); step++) {
        Matrix before = parameters(name, step);
        Matrix after = parameters(name, step + 1);
        Tensor<F32> m = context.tensor(before.data(), before.rows(), before.cols());
        OrthonormalConstraint.step(context, m, scale);
        float[] got = m.toFloatArray();
        double error = 0;
        double moved = 0;
        for (int i = 0; i < got.length; i++) {
          error += Math.pow(got[i] - after.data()[i], 2);
          moved += Math.pow(before.data()[i] - after.data()[i], 2);
        }
        // Of 7 digits, as the models have.
        assertThat(Math.sqrt(error)).as("step %d", step).isLessThan(1e-3 * Math.sqrt(moved) + 2e-7);
      }
    }
  }

  private static Matrix parameters(String name, int step) {
    Matcher matcher = PARAMETERS.matcher(Vectors.text(name, "step" + step + ".txt"));
    assertThat(matcher.find()).isTrue();
    return KaldiInput.of(name, matcher.group(2).getBytes()).readMatrix();
  }
}
