package ristretto.symbolic.layers.operator;

import java.util.OptionalInt;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Variable;

/** Check that class labels are classes of logits. */
public final class ClassLabels {
  private ClassLabels() {}

  /**
   * Requires, before each run, that labels are classes, if they are an input.
   *
   * @param op name of the loss for the message
   * @param logits {@code [..., classes]}
   * @param ignored label of rows that do not count
   */
  public static void require(
      OperatorContext x, String op, Variable<?> logits, Variable<I32> labels, OptionalInt ignored) {
    Shape shape = x.get(logits).shape();
    long classes = shape.at(shape.rank() - 1);
    x.limit(
        labels,
        label ->
            label >= 0 && label < classes || ignored.isPresent() && ignored.getAsInt() == label,
        label ->
            "[%s] labels must be classes from 0 to %s%s; got %s in %s; %s."
                .formatted(
                    op,
                    classes - 1,
                    ignored.isPresent() ? ", or " + ignored.getAsInt() + " to be ignored" : "",
                    label,
                    labels,
                    label < 0
                        ? "CrossEntropyOptions.of().ignore(%s) leaves such rows out"
                            .formatted(label)
                        : "correct the labels, or make the logits wider"));
  }
}
