package ristretto.nnet3.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.abs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Index;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;

class NnetTrainerTest {
  private static Nnet rings() {
    return Nnet.fromConfig("test", RingExamples.CONFIG, 1);
  }

  private static NnetTrainer trained(Context context, Nnet nnet, TrainingOptions options, int n) {
    var trainer = new NnetTrainer(context, nnet, options);
    trainer.learningRate(0.01f);
    var random = new Random(3);
    for (int k = 0; k < n; k++) {
      trainer.train(RingExamples.minibatch(random, 32));
    }
    return trainer;
  }

  @Test
  void objectivesGrow() {
    try (Context context = Context.open("cpu")) {
      for (TrainingOptions options :
          List.of(
              TrainingOptions.DEFAULT,
              TrainingOptions.DEFAULT.with(2, 0.5, 1),
              TrainingOptions.DEFAULT.withBackstitch(0.3, 2))) {
        var trainer = new NnetTrainer(context, rings(), options);
        trainer.learningRate(0.003f);
        var random = new Random(3);
        ObjectiveTotals.Value before = new ObjectiveTotals.Value(0, 0, 0);
        for (int k = 0; k < 60; k++) {
          if (k == 40) {
            before = trainer.totals().all().get("output");
          }
          trainer.train(RingExamples.minibatch(random, 32));
        }
        ObjectiveTotals.Value all = trainer.totals().all().get("output");
        double last = (all.objective() - before.objective()) / (all.weight() - before.weight());
        assertThat(last).as("%s", options).isGreaterThan(before.average() + 0.05);
      }
    }
  }

  @Test
  void theSameSeedGivesTheSameBits() {
    try (Context context = Context.open("cpu")) {
      Nnet nnet = rings();
      String before = nnet.info();
      Nnet a = trained(context, nnet, TrainingOptions.DEFAULT, 15).nnet();
      assertThat(nnet.info()).isEqualTo(before);
      Nnet b = trained(context, rings(), TrainingOptions.DEFAULT, 15).nnet();
      assertThat(parameters(a, "a").get(0)).isEqualTo(parameters(b, "a").get(0));
      assertThat(a.info()).isEqualTo(b.info());
    }
  }

  private static List<float[]> parameters(Nnet nnet, String name) {
    return ((UpdatableComponent) nnet.components().get(name)).parameters();
  }

  /** Those whose natural gradient is of products, and of the gradient itself. */
  @Test
  void recurrencesAndConvolutionsInTimeAreTrained() {
    String config =
        """
        input-node name=input dim=4
        component name=t type=TdnnComponent input-dim=4 output-dim=20 time-offsets=-1,0,1
        component name=l type=LstmNonlinearityComponent cell-dim=4
        component name=b type=NaturalGradientAffineComponent input-dim=8 output-dim=2
        component name=s type=LogSoftmaxComponent dim=2
        component-node name=t component=t input=input
        component-node name=l component=l input=t
        component-node name=b component=b input=l
        component-node name=s component=s input=b
        output-node name=output input=s
        """;
    try (Context context = Context.open("cpu")) {
      Nnet nnet = Nnet.fromConfig("test", config, 1);
      var trainer = new NnetTrainer(context, nnet, TrainingOptions.DEFAULT);
      trainer.learningRate(0.02f);
      var random = new Random(3);
      trainer.train(RingExamples.minibatch(random, 32));
      double first = trainer.totals().all().get("output").average();
      for (int k = 0; k < 40; k++) {
        trainer.train(RingExamples.minibatch(random, 32));
      }
      assertThat(trainer.totals().all().get("output").average()).isGreaterThan(first + 0.01);
      for (String name : List.of("t", "l")) {
        assertThat(parameters(trainer.nnet(), name).get(0))
            .isNotEqualTo(parameters(nnet, name).get(0));
      }
    }
  }

