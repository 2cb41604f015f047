package ristretto.spark;

import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.dropout;
import static ristretto.symbolic.Layers.relu;
import static ristretto.symbolic.Layers.softmaxCrossEntropy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.BatchNorm;

/** Spoken digits: 600 utterances for training, 180 of other speakers for tests. */
final class Digits {
  /** Classifier with dropout and batch normalization. */
  static final ModelBuilder MODEL =
      () -> {
        Variable<F32> x = Variable.input("x", Ops.F32, -1, 160);
        Variable<I32> y = Variable.input("y", Ops.I32, -1);
        Variable<F32> hidden = relu(new BatchNorm("norm").of(dense("hidden", x, 64)));
        Variable<F32> scores = dense("scores", dropout(hidden, 0.2), 10);
        return Network.of(softmaxCrossEntropy(scores, y), scores);
      };

  private Digits() {}

  static Map<String, Tensor<?>> tensors(Context ctx) {
    return ctx.loadAll(Path.of("../examples/data/digits.npz"));
  }

  /** Returns the utterances of a part, train or test, with the columns id, x and y. */
  static Dataset<Row> frame(SparkSession spark, Context ctx, String part) {
    Map<String, Tensor<?>> all = tensors(ctx);
    float[] x = all.get("x_" + part).toFloatArray();
    int[] y = all.get("y_" + part).toIntArray();
    List<Row> rows = new ArrayList<>();
    for (int k = 0; k < y.length; k++) {
      rows.add(RowFactory.create(k, Arrays.copyOfRange(x, k * 160, (k + 1) * 160), y[k]));
    }
    var schema =
        new StructType()
            .add("id", DataTypes.IntegerType, false)
            .add("x", DataTypes.createArrayType(DataTypes.FloatType, false), false)
            .add("y", DataTypes.IntegerType, false);
    return spark.createDataFrame(rows, schema);
  }
}
