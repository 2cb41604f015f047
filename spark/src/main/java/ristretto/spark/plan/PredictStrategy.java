package ristretto.spark.plan;

import java.util.List;
import org.apache.spark.sql.ExperimentalMethods;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Plans predictions. */
public final class PredictStrategy extends SparkStrategy {
  private static final long serialVersionUID = 1L;

  private static final PredictStrategy INSTANCE = new PredictStrategy();

  private PredictStrategy() {}

  /** Adds the strategy to a session, unless it has it. */
  public static void addTo(SparkSession session) {
    synchronized (INSTANCE) {
      ExperimentalMethods methods = session.experimental();
      if (!methods.extraStrategies().contains(INSTANCE)) {
        methods.extraStrategies_$eq(
            PredictPlan.appended(methods.extraStrategies(), PredictPlan.seq(List.of(INSTANCE))));
      }
    }
  }

  @Override
  public Seq<SparkPlan> apply(LogicalPlan plan) {
    return PredictPlan.seq(
        switch (plan) {
          case PredictPlan p -> List.of(physical(p, p.child().output()));
          case Project project when project.child() instanceof PredictPlan p ->
              List.of(
                  new ProjectExec(
                      project.projectList(), physical(p, needed(p.child(), project.references()))));
          default -> List.of();
        });
  }

  private SparkPlan physical(PredictPlan p, Seq<Attribute> kept) {
    return new PredictExec(
        p.columns(), p.keys(), kept, p.predictions(), p.prediction(), planLater(p.child()));
  }

  private static Seq<Attribute> needed(LogicalPlan child, AttributeSet references) {
    return PredictPlan.seq(
        CollectionConverters.asJava(child.output()).stream().filter(references::contains).toList());
  }
}
