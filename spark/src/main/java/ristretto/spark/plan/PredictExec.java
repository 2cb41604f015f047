package ristretto.spark.plan;

import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnaryExecNode;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import ristretto.spark.predict.RowSettings;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Adds predictions to rows or to columnar batches, whichever the child has. */
public final class PredictExec extends SparkPlan implements UnaryExecNode {
  private static final long serialVersionUID = 1L;

  private final Seq<Attribute> columns;
  private final Seq<Attribute> keys;
  private final Seq<Attribute> kept;
  private final Seq<Attribute> predictions;
  private final Prediction prediction;
  private final SparkPlan child;

  /**
   * Creates a plan; see {@link PredictPlan}.
   *
   * @param kept columns of the child that later plans need
   */
  public PredictExec(
      Seq<Attribute> columns,
      Seq<Attribute> keys,
      Seq<Attribute> kept,
      Seq<Attribute> predictions,
      Prediction prediction,
      SparkPlan child) {
    this.columns = columns;
    this.keys = keys;
    this.kept = kept;
    this.predictions = predictions;
    this.prediction = prediction;
    this.child = child;
  }

  @Override
  public SparkPlan child() {
    return child;
  }

  @Override
  public Seq<SparkPlan> children() {
    return PredictPlan.seq(List.of(child));
  }

  @Override
  public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> others) {
    return withNewChildInternal(others.head());
  }

  @Override
  public SparkPlan withNewChildInternal(SparkPlan other) {
    return new PredictExec(columns, keys, kept, predictions, prediction, other);
  }

  @Override
  public Seq<Attribute> output() {
    return PredictPlan.appended(kept, predictions);
  }

  @Override
  public AttributeSet producedAttributes() {
    return PredictPlan.set(predictions);
  }

  @Override
  public Partitioning outputPartitioning() {
    return child.outputPartitioning();
  }

  @Override
  public Seq<SortOrder> outputOrdering() {
    return child.outputOrdering();
  }

  @Override
  public boolean supportsColumnar() {
    return child.supportsColumnar();
  }

  private RowSettings settings() {
    List<Attribute> all = CollectionConverters.asJava(child.output());
    return new RowSettings(
        schema(child.output()),
        numbers(all, columns),
        numbers(all, kept),
        prediction.batch(),
        prediction.nullForBad(),
        keys.isEmpty() ? -1 : number(all, keys.head()));
  }

  private static int[] numbers(List<Attribute> all, Seq<Attribute> some) {
    return CollectionConverters.asJava(some).stream().mapToInt(c -> number(all, c)).toArray();
  }

  private static int number(List<Attribute> all, Attribute column) {
    for (int k = 0; k < all.size(); k++) {
      if (all.get(k).exprId().equals(column.exprId())) {
        return k;
      }
    }
    throw new IllegalStateException(column + " is not in " + all);
  }

  private static StructType schema(Seq<Attribute> attributes) {
    var schema = new StructType();
    for (Attribute a : CollectionConverters.asJava(attributes)) {
      schema = schema.add(a.name(), a.dataType(), a.nullable());
    }
    return schema;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    RowSettings settings = settings();
    StructType added = schema(predictions);
    Prediction with = prediction;
    FlatMapFunction<Iterator<InternalRow>, InternalRow> task =
        rows -> with.ofRows(rows, settings, added);
    return child.execute().toJavaRDD().mapPartitions(task).setName(nodeName()).rdd();
  }

  @Override
  public RDD<ColumnarBatch> doExecuteColumnar() {
    RowSettings settings = settings();
    StructType added = schema(predictions);
    Prediction with = prediction;
    FlatMapFunction<Iterator<ColumnarBatch>, ColumnarBatch> task =
        batches -> with.ofColumns(batches, settings, added);
    return child.executeColumnar().toJavaRDD().mapPartitions(task).setName(nodeName()).rdd();
  }

  @Override
  public String nodeName() {
    return "RistrettoPredict";
  }

  @Override
  public int productArity() {
    return 6;
  }

  @Override
  public Object productElement(int n) {
    return switch (n) {
      case 0 -> columns;
      case 1 -> keys;
      case 2 -> kept;
      case 3 -> predictions;
      case 4 -> prediction;
      default -> child;
    };
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof PredictExec;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof PredictExec other
        && columns.equals(other.columns)
        && keys.equals(other.keys)
        && kept.equals(other.kept)
        && predictions.equals(other.predictions)
        && prediction.equals(other.prediction)
        && child.equals(other.child);
  }

  @Override
  public int hashCode() {
    return Objects.hash(columns, keys, kept, predictions, prediction, child);
  }
}
