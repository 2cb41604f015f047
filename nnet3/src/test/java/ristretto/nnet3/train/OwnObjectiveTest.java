package ristretto.nnet3.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.abs;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.stopGradient;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.kernels.RistrettoException;
import ristretto.nnet3.Index;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;
import ristretto.nnet3.network.Nnet;

/** Objectives of a user's own, beside those that a network names, on several outputs. */
class OwnObjectiveTest {
  private static final String TWO =
      """
      input-node name=input dim=3
      component name=a type=AffineComponent input-dim=3 output-dim=8
      component name=r type=RectifiedLinearComponent dim=8
      component name=c type=AffineComponent input-dim=8 output-dim=2
      component name=s type=LogSoftmaxComponent dim=2
      component name=d type=AffineComponent input-dim=8 output-dim=1
      component-node name=a component=a input=input
      component-node name=r component=r input=a
      component-node name=c component=c input=r
      component-node name=s component=s input=c
      component-node name=d component=d input=r
      output-node name=class input=s
      output-node name=size input=d objective=quadratic
      """;

  private final Random random = new Random(3);

  /** Classes of the first number's sign, weighted, and the sum as a size. */
  private NnetExample minibatch(boolean sparse, float weight) {
    var features = new Matrix(32, 3);
    var sizes = new Matrix(32, 1);
    List<Index> rows = new ArrayList<>();
    List<SparseVector> classes = new ArrayList<>();
    for (int n = 0; n < 32; n++) {
      float sum = 0;
      for (int c = 0; c < 3; c++) {
        float x = (float) random.nextGaussian();
        features.set(n, c, x);
        sum += x;
      }
      sizes.set(n, 0, sum);
      int of = features.row(n)[0] > 0 ? 1 : 0;
      classes.add(new SparseVector(2, new int[] {of}, new float[] {weight}));
      rows.add(new Index(n, 0));
    }
    var targets = new SparseMatrix(classes);
    GeneralMatrix given = sparse ? targets : targets.toMatrix();
    return new NnetExample(
        List.of(
            new NnetIo("input", rows, features),
            new NnetIo("class", rows, given),
            new NnetIo("size", rows, sizes)));
  }

  private static double average(NnetTrainer trainer, String output) {
    return trainer.totals().all().get(output).average();
  }

  @Test
  void outputsHaveObjectivesOfTheirOwn() {
    Nnet nnet = Nnet.fromConfig("two", TWO, 1);
    try (Context context = Context.open("cpu")) {
      var trainer =
          new NnetTrainer(context, nnet, TrainingOptions.DEFAULT)
              .objective("size", (output, target) -> abs(output.minus(target)).neg());
      trainer.learningRate(0.005f);
      for (int k = 0; k < 150; k++) {
        trainer.train(minibatch(k % 2 == 0, k % 3 == 0 ? 0.5f : 1));
      }
      assertThat(trainer.totals().all().get("class").weight()).isEqualTo(32 * (50 * 0.5 + 100));
      assertThat(trainer.totals().all().get("size").weight()).isEqualTo(32 * 150);
      var learned = new NnetTrainer(context, trainer.nnet(), TrainingOptions.DEFAULT);
      learned.objective("size", (output, target) -> abs(output.minus(target)).neg());
      learned.learningRate(0);
      learned.train(minibatch(true, 1));
      assertThat(average(learned, "class")).isGreaterThan(-0.4);
      assertThat(average(learned, "size")).isGreaterThan(-0.6);
    }
  }

  /** An objective given by its formula equals the one that the network names. */
  @Test
  void derivedDerivativesAreTheRightOnes() {
    Nnet nnet = Nnet.fromConfig("two", TWO, 1);
    List<NnetExample> minibatches = List.of(minibatch(true, 1), minibatch(false, 0.7f));
    try (Context context = Context.open("cpu")) {
      var named = new NnetTrainer(context, nnet, TrainingOptions.DEFAULT);
      var own =
          new NnetTrainer(context, nnet, TrainingOptions.DEFAULT)
              .objective("class", (output, target) -> output.times(target))
              .objective("size", (output, target) -> square(output.minus(target)).times(-0.5f));
      minibatches.forEach(named::train);
      minibatches.forEach(own::train);
      Nnet difference = own.nnet();
      difference.add(-1, named.nnet());
      for (var component : difference.components().values()) {
        if (component instanceof UpdatableComponent u) {
          for (float[] parameter : u.parameters()) {
            for (float x : parameter) {
              assertThat(x).isBetween(-1e-6f, 1e-6f);
            }
          }
        }
      }
    }
  }

  private void refused(String output, Objective objective, String message) {
    try (Context context = Context.open("cpu")) {
      var trainer =
          new NnetTrainer(context, Nnet.fromConfig("two", TWO, 1), TrainingOptions.DEFAULT);
      assertThatThrownBy(() -> trainer.objective(output, objective).train(minibatch(true, 1)))
          .isInstanceOf(RistrettoException.class)
          .hasMessage(message);
    }
  }

  @Test
  void mistakesAreExplained() {
    refused(
        "clas",
        Objective.LINEAR,
        "[objective] an objective must be for one of the network's outputs, class, size; got"
            + " \"clas\"; did you mean 'class'?");
    refused(
        "class",
        (output, target) -> output.times(fill(F32, 1, 7)),
        "[mul] shapes must broadcast; got a f32[32,2], b f32[7]; last axis: 2 vs 7. Reshape one of"
            + " them.");
  }

  @Test
  void objectivesDependOnOutputs() {
    String message =
        "[objective] an objective must depend on the output; got one that does not, for an output"
            + " of shape [32,2]; compute it from its first argument.";
    refused("class", (output, target) -> square(target), message);
    refused("class", (output, target) -> stopGradient(output).times(target), message);
  }

  @Test
  void objectivesComeBeforeTheFirstMinibatch() {
    try (Context context = Context.open("cpu")) {
      var trainer =
          new NnetTrainer(context, Nnet.fromConfig("two", TWO, 1), TrainingOptions.DEFAULT);
      trainer.train(minibatch(true, 1));
      assertThatThrownBy(() -> trainer.objective("class", Objective.QUADRATIC))
          .hasMessage(
              "[objective] an objective must be given before the first minibatch; got one for"
                  + " \"class\" after 1; make another trainer.");
    }
  }
}
