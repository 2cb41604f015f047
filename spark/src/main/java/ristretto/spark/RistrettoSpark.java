package ristretto.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.Metadata;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;
import ristretto.spark.model.OutputColumn;
import ristretto.spark.plan.PredictPlan;
import ristretto.spark.plan.PredictStrategy;
import ristretto.spark.plan.Prediction;
import ristretto.spark.predict.OpenedModel;
import ristretto.spark.slot.ClusterSettings;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Computing with models over data frames of Apache Spark. */
public final class RistrettoSpark {
  private RistrettoSpark() {}

  /**
   * Sets what executors need in a session to be built: our jars, from the class path of this
   * process, and the options of the JVM with which vector code is compiled early.
   */
  public static org.apache.spark.sql.SparkSession.Builder configure(
      org.apache.spark.sql.SparkSession.Builder builder) {
    return ExecutorSettings.apply(builder);
  }

  /**
   * Adds the first output of a model as the column {@code prediction}; see {@link #predict(Dataset,
   * SparkModel, PredictOptions, String...)}.
   */
  public static Dataset<Row> predict(Dataset<Row> frame, SparkModel model, String... columns) {
    return predict(frame, model, PredictOptions.of(), columns);
  }

  /**
   * Adds outputs of a model as columns: numbers if the output has one per row, else arrays,
   * row-major. Rows and their order stay, and nothing is computed before the result is used. The
   * outputs of a row must depend on this row only, as they do in evaluation.
   *
   * @param columns numbers, arrays of numbers, or vectors of Spark ML. Together they are the rows
   *     of a single input; with several inputs, each has the column of its name
   * @throws ShapeException if columns and inputs, or the names of outputs, do not fit
   */
  public static Dataset<Row> predict(
      Dataset<Row> frame, SparkModel model, PredictOptions options, String... columns) {
    if (!(frame.sparkSession() instanceof SparkSession session)) {
      throw new ShapeException(
          "[predict] the session must run in this process; got one of Spark Connect; submit the"
              + " program to the cluster instead.");
    }
    ClusterSettings.require("predict", session.sparkContext().conf());
    int[] numbers = Arrays.stream(columns).mapToInt(name -> number(frame, name)).toArray();
    List<OutputColumn> outputs;
    int batch;
    try (Context ctx = Context.open("cpu")) {
      OpenedModel opened = model.open(ctx, options.outputs());
      opened.require(frame.schema(), numbers);
      batch = opened.batch(options.batch());
      outputs = opened.outputs();
    }
    List<Attribute> added = new ArrayList<>();
    for (int k = 0; k < outputs.size(); k++) {
      String name = options.outputs().isEmpty() ? "prediction" : options.outputs().get(k);
      if (Arrays.asList(frame.columns()).contains(name)) {
        throw new ShapeException(
            "[predict] a frame must have no column '%s', which the prediction adds; got %s; rename or drop it."
                .formatted(name, Arrays.toString(frame.columns())));
      }
      added.add(
          new AttributeReference(
              name,
              outputs.get(k).type(),
              true,
              Metadata.empty(),
              NamedExpression.newExprId(),
              PredictPlan.seq(List.of())));
    }
    var prediction =
        new Prediction(
            JavaSparkContext.fromSparkContext(session.sparkContext()).broadcast(model),
            options.outputs(),
            batch,
            options.badRows() == BadRows.NULL,
            session.sparkContext().longAccumulator("ristretto: bad rows"));
    LogicalPlan plan =
        ((org.apache.spark.sql.classic.Dataset<Row>) frame).queryExecution().analyzed();
    List<Attribute> all = CollectionConverters.asJava(plan.output());
    List<Attribute> keys =
        options.key().isEmpty() ? List.of() : List.of(all.get(number(frame, options.key())));
    PredictStrategy.addTo(session);
    var predicted =
        new PredictPlan(
            PredictPlan.seq(Arrays.stream(numbers).mapToObj(all::get).toList()),
            PredictPlan.seq(keys),
            PredictPlan.seq(added),
            prediction,
            plan);
    return org.apache.spark.sql.classic.Dataset.ofRows(session, named(predicted, all, added));
  }

  /**
   * Gives the predictions names of their own in the plan: where a frame is joined with itself, the
   * analyzer makes other names for those of projections only.
   */
  private static LogicalPlan named(PredictPlan plan, List<Attribute> rows, List<Attribute> added) {
    List<NamedExpression> all = new ArrayList<>(rows);
    for (Attribute a : added) {
      all.add(
          new Alias(
              a,
              a.name(),
              NamedExpression.newExprId(),
              PredictPlan.seq(List.of()),
              Option.empty(),
              PredictPlan.seq(List.of())));
    }
    return new Project(PredictPlan.seq(all), plan);
  }

  private static int number(Dataset<Row> frame, String name) {
    int number = Arrays.asList(frame.columns()).indexOf(name);
    if (number < 0) {
      throw new ShapeException(
          "[predict] a column must be one of the frame's, %s; got '%s'; choose one of these."
              .formatted(Arrays.toString(frame.columns()), name));
    }
    return number;
  }
}