  @Test
  void reportsAreKaldis() {
    try (Context context = Context.open("cpu")) {
      List<String> lines = new ArrayList<>();
      var options = TrainingOptions.DEFAULT.with(1e-3, 0, 1);
      var trainer = new NnetTrainer(context, rings(), options).log(lines::add);
      var random = new Random(3);
      for (int k = 0; k < 101; k++) {
        trainer.train(RingExamples.minibatch(random, 2));
      }
      assertThat(lines).hasSize(1);
      assertThat(lines.get(0))
          .startsWith("Average objective function for 'output' for minibatches 0-99 is -0.")
          .endsWith(" over 800 frames.");
      List<String> report = trainer.report();
      assertThat(report.get(0))
          .startsWith("Overall average objective function for 'output' is -0.")
          .endsWith(" over 808 frames.");
      assertThat(report.get(1))
          .startsWith("[this line is to be parsed by a script:] log-prob-per-frame=-0.");
      assertThat(report.get(report.size() - 1))
          .isEqualTo("The global max-change was enforced 100 % of the time.");
    }
  }

  @Test
  void statisticsAndConstraintsAreKept() {
    try (Context context = Context.open("cpu")) {
      Nnet nnet = trained(context, rings(), TrainingOptions.DEFAULT, 60).nnet();
      // 0.8 + 0.8^2 + ... times 128 rows
      assertThat(nnet.components().get("n").info()).contains("count=511.99");
      assertThat(nnet.components().get("r").info()).contains("self-repaired-proportion=");
      float[] m = parameters(nnet, "l").get(0);
      for (int i = 0; i < 8; i++) {
        for (int j = 0; j <= i; j++) {
          double product = 0;
          for (int c = 0; c < 24; c++) {
            product += m[i * 24 + c] * m[j * 24 + c];
          }
          assertThat(product).isCloseTo(i == j ? 1 : 0, within(0.1));
        }
      }
    }
  }

  /** Statistics lie where Kaldi keeps them, for values and for derivatives. */
  @Test
  void partsOfACompositeHaveStatistics() {
    String parts =
        """
        input-node name=input dim=4
        component name=c type=CompositeComponent num-components=3 \
          component1='type=AffineComponent input-dim=4 output-dim=24' \
          component2='type=RectifiedLinearComponent dim=24 self-repair-scale=1e-05' \
          component3='type=AffineComponent input-dim=24 output-dim=2'
        component name=s type=LogSoftmaxComponent dim=2
        component-node name=c component=c input=input
        component-node name=s component=s input=c
        output-node name=output input=s
        """;
    String apart =
        """
        input-node name=input dim=4
        component name=a type=AffineComponent input-dim=4 output-dim=24
        component name=r type=RectifiedLinearComponent dim=24 self-repair-scale=1e-05
        component name=b type=AffineComponent input-dim=24 output-dim=2
        component name=s type=LogSoftmaxComponent dim=2
        component-node name=a component=a input=input
        component-node name=r component=r input=a
        component-node name=b component=b input=r
        component-node name=s component=s input=b
        output-node name=output input=s
        """;
    try (Context context = Context.open("cpu")) {
      Nnet one =
          trained(context, Nnet.fromConfig("parts", parts, 1), TrainingOptions.DEFAULT, 5).nnet();
      Nnet other =
          trained(context, Nnet.fromConfig("apart", apart, 1), TrainingOptions.DEFAULT, 5).nnet();
      assertThat(one.components().get("c").info())
          .contains("{ " + other.components().get("r").info() + " }");
    }
  }

  @Test
  void statisticsGoOnFromThoseOfBefore() {
    try (Context context = Context.open("cpu")) {
      Nnet before = trained(context, rings(), TrainingOptions.DEFAULT, 60).nnet();
      var random = new Random(3);
      var once = new NnetTrainer(context, before, TrainingOptions.DEFAULT.withStatisticsKept());
      once.train(RingExamples.minibatch(random, 32));
      // 0.8 times 512 + 128 rows
      assertThat(once.nnet().components().get("n").info()).contains("count=511.99");
      var fresh = new NnetTrainer(context, before, TrainingOptions.DEFAULT);
      fresh.train(RingExamples.minibatch(random, 32));
      assertThat(fresh.nnet().components().get("n").info()).contains("count=102.4");
    }
  }

