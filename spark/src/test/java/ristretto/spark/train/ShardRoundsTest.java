package ristretto.spark.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;

class ShardRoundsTest {
  private static final int SHARDS = 70;
  private static final int ROWS = 6;

  private static Trainee trainee(Context ctx) {
    Variable<F32> x = Variable.input("x", Ops.F32, -1, 3);
    Variable<F32> loss = Layers.mean(Layers.square(Layers.dense("d", x, 2)));
    return new Trainee(ctx, new Executor(ctx, 1, loss), loss, Optimizer.sgd(0.1));
  }

  private static byte[] elements(Random random, int rows) {
    var bytes = ByteBuffer.allocate(rows * 3 * Float.BYTES).order(ByteOrder.nativeOrder());
    for (int k = 0; k < rows * 3; k++) {
      bytes.putFloat((float) random.nextGaussian());
    }
    return bytes.array();
  }

  /** Shards of different sizes; some have no rows. */
  private static List<Shard> shards() {
    var random = new Random(3);
    List<Shard> all = new ArrayList<>();
    for (int k = 0; k < SHARDS; k++) {
      int rows = k % 10 == 0 ? 0 : ROWS + k % 3;
      all.add(new Shard(k, rows, 0, List.of(elements(random, rows))));
    }
    return all;
  }

  @Test
  void treesOfTasksAddAsTheDriverDoes() {
    var session =
        SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").getOrCreate();
    try (Context ctx = Context.open("cpu")) {
      var spark = JavaSparkContext.fromSparkContext(session.sparkContext());
      JavaRDD<Shard> data = spark.parallelize(shards(), SHARDS);
      Broadcast<Work> work = spark.broadcast(new Work("test", ShardRoundsTest::trainee));
      State start = start(ctx);
      var round = new Round(1, 0, 0, 2, 4);
      ShardRounds.Result driver = new ShardRounds(spark, data, work, Wire.F32).run(start, round);
      ShardRounds.Result tasks = new ShardRounds(spark, data, work, Wire.F32, 0).run(start, round);
      assertThat(tasks.average().floats()).isEqualTo(driver.average().floats());
      assertThat(tasks.average().counters()).isEqualTo(driver.average().counters());
      assertThat(tasks.examples()).isEqualTo(driver.examples()).isEqualTo(63 * ROWS + 63);
      assertThat(tasks.loss()).isEqualTo(driver.loss());

      double[] mean = new double[start.floats().length];
      for (Shard shard : shards()) {
        if (shard.rows() > 0) {
          RoundResult one = trainee(ctx).train(shard, start, round, Wire.F32);
          double weight = one.examples() / (double) driver.examples();
          Wire.F32.add(one.floats(), start.floats(), 0, mean.length, weight, mean);
        }
      }
      for (int k = 0; k < mean.length; k++) {
        assertThat((double) driver.average().floats()[k]).isCloseTo(mean[k], within(1e-6));
      }
    } finally {
      session.stop();
    }
  }

  private static State start(Context ctx) {
    Variable<F32> x = Variable.input("x", Ops.F32, -1, 3);
    Variable<F32> loss = Layers.mean(Layers.square(Layers.dense("d", x, 2)));
    var executor = new Executor(ctx, 1, loss);
    return new FlatTensors(ctx, executor.trainedTensors(Optimizer.sgd(0.1))).get();
  }

  @Test
  void changesInBf16KeepSmallOnes() {
    var start = new float[] {1000, -1, 0, 5, Float.MAX_VALUE, 1};
    var values = new float[] {1000.001f, -1.5f, 1e-30f, 5, Float.MAX_VALUE, Float.NaN};
    var sum = new double[values.length];
    Wire.BF16.add(Wire.BF16.encode(values, start), start, 0, values.length, 1, sum);
    for (int k = 0; k < 5; k++) {
      double change = values[k] - start[k];
      assertThat(sum[k] - start[k]).isCloseTo(change, within(Math.abs(change) / 256));
    }
    assertThat(sum[5]).isNaN();
  }
}
