package ristretto.spark;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.tanh;

import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/** Prediction in processes of a cluster. */
class PredictClusterTest {
  private static final ModelBuilder BUILDER =
      () -> {
        Variable<F32> x = Variable.input("x", Ops.F32, -1, 2);
        return Network.predicting(dense("out", tanh(dense("hidden", x, 7)), 3));
      };

  @Test
  void executorsComputeWhatTheDriverComputes() throws IOException {
    Variable<?> output = BUILDER.build().outputs().get(0);
    try (Context ctx = Context.open("cpu");
        SparkSession spark = LocalCluster.start(2)) {
      var executor = new Executor(ctx, 5, output);
      Dataset<Row> rows =
          spark
              .range(0, 1000, 1, 5)
              .select(
                  col("id"),
                  array(col("id").divide(1000), col("id").mod(7)).cast("array<float>").alias("x"));
      List<Row> all =
          RistrettoSpark.predict(rows, SparkModel.symbolic(BUILDER, executor), "x").collectAsList();
      assertThat(all).hasSize(1000);
      for (int k = 0; k < all.size(); k += 83) {
        var x = new float[][] {{(float) (k / 1000.0), k % 7}};
        set(executor, ctx, x);
        executor.forward();
        List<Float> got = all.get(k).getList(2);
        float[] wanted = executor.tensor(output).toFloatArray();
        assertThat(got).hasSize(3);
        for (int c = 0; c < 3; c++) {
          assertThat(got.get(c)).isCloseTo(wanted[c], within(1e-5f));
        }
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static void set(Executor executor, Context ctx, float[][] x) {
    executor.set((Variable<F32>) executor.inputs().get(0), ctx.tensor(x));
  }
}
