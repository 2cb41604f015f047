// Measures the cost of averaging on Apache Spark against the size of the model:
//
//   RISTRETTO_JAVA_OPTS=-Xmx6g ./ristretto spark-submit --master 'local-cluster[2,1,4608]' \
//     --conf spark.executor.memory=4500m docs/performance/SparkCost.java [PARAMETERS ...]
//
// Each round has one step of each shard, so that its time is the cost of an average. The first
// epoch compiles programs and is left out.

import module ristretto.expr;
import module ristretto.symbolic;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.spark_partition_id;
import static ristretto.expr.Ops.F32;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import ristretto.spark.*;

static final int SHARDS = 2;

/** Builds a model of width * width parameters, whose step is cheap. */
static Network model(int width) {
  Variable<F32> x = Variable.input("x", F32, -1);
  Variable<F32> spread = apply("spread", F32, v -> v.get(x).reshape(-1, 1).expand(-1, width), x);
  return Network.of(mean(square(dense("d", spread, width))), x);
}

void main(String[] args) {
  long[] sizes =
      args.length == 0
          ? new long[] {1_000_000, 10_000_000, 100_000_000}
          : Arrays.stream(args).mapToLong(Long::parseLong).toArray();
  SparkSession spark = SparkSession.builder().appName("cost of averages").getOrCreate();
  IO.println("parameters   F32 s/average   BF16 s/average   step alone s");
  for (long size : sizes) {
    int width = (int) Math.sqrt(size);
    int rounds = size < 50_000_000 ? 8 : 2;
    Dataset<Row> rows = spark.range(0, SHARDS * rounds, 1, 2).selectExpr("cast(id as float) x");
    IO.println(
        String.format(
            Locale.ROOT,
            "%10d %15.3f %16.3f %14.3f",
            size,
            average(rows, width, false),
            average(rows, width, true),
            step(width)));
  }
  spark.stop();
}

/** Returns the seconds of a round: those of the faster of the last two epochs, for each round. */
static double average(Dataset<Row> rows, int width, boolean halved) {
  long rounds =
      rows.repartition(SHARDS, col("x"))
          .groupBy(spark_partition_id())
          .count()
          .agg(max("count"))
          .first()
          .getLong(0);
  try (var ctx = Context.open()) {
    var training =
        new DistributedTrainer(ctx, () -> model(width), () -> Optimizer.sgd(1e-9))
            .shards(SHARDS)
            .batch(1)
            .averageEvery(1);
    if (halved) {
      training.halvedTraffic();
    }
    List<Long> ends = new ArrayList<>();
    training.trainer().log(_ -> {}).afterEpoch(_ -> ends.add(System.nanoTime()));
    training.train(rows, 3);
    return Math.min(ends.get(1) - ends.get(0), ends.get(2) - ends.get(1)) / 1e9 / rounds;
  }
}

/** Returns the seconds of a step of one shard on this machine, without Spark. */
static double step(int width) {
  try (var ctx = Context.open()) {
    Network network = model(width);
    var executor = new Executor(ctx, network.loss());
    @SuppressWarnings("unchecked")
    var x = (Variable<F32>) executor.inputs().get(0);
    executor.set(x, ctx.ones(F32, 1));
    Optimizer sgd = Optimizer.sgd(1e-9);
    executor.step(network.loss(), sgd);
    executor.tensor(network.loss()).item();
    long start = System.nanoTime();
    for (int k = 0; k < 4; k++) {
      executor.step(network.loss(), sgd);
    }
    executor.tensor(network.loss()).item();
    return (System.nanoTime() - start) / 4e9;
  }
}
