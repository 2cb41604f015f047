package ristretto.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.data.Batcher;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.train.History;
import ristretto.symbolic.train.Metric;
import ristretto.symbolic.train.NotFiniteException;
import ristretto.symbolic.train.Trainer;

class DistributedTrainerTest {
  private Context ctx;
  private SparkSession spark;

  @BeforeEach
  void open() {
    ctx = Context.open("cpu");
  }

  @AfterEach
  void close() {
    if (spark != null) {
      spark.stop();
    }
    ctx.close();
  }

  private void local() {
    spark =
        SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").getOrCreate();
  }

  private static OptimizerBuilder adam() {
    return () -> Optimizer.adam(0.003);
  }

  private DistributedTrainer trainer() {
    var made = new DistributedTrainer(ctx, Digits.MODEL, adam(), 5).shards(4).batch(25);
    made.trainer().log(_ -> {});
    return made;
  }

  private Dataset<Row> digits() {
    return Digits.frame(spark, ctx, "train");
  }

  /** Trains some epochs; returns all bits of the model. */
  private Map<String, byte[]> bits(int epochs, UnaryOperator<DistributedTrainer> with) {
    DistributedTrainer made = with.apply(trainer());
    made.train(digits(), epochs);
    return bits(made.executor());
  }

  private static Map<String, byte[]> bits(Executor executor) {
    Map<String, byte[]> all = new LinkedHashMap<>();
    executor.parameters().forEach(v -> all.put(v.name(), executor.tensor(v).toByteArray()));
    executor.states().forEach(v -> all.put(v.name(), executor.tensor(v).toByteArray()));
    return all;
  }

  private static void requireEqual(Map<String, byte[]> a, Map<String, byte[]> b) {
    assertThat(a.keySet()).isEqualTo(b.keySet());
    a.forEach((name, bytes) -> assertThat(Arrays.equals(bytes, b.get(name))).as(name).isTrue());
  }

  private Batcher test() {
    Map<String, Tensor<?>> all = Digits.tensors(ctx);
    return new Batcher(
        ristretto.symbolic.data.Dataset.of(Map.of("x", all.get("x_test"), "y", all.get("y_test"))),
        180);
  }

  @Test
  void fourShardsLearnWhatOneMachineLearns() {
    local();
    DistributedTrainer made = trainer().averageEvery(3);
    made.trainer().validation(test()).metrics(Metric.accuracy(scores(made.network()), label(made)));
    History history = made.train(digits(), 20);
    assertThat(history.epochs()).isEqualTo(20);
    assertThat(history.last("loss")).isLessThan(history.get(0, "loss") / 5);

    Network network = Digits.MODEL.build();
    var executor = new Executor(ctx, 5, network.loss(), network.outputs().get(0));
    var alone = new Trainer(executor, network.loss(), Optimizer.adam(0.003)).log(_ -> {});
    Map<String, Tensor<?>> all = Digits.tensors(ctx);
    var train =
        ristretto.symbolic.data.Dataset.of(
            Map.of("x", all.get("x_train"), "y", all.get("y_train")));
    alone.train(new Batcher(train, 25).shuffled(1), 20);
    double one = alone.metrics(accuracy(executor, network)).measure(test()).get("accuracy");
    double four = history.last("valid_accuracy");
    assertThat(four).isGreaterThan(one - 0.005);

    Dataset<Row> predicted =
        RistrettoSpark.predict(Digits.frame(spark, ctx, "test"), made.model(), "x");
    long right =
        predicted.collectAsList().stream()
            .filter(row -> best(row.getList(row.fieldIndex("prediction"))) == row.getInt(2))
            .count();
    assertThat(right / 180.0).isCloseTo(four, within(1e-9));
  }

  private static int best(List<Float> scores) {
    return scores.indexOf(Collections.max(scores));
  }

  @SuppressWarnings("unchecked")
  private static Variable<F32> scores(Network of) {
    return (Variable<F32>) of.outputs().get(0);
  }

  @SuppressWarnings("unchecked")
  private static Variable<I32> label(DistributedTrainer of) {
    return (Variable<I32>) of.input("y");
  }

  @SuppressWarnings("unchecked")
  private static Metric accuracy(Executor executor, Network network) {
    var label =
        executor.inputs().stream().filter(v -> v.name().equals("y")).findFirst().orElseThrow();
    return Metric.accuracy(scores(network), (Variable<I32>) label);
  }

