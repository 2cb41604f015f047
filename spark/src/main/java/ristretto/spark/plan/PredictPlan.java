package ristretto.spark.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.UnaryNode;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Rows of a plan with predictions as further columns. */
public final class PredictPlan extends LogicalPlan implements UnaryNode {
  private static final long serialVersionUID = 1L;

  private final Seq<Attribute> columns;
  private final Seq<Attribute> keys;
  private final Seq<Attribute> predictions;
  private final Prediction prediction;
  private final LogicalPlan child;

  /**
   * Creates a plan.
   *
   * @param columns columns that are inputs of the model
   * @param keys the column that names rows in errors, or none
   * @param predictions columns that are added
   */
  public PredictPlan(
      Seq<Attribute> columns,
      Seq<Attribute> keys,
      Seq<Attribute> predictions,
      Prediction prediction,
      LogicalPlan child) {
    this.columns = columns;
    this.keys = keys;
    this.predictions = predictions;
    this.prediction = prediction;
    this.child = child;
  }

  /** Returns a sequence of Scala. */
  public static <T> Seq<T> seq(List<T> list) {
    return CollectionConverters.asScala(list).toList();
  }

  static <T> Seq<T> appended(Seq<T> some, Seq<T> more) {
    List<T> all = new ArrayList<>(CollectionConverters.asJava(some));
    all.addAll(CollectionConverters.asJava(more));
    return seq(all);
  }

  static AttributeSet set(Seq<Attribute> attributes) {
    List<Expression> all = new ArrayList<>(CollectionConverters.asJava(attributes));
    return AttributeSet.apply(seq(all));
  }

  Seq<Attribute> columns() {
    return columns;
  }

  Seq<Attribute> keys() {
    return keys;
  }

  Seq<Attribute> predictions() {
    return predictions;
  }

  Prediction prediction() {
    return prediction;
  }

  @Override
  public LogicalPlan child() {
    return child;
  }

  @Override
  public Seq<LogicalPlan> children() {
    return seq(List.of(child));
  }

  @Override
  public LogicalPlan withNewChildrenInternal(IndexedSeq<LogicalPlan> others) {
    return withNewChildInternal(others.head());
  }

  @Override
  public LogicalPlan withNewChildInternal(LogicalPlan other) {
    return new PredictPlan(columns, keys, predictions, prediction, other);
  }

  @Override
  public Seq<Attribute> output() {
    return appended(child.output(), predictions);
  }

  @Override
  public AttributeSet producedAttributes() {
    return set(predictions);
  }

  @Override
  public String nodeName() {
    return "RistrettoPredict";
  }

  @Override
  public int productArity() {
    return 5;
  }

  @Override
  public Object productElement(int n) {
    return switch (n) {
      case 0 -> columns;
      case 1 -> keys;
      case 2 -> predictions;
      case 3 -> prediction;
      default -> child;
    };
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof PredictPlan;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof PredictPlan other
        && columns.equals(other.columns)
        && keys.equals(other.keys)
        && predictions.equals(other.predictions)
        && prediction.equals(other.prediction)
        && child.equals(other.child);
  }

  @Override
  public int hashCode() {
    return Objects.hash(columns, keys, predictions, prediction, child);
  }
}