  @Test
  void lookingAtTheNetworkChangesNothing() {
    try (Context context = Context.open("cpu")) {
      var seen = new NnetTrainer(context, rings(), TrainingOptions.DEFAULT);
      var unseen = new NnetTrainer(context, rings(), TrainingOptions.DEFAULT);
      for (NnetTrainer trainer : List.of(seen, unseen)) {
        var random = new Random(3);
        for (int k = 0; k < 14; k++) {
          trainer.train(RingExamples.minibatch(random, 8));
          if (trainer == seen) {
            trainer.nnet();
          }
        }
      }
      assertThat(parameters(seen.nnet(), "a").get(0))
          .isEqualTo(parameters(unseen.nnet(), "a").get(0));
      assertThat(seen.nnet().components().get("n").info())
          .isEqualTo(unseen.nnet().components().get("n").info());
    }
  }

  /** Repair of one draws its weights down, and leaves what is before it as it is. */
  @Test
  void repairOfGatesIsOfTheirWeights() {
    String config =
        """
        input-node name=input dim=4
        component name=h type=AffineComponent input-dim=4 output-dim=8 learning-rate=0.1
        component name=g type=OutputGruNonlinearityComponent cell-dim=4 self-repair-scale=%s \
        self-repair-threshold=1 learning-rate=0.1
        component name=b type=NaturalGradientAffineComponent input-dim=8 output-dim=2
        component name=s type=LogSoftmaxComponent dim=2
        component-node name=h component=h input=input
        component-node name=g component=g input=Append(h, input)
        component-node name=b component=b input=g
        component-node name=s component=s input=b
        output-node name=output input=s
        """;
    List<List<float[]>> inputs = new ArrayList<>();
    List<float[]> gates = new ArrayList<>();
    try (Context context = Context.open("cpu")) {
      for (String scale : List.of("0", "0.01")) {
        Nnet nnet = Nnet.fromConfig("test", String.format(Locale.ROOT, config, scale), 1);
        var trainer = new NnetTrainer(context, nnet, TrainingOptions.DEFAULT.with(0, 0, 1));
        trainer.train(RingExamples.minibatch(new Random(3), 32));
        inputs.add(parameters(trainer.nnet(), "h"));
        gates.add(parameters(trainer.nnet(), "g").get(0));
        assertThat(trainer.nnet().components().get("g").info()).contains("count=128,");
      }
    }
    assertThat(inputs.get(0).get(0)).isEqualTo(inputs.get(1).get(0));
    assertThat(gates.get(0)).isNotEqualTo(gates.get(1));
  }

  /** Without natural gradient, the change is the gradient times the rate, and l2 is added. */
  @Test
  void changesAreGradientsTimesRates() {
    String config =
        """
        input-node name=input dim=2
        component name=a type=AffineComponent input-dim=2 output-dim=1 learning-rate=0.1 l2-regularize=0.5
        component-node name=a component=a input=input
        output-node name=output input=a objective=quadratic
        """;
    Nnet nnet = Nnet.fromConfig("test", config, 1);
    float[] w = parameters(nnet, "a").get(0);
    float[] b = parameters(nnet, "a").get(1);
    NnetExample example = regression(2, 3, 4);
    double error = 4 - (2 * w[0] + 3 * w[1] + b[0]);
    for (Objective objective : new Objective[] {null, (y, t) -> abs(t.minus(y)).neg()}) {
      try (Context context = Context.open("cpu")) {
        var trainer = new NnetTrainer(context, nnet, TrainingOptions.DEFAULT.with(0, 0, 1));
        double slope = error;
        if (objective != null) {
          trainer.objective("output", objective);
          slope = Math.signum(error);
        }
        trainer.train(example);
        double decay = -2 * 0.1 * 0.5;
        List<float[]> after = parameters(trainer.nnet(), "a");
        assertThat(after.get(0)[0]).isCloseTo(at(w[0], slope * 2, decay), within(1e-5f));
        assertThat(after.get(0)[1]).isCloseTo(at(w[1], slope * 3, decay), within(1e-5f));
        assertThat(after.get(1)[0]).isCloseTo(at(b[0], slope, decay), within(1e-5f));
        double value = objective == null ? -0.5 * error * error : -Math.abs(error);
        assertThat(trainer.totals().all().get("output").average()).isCloseTo(value, within(1e-4));
      }
    }
  }

