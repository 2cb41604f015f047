package ristretto.expr.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import ristretto.expr.dim.UnknownDims;
import ristretto.kernels.ShapeException;

/**
 * Assigns a letter to each axis behind an ellipsis of an einsum equation, counted from the last
 * axis, and broadcasts such axes of extent 1.
 *
 * @param inputs letters of each operand
 * @param operands operands with broadcast ellipsis axes
 * @param letters letters that an ellipsis in the result stands for
 */
public record EinsumEllipsis<E extends Term>(
    List<String> inputs, List<E> operands, String letters) {
  /** Text of an ellipsis in an equation. */
  public static final String ELLIPSIS = "...";

  /**
   * Maximal number of ellipsis axes; their letters are control characters, which no equation
   * contains.
   */
  private static final int MOST = 31;

  /**
   * Assigns letters to the axes of the operands of an equation.
   *
   * @param expand broadcasts an operand to extents
   */
  public static <E extends Term> EinsumEllipsis<E> of(
      String equation, String[] inputs, List<E> operands, BiFunction<E, long[], E> expand) {
    var counts = new int[inputs.length];
    int most = 0;
    for (int k = 0; k < inputs.length; k++) {
      if (inputs[k].contains(ELLIPSIS)) {
        counts[k] = operands.get(k).shape().rank() - (inputs[k].length() - ELLIPSIS.length());
        if (counts[k] < 0 || counts[k] > MOST) {
          throw new ShapeException(
              ("[einsum] an operand must have one axis per letter besides the ellipsis; got \"%s\""
                      + " for %s in \"%s\".")
                  .formatted(inputs[k], operands.get(k).label(), equation));
        }
        most = Math.max(most, counts[k]);
      }
    }
    var common = new long[most];
    java.util.Arrays.fill(common, 1);
    for (int k = 0; k < inputs.length; k++) {
      for (int d = 0; d < counts[k]; d++) {
        long extent = operands.get(k).shape().at(inputs[k].indexOf(ELLIPSIS) + d);
        int axis = most - counts[k] + d;
        common[axis] = UnknownDims.broadcast(extent, common[axis]);
      }
    }
    var written = new ArrayList<String>();
    var expanded = new ArrayList<E>();
    for (int k = 0; k < inputs.length; k++) {
      int at = inputs[k].indexOf(ELLIPSIS);
      written.add(inputs[k].replace(ELLIPSIS, last(counts[k])));
      E operand = operands.get(k);
      if (counts[k] > 0) {
        long[] dims = operand.shape().extents();
        for (int d = 0; d < counts[k]; d++) {
          long extent = common[most - counts[k] + d];
          if (!UnknownDims.canBroadcast(dims[at + d], extent)) {
            throw new ShapeException(
                ("[einsum] axes covered by an ellipsis must broadcast; got %s and %s in \"%s\" with"
                        + " %s.")
                    .formatted(dims[at + d], extent, equation, operand.label()));
          }
          dims[at + d] = extent;
        }
        operand = expand.apply(operand, dims);
      }
      expanded.add(operand);
    }
    return new EinsumEllipsis<>(written, expanded, last(most));
  }

  /** Letters of the last {@code n} axes. */
  private static String last(int n) {
    var text = new StringBuilder();
    for (int d = n; d > 0; d--) {
      text.append((char) d);
    }
    return text.toString();
  }
}