  @Test
  void resultsDependOnShardsAndSeedOnly() {
    local();
    Map<String, byte[]> first = bits(3, t -> t.averageEvery(2));
    requireEqual(bits(3, t -> t.averageEvery(2)), first);
    DistributedTrainer shuffled = trainer().averageEvery(2);
    shuffled.train(digits().repartition(7).orderBy(col("y")), 3);
    requireEqual(bits(shuffled.executor()), first);
    requireEqual(bits(3, t -> t.averageEvery(2).outerMomentum(1, 0)), first);
    Map<String, byte[]> other = bits(3, t -> t.averageEvery(2).shards(3));
    assertThat(Arrays.equals(other.get("scores.weight"), first.get("scores.weight"))).isFalse();
  }

  @Test
  void trainingContinuesToTheSameBits(@TempDir Path folder) {
    local();
    UnaryOperator<DistributedTrainer> with = t -> t.averageEvery(2).outerMomentum(0.7, 0.9);
    Map<String, byte[]> whole = bits(4, with);
    bits(2, t -> with.apply(t).checkpoints(folder));
    requireEqual(bits(4, t -> with.apply(t).checkpoints(folder)), whole);
  }

  @Test
  void halvedTrafficChangesLittle() {
    local();
    DistributedTrainer exact = trainer().averageEvery(2);
    DistributedTrainer halved = trainer().averageEvery(2).halvedTraffic();
    History a = exact.train(digits(), 4);
    History b = halved.train(digits(), 4);
    assertThat(b.last("loss")).isCloseTo(a.last("loss"), within(0.02 * a.last("loss")));
  }

  @Test
  void killedExecutorsChangeNoBit() throws Exception {
    local();
    Map<String, byte[]> whole = bits(30, t -> t.averageEvery(2));
    spark.stop();
    spark = LocalCluster.start(2);
    try (var killer = new ExecutorKiller(3)) {
      requireEqual(bits(30, t -> t.averageEvery(2)), whole);
      assertThat(killer.kills()).isPositive();
    }
  }

  @Test
  void badRowsStopOrAreLeftOut() {
    local();
    Dataset<Row> damaged = digits().withColumn("x", when(col("id").notEqual(77), col("x")));
    DistributedTrainer made = trainer().key("id");
    assertThatThrownBy(() -> made.train(damaged, 1))
        .hasMessage(
            "[train] column 'x' must not be null; in row id=77; mend the data, or choose"
                + " badRows(BadRows.NULL), which leaves such rows out.");
    DistributedTrainer skipping = trainer().key("id").badRows(BadRows.NULL);
    skipping.train(damaged, 1);
    DistributedTrainer without = trainer().key("id");
    without.train(digits().filter(col("id").notEqual(77)), 1);
    requireEqual(bits(skipping.executor()), bits(without.executor()));
  }

  @Test
  void wrongUseIsTold() {
    local();
    assertThatThrownBy(() -> trainer().shards(0))
        .hasMessage("[train] the number of shards must be at least 1; got 0.");
    assertThatThrownBy(() -> trainer().outerMomentum(0, 0.9))
        .hasMessage(
            "[train] the outer rate must be positive, and the momentum from 0 to below 1; got 0.0"
                + " and 0.9.");
    assertThatThrownBy(() -> trainer().columns("z", "x"))
        .hasMessage(
            "[train] an input must be one of the model's, [x, y]; got 'z'; choose one of these.");
    assertThatThrownBy(() -> trainer().columns("x", "pixels").train(digits(), 1))
        .hasMessage(
            "[train] a column must be one of the frame's, [id, x, y]; got 'pixels'; name the"
                + " columns of an input with columns(input, names).");
    assertThatThrownBy(() -> trainer().train(digits().limit(0), 1))
        .hasMessage(
            "[train] a frame must have rows to train on; got 0, and 0 that are no input; give"
                + " others.");
    ModelBuilder only = () -> Network.predicting(Digits.MODEL.build().outputs().get(0));
    assertThatThrownBy(() -> new DistributedTrainer(ctx, only, adam()))
        .hasMessage(
            "[train] a model to be trained must have a loss; got none; build it with"
                + " Network.of(loss, outputs).");
    Dataset<Row> wild = digits().withColumn("y", col("y").plus(20));
    assertThatThrownBy(() -> trainer().train(wild, 1)).hasMessageContaining("label");
    OptimizerBuilder fast = () -> Optimizer.sgd(1e30);
    var diverging = new DistributedTrainer(ctx, Digits.MODEL, fast, 5).shards(2).batch(25);
    diverging.trainer().log(_ -> {});
    assertThatThrownBy(() -> diverging.train(digits(), 2))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageStartingWith("[train] the loss must be finite; got ");
  }
}
