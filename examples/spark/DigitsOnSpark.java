// Trains a classifier of spoken digits on a cluster of Apache Spark, in four shards, and predicts
// the utterances of other speakers.
//
//   ./ristretto spark-submit --master 'local[2]' examples/spark/DigitsOnSpark.java

import module ristretto.expr;
import module ristretto.symbolic;
import static org.apache.spark.sql.functions.*;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.symbolic.Layers.*;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import ristretto.spark.*;

/** Builds the model; runs in each process. */
static Network model() {
  Variable<F32> x = Variable.input("x", F32, -1, 160);
  Variable<I32> y = Variable.input("y", I32, -1);
  Variable<F32> scores = dense("scores", dropout(relu(dense("hidden", x, 64)), 0.2), 10);
  return Network.of(softmaxCrossEntropy(scores, y), scores);
}

void main() {
  try (var ctx = Context.open()) {
    var spark = SparkSession.builder().appName("digits").getOrCreate();
    Map<String, Tensor<?>> data = ctx.loadAll(Path.of("examples", "data", "digits.npz"));
    Dataset<Row> train = frame(spark, data, "train");
    Dataset<Row> test = frame(spark, data, "test");

    var training =
        new DistributedTrainer(ctx, () -> model(), () -> Optimizer.adam(0.003), 1)
            .shards(4)
            .batch(25)
            .averageEvery(3);
    training.train(train, 20);

    Dataset<Row> predicted = RistrettoSpark.predict(test, training.model(), "x");
    var best = expr("array_position(prediction, array_max(prediction)) - 1");
    double accuracy =
        predicted.select(avg(best.equalTo(col("y")).cast("double"))).first().getDouble(0);
    IO.println(String.format(Locale.ROOT, "result: test_accuracy=%.4f", accuracy));
    spark.stop();
  }
}

Dataset<Row> frame(SparkSession spark, Map<String, Tensor<?>> data, String part) {
  float[] x = data.get("x_" + part).toFloatArray();
  int[] y = data.get("y_" + part).toIntArray();
  List<Row> rows = new ArrayList<>();
  for (int k = 0; k < y.length; k++) {
    rows.add(RowFactory.create(Arrays.copyOfRange(x, k * 160, (k + 1) * 160), y[k]));
  }
  return spark.createDataFrame(rows, StructType.fromDDL("x ARRAY<FLOAT>, y INT"));
}