  private static float at(float w, double gradient, double decay) {
    return (float) (w + 0.1 * gradient + decay * w);
  }

  private static NnetExample regression(float x, float y, float target) {
    List<Index> row = List.of(new Index(0, 0));
    return new NnetExample(
        List.of(
            new NnetIo("input", row, new Matrix(1, 2, new float[] {x, y})),
            new NnetIo("output", row, new Matrix(1, 1, new float[] {target}))));
  }

  @Test
  void momentumCarriesChangesOn() {
    String config =
        """
        input-node name=input dim=2
        component name=a type=AffineComponent input-dim=2 output-dim=1 learning-rate=0.01
        component-node name=a component=a input=input
        output-node name=output input=a objective=quadratic
        """;
    Nnet nnet = Nnet.fromConfig("test", config, 1);
    double[] p = {
      parameters(nnet, "a").get(0)[0],
      parameters(nnet, "a").get(0)[1],
      parameters(nnet, "a").get(1)[0]
    };
    double[] x = {2, 3, 1};
    double[] change = new double[3];
    try (Context context = Context.open("cpu")) {
      var trainer = new NnetTrainer(context, nnet, TrainingOptions.DEFAULT.with(0, 0.75, 1));
      for (int k = 0; k < 4; k++) {
        trainer.train(regression(2, 3, 4));
        double error = 4 - (p[0] * x[0] + p[1] * x[1] + p[2]);
        for (int i = 0; i < 3; i++) {
          change[i] = 0.75 * change[i] + 0.01 * error * x[i];
          p[i] += 0.25 * change[i];
        }
        List<float[]> after = parameters(trainer.nnet(), "a");
        assertThat(after.get(0)[0]).as("step %d", k).isCloseTo((float) p[0], within(1e-5f));
        assertThat(after.get(1)[0]).as("step %d", k).isCloseTo((float) p[2], within(1e-5f));
      }
    }
  }

  /** NaN leaves parameters as they are. */
  @Test
  void infiniteChangesAreNotApplied() {
    try (Context context = Context.open("cpu")) {
      String config =
          """
          input-node name=input dim=2
          component name=a type=AffineComponent input-dim=2 output-dim=1
          component-node name=a component=a input=input
          output-node name=output input=a objective=quadratic
          """;
      Nnet nnet = Nnet.fromConfig("test", config, 1);
      for (TrainingOptions options :
          List.of(TrainingOptions.DEFAULT, TrainingOptions.DEFAULT.with(2, 0.9, 1))) {
        var trainer = new NnetTrainer(context, nnet, options);
        trainer.train(regression(Float.POSITIVE_INFINITY, 1, 1));
        assertThat(parameters(trainer.nnet(), "a").get(0)).isEqualTo(parameters(nnet, "a").get(0));
        trainer.train(regression(1, 1, 1));
        assertThat(parameters(trainer.nnet(), "a").get(0)[0])
            .isNotNaN()
            .isNotEqualTo(parameters(nnet, "a").get(0)[0]);
      }
    }
  }

  @Test
  void wrongSettingsAreRefused() {
    assertThatThrownBy(() -> TrainingOptions.DEFAULT.with(2, 1, 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[train] momentum must be from 0 to below 1; got 1.0; give another.");
    assertThatThrownBy(() -> TrainingOptions.DEFAULT.with(2, 0.5, 1).withBackstitch(1, 1))
        .hasMessage(
            "[train] backstitch-training-scale must be 0 with a momentum; got 1.0; give another.");
    try (Context context = Context.open("cpu")) {
      var trainer = new NnetTrainer(context, rings(), TrainingOptions.DEFAULT);
      NnetExample good = RingExamples.minibatch(new Random(1), 1);
      NnetIo output = good.io().get(1);
      var wide =
          new NnetExample(
              List.of(good.io().get(0), new NnetIo("output", output.indexes(), new Matrix(4, 3))));
      assertThatThrownBy(() -> trainer.train(wide))
          .hasMessage(
              "[objective] targets must have as many columns as the output; got 3 for 2 of"
                  + " \"output\"; make examples for this network.");
    }
  }
}
