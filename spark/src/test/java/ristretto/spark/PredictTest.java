package ristretto.spark;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.tanh;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.I64;
import ristretto.nnet3.cli.Command;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.matrix.Matrix;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.FormulaOperator;
import ristretto.symbolic.graph.Variable;

class PredictTest {
  private static final int WIDTH = 5;

  private static final ModelBuilder BUILDER =
      () -> {
        Variable<F32> x = Variable.input("x", Ops.F32, -1, WIDTH);
        return Network.predicting(dense("out", tanh(dense("hidden", x, 7)), 3));
      };

  private static SparkSession spark;
  private static Context ctx;
  private static Executor executor;
  private static Variable<F32> output;
  private static SparkModel model;

  @BeforeAll
  @SuppressWarnings("unchecked")
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "3")
            .getOrCreate();
    ctx = Context.open("cpu");
    output = (Variable<F32>) BUILDER.build().outputs().get(0);
    executor = new Executor(ctx, 3, output);
    model = SparkModel.symbolic(BUILDER, executor);
  }

  @AfterAll
  static void stop() {
    spark.stop();
    ctx.close();
  }

  private static String[] features() {
    return IntStream.range(0, WIDTH).mapToObj(k -> "c" + k).toArray(String[]::new);
  }

  private static Dataset<Row> frame(long rows, int partitions) {
    List<Column> columns = new ArrayList<>(List.of(col("id")));
    for (int k = 0; k < WIDTH; k++) {
      Column c = col("id").multiply(k + 3).mod(17).divide(17).cast("float");
      columns.add(c.alias("c" + k));
    }
    return spark.range(0, rows, 1, partitions).toDF("id").select(columns.toArray(Column[]::new));
  }

  /** Computes a row alone, without Spark. */
  private static float[] expected(long id) {
    var x = new float[WIDTH];
    for (int k = 0; k < WIDTH; k++) {
      x[k] = (float) (id * (k + 3) % 17 / 17.0);
    }
    return expected(x);
  }

  @SuppressWarnings("unchecked")
  private static float[] expected(float[] x) {
    executor.set((Variable<F32>) executor.inputs().get(0), ctx.tensor(new float[][] {x}));
    executor.forward();
    return executor.tensor(output).toFloatArray();
  }

  private static void requireExpected(Row row) {
    List<Float> got = row.getList(row.fieldIndex("prediction"));
    float[] wanted = expected(row.getLong(row.fieldIndex("id")));
    assertThat(got).hasSize(wanted.length);
    for (int k = 0; k < wanted.length; k++) {
      assertThat(got.get(k)).isCloseTo(wanted[k], within(1e-5f));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 15, 16, 17, 100, 2049})
  void addsPredictionsToRowsInOrder(long rows) {
    Dataset<Row> made =
        RistrettoSpark.predict(frame(rows, 3), model, PredictOptions.of().batch(16), features());
    List<Row> all = made.collectAsList();
    assertThat(made.columns()).containsExactly("id", "c0", "c1", "c2", "c3", "c4", "prediction");
    assertThat(all.stream().map(r -> r.getLong(0)).toList())
        .containsExactlyElementsOf(LongStream.range(0, rows).boxed().toList());
    all.forEach(PredictTest::requireExpected);
  }

  @Test
  void readsColumnarBatchesOfCachedFramesAndOfParquetFiles(@TempDir Path folder) {
    Dataset<Row> cached = frame(1000, 3).cache();
    String file = folder.resolve("rows.parquet").toString();
    frame(1000, 3).write().parquet(file);
    for (Dataset<Row> source : List.of(cached, spark.read().parquet(file))) {
      Dataset<Row> made =
          RistrettoSpark.predict(source, model, PredictOptions.of().batch(64), features());
      List<Row> all = made.collectAsList();
      assertThat(all.stream().map(r -> r.getLong(0)).sorted().toList())
          .containsExactlyElementsOf(LongStream.range(0, 1000).boxed().toList());
      all.forEach(PredictTest::requireExpected);
    }
    cached.unpersist();
  }

  @Test
  void readsArraysAndNumbersOfOtherTypes() {
    Dataset<Row> arrays =
        frame(50, 2)
            .select(
                col("id"),
                array(col("c0"), col("c1")).alias("a"),
                col("c2").cast("double"),
                array(col("c3").cast("double"), col("c4").cast("double")).alias("b"));
    List<Row> all = RistrettoSpark.predict(arrays, model, "a", "c2", "b").collectAsList();
    assertThat(all).hasSize(50);
    all.forEach(PredictTest::requireExpected);
  }

  @Test
  void composesWithShufflesBeforeAndAfter() {
    Dataset<Row> shuffled = frame(300, 4).repartition(5, col("id")).filter(col("id").gt(10));
    Dataset<Row> made =
        RistrettoSpark.predict(shuffled, model, features())
            .orderBy(col("id").desc())
            .select("id", "prediction")
            .limit(20);
    List<Row> all = made.collectAsList();
    assertThat(all).hasSize(20);
    assertThat(all.get(0).getLong(0)).isEqualTo(299);
    all.forEach(PredictTest::requireExpected);
  }

  @Test
  void columnsThatNobodyNeedsAreNotKept() {
    Dataset<Row> wide = frame(100, 2).withColumn("unused", col("id").plus(1));
    Dataset<Row> made = RistrettoSpark.predict(wide, model, features()).select("prediction", "id");
    String plan = ((org.apache.spark.sql.classic.Dataset<Row>) made).queryExecution().toString();
    String optimized = plan.substring(plan.indexOf("== Optimized"));
    assertThat(optimized).contains("RistrettoPredict").doesNotContain("unused");
    List<Row> all = made.collectAsList();
    assertThat(all).hasSize(100);
    all.forEach(PredictTest::requireExpected);
  }

  @Test
  void aPredictedFrameIsJoinedWithItselfAndUnited() {
    Dataset<Row> made = RistrettoSpark.predict(frame(30, 2), model, features());
    Dataset<Row> pairs =
        made.alias("a").join(made.alias("b"), col("a.id").equalTo(col("b.id").minus(1)));
    assertThat(pairs.count()).isEqualTo(29);
    List<Row> both =
        pairs
            .select(col("a.id").alias("id"), col("a.prediction").alias("prediction"))
            .collectAsList();
    both.forEach(PredictTest::requireExpected);
    assertThat(made.union(made).distinct().count()).isEqualTo(30);
    assertThat(made.filter(col("id").lt(3)).cache().count()).isEqualTo(3);
  }

  @Test
  void badRowsStopOrGetNull() {
    Dataset<Row> frame = frame(40, 2).withColumn("c1", when(col("id").notEqual(33), col("c1")));
    PredictOptions options = PredictOptions.of().key("id");
    assertThatThrownBy(
            () -> RistrettoSpark.predict(frame, model, options, features()).collectAsList())
        .rootCause()
        .hasMessage(
            "[predict] column 'c1' must not be null; in row id=33; mend the data, or choose"
                + " badRows(BadRows.NULL).");
    assertThatThrownBy(() -> RistrettoSpark.predict(frame, model, features()).collectAsList())
        .rootCause()
        .hasMessage(
            "[predict] column 'c1' must not be null; in row 13 of partition 1; mend the data, or"
                + " choose badRows(BadRows.NULL).");
    List<Row> all =
        RistrettoSpark.predict(frame, model, options.badRows(BadRows.NULL), features())
            .collectAsList();
    assertThat(all).hasSize(40);
    for (Row row : all) {
      if (row.getLong(0) == 33) {
        assertThat(row.isNullAt(row.fieldIndex("prediction"))).isTrue();
      } else {
        requireExpected(row);
      }
    }
    Dataset<Row> uneven =
        spark
            .range(0, 3, 1, 1)
            .select(col("id"), expr("array_repeat(1.0f, int(id) + 4)").alias("a"));
    assertThatThrownBy(() -> RistrettoSpark.predict(uneven, model, options, "a").collectAsList())
        .rootCause()
        .hasMessage(
            "[predict] the row must have 5 numbers for input 'x'; got 4; in row id=0; mend the"
                + " data, or choose badRows(BadRows.NULL).");
  }

  @Test
  void anOnnxModelPredictsTheSame(@TempDir Path folder) {
    Path file = folder.resolve("model.onnx");
    executor.exportOnnx(file, output);
    List<Row> all =
        RistrettoSpark.predict(frame(100, 2), SparkModel.onnx(file), features()).collectAsList();
    assertThat(all).hasSize(100);
    all.forEach(PredictTest::requireExpected);
  }

  @Test
  void severalInputsHaveTheColumnsOfTheirNames() {
    ModelBuilder two =
        () -> {
          Variable<F32> x = Variable.input("x", Ops.F32, -1, 2);
          Variable<I64> row = Variable.input("row", Ops.I64, -1);
          Variable<F32> sum =
              FormulaOperator.apply(
                  "sum", Ops.F32, v -> Ops.sum(v.get(x), 1).plus(v.get(row).cast(Ops.F32)), x, row);
          return Network.predicting(sum, row.plus(1));
        };
    SparkModel adds = SparkModel.symbolic(two, new Executor(ctx, two.build().outputs().get(0)));
    Dataset<Row> frame =
        spark
            .range(0, 10, 1, 2)
            .select(col("id").alias("row"), array(lit(0.5f), col("id").cast("float")).alias("x"));
    Dataset<Row> made = RistrettoSpark.predict(frame, adds, "row", "x");
    assertThat(made.schema().apply("prediction").dataType()).isEqualTo(DataTypes.FloatType);
    made.collectAsList().forEach(r -> assertThat(r.getFloat(2)).isEqualTo(2 * r.getLong(0) + 0.5f));
    assertThatThrownBy(() -> RistrettoSpark.predict(frame, adds, "x"))
        .hasMessage(
            "[predict] each input of a model with several must have the column of its name; got"
                + " inputs [row, x] and columns [x]; rename the columns with withColumnRenamed.");
  }

  @Test
  void networksOfKaldiComputeUtterances(@TempDir Path folder) {
    String network = "../examples/nnet3/digits/final.raw";
    String features = "ark:../examples/nnet3/digits/test.feats.ark";
    String outputs = "ark:" + folder.resolve("outputs");
    assertThat(Command.run("nnet3-compute", network, features, outputs)).isZero();
    List<Row> rows = new ArrayList<>();
    try (var table = TableReader.open(features, Holder.MATRIX)) {
      for (int k = 0; table.next() && k < 30; k++) {
        rows.add(RowFactory.create(table.key(), nested(table.value())));
      }
    }
    rows.add(RowFactory.create("null", null));
    rows.add(RowFactory.create("narrow", new float[][] {{1, 2}}));
    rows.add(RowFactory.create("empty", new float[0][]));
    Dataset<Row> frame =
        spark
            .createDataFrame(rows, StructType.fromDDL("key STRING, feats ARRAY<ARRAY<FLOAT>>"))
            .repartition(3);
    SparkModel model = SparkModel.nnet3(network);
    Map<String, Row> all = new HashMap<>();
    RistrettoSpark.predict(frame, model, PredictOptions.of().badRows(BadRows.NULL), "feats")
        .collectAsList()
        .forEach(row -> all.put(row.getString(0), row));
    assertThat(all).hasSize(33);
    for (String bad : List.of("null", "narrow", "empty")) {
      assertThat(all.get(bad).isNullAt(2)).isTrue();
    }
    try (var table = TableReader.open(outputs, Holder.MATRIX)) {
      for (int k = 0; table.next() && k < 30; k++) {
        List<scala.collection.Seq<Float>> got = all.get(table.key()).getList(2);
        assertThat(got).hasSize(table.value().rows());
        for (int t = 0; t < got.size(); t += 7) {
          for (int c = 0; c < table.value().cols(); c++) {
            float wanted = table.value().data()[t * table.value().cols() + c];
            assertThat(got.get(t).apply(c)).isCloseTo(wanted, within(1e-3f));
          }
        }
      }
    }
    assertThatThrownBy(() -> RistrettoSpark.predict(frame, model, "key"))
        .hasMessage(
            "[predict] the columns of a network must be features, array<array<float>>; got [key"
                + " string]; cast them.");
    PredictOptions keyed = PredictOptions.of().key("key");
    assertThatThrownBy(() ->
            RistrettoSpark.predict(
                    frame.filter(col("key").equalTo("narrow")), model, keyed, "feats")
                .collectAsList())
        .rootCause()
        .hasMessage(
            "[predict] a frame must have 20 numbers; got 2; in row key=narrow; mend the data, or"
                + " choose badRows(BadRows.NULL).");
  }

  private static float[][] nested(Matrix matrix) {
    var rows = new float[matrix.rows()][];
    for (int t = 0; t < rows.length; t++) {
      rows[t] = Arrays.copyOfRange(matrix.data(), t * matrix.cols(), (t + 1) * matrix.cols());
    }
    return rows;
  }

  @Test
  void wrongUseIsTold() {
    Dataset<Row> frame = frame(3, 1).withColumn("text", lit("a"));
    assertThatThrownBy(() -> RistrettoSpark.predict(frame, model, "c0", "c1"))
        .hasMessage(
            "[predict] the columns must be as many as a row of input 'x' [?,5] has elements; got 2"
                + " [c0, c1]; name others.");
    assertThatThrownBy(() -> RistrettoSpark.predict(frame, model, "c9"))
        .hasMessage(
            "[predict] a column must be one of the frame's, [id, c0, c1, c2, c3, c4, text]; got"
                + " 'c9'; choose one of these.");
    assertThatThrownBy(() -> RistrettoSpark.predict(frame, model, "text"))
        .hasMessage(
            "[predict] a column must have numbers, arrays of numbers or vectors; got 'text' of type"
                + " string; cast it, or leave it out.");
    assertThatThrownBy(() ->
            RistrettoSpark.predict(
                frame.withColumnRenamed("text", "prediction"), model, features()))
        .hasMessage(
            "[predict] a frame must have no column 'prediction', which the prediction adds; got"
                + " [id, c0, c1, c2, c3, c4, prediction]; rename or drop it.");
    assertThatThrownBy(() ->
            RistrettoSpark.predict(frame, model, PredictOptions.of().outputs("y"), features()))
        .hasMessageStartingWith("[predict] an output must be one of the model's, [");
    assertThatThrownBy(() -> PredictOptions.of().batch(0))
        .hasMessage(
            "[predict] a batch must have at least 1 row; got 0; leave it at 1024 unless memory is"
                + " short.");
  }
}
