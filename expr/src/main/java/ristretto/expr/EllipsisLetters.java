package ristretto.expr;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.ShapeException;

/**
 * Assigns a letter to each axis behind an ellipsis of an einsum equation, counted from the last
 * axis, and broadcasts such axes of extent 1.
 *
 * @param inputs letters of each operand
 * @param operands operands with broadcast ellipsis axes
 * @param letters letters that an ellipsis in the result stands for
 */
record EllipsisLetters<T>(List<String> inputs, List<Expr<T>> operands, String letters) {
  static final String ELLIPSIS = "...";

  /**
   * Maximal number of ellipsis axes; their letters are control characters, which no equation
   * contains.
   */
  private static final int MOST = 31;

  static <T> EllipsisLetters<T> of(String equation, String[] inputs, List<Expr<T>> operands) {
    var counts = new int[inputs.length];
    int most = 0;
    for (int k = 0; k < inputs.length; k++) {
      if (inputs[k].contains(ELLIPSIS)) {
        counts[k] = operands.get(k).shape().rank() - (inputs[k].length() - ELLIPSIS.length());
        if (counts[k] < 0 || counts[k] > MOST) {
          throw new ShapeException(
              "[einsum] an operand must have one axis for each letter beside the ellipsis; got \""
                  + inputs[k]
                  + "\" for "
                  + operands.get(k).label()
                  + " in \""
                  + equation
                  + "\".");
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
        common[axis] = extent == 1 ? common[axis] : extent;
      }
    }
    var written = new ArrayList<String>();
    var expanded = new ArrayList<Expr<T>>();
    for (int k = 0; k < inputs.length; k++) {
      int at = inputs[k].indexOf(ELLIPSIS);
      written.add(inputs[k].replace(ELLIPSIS, last(counts[k])));
      Expr<T> operand = operands.get(k);
      if (counts[k] > 0) {
        long[] dims = operand.shape().toArray();
        for (int d = 0; d < counts[k]; d++) {
          long extent = common[most - counts[k] + d];
          if (dims[at + d] != 1 && dims[at + d] != extent) {
            throw new ShapeException(
                "[einsum] axes that an ellipsis stands for must broadcast; got "
                    + dims[at + d]
                    + " and "
                    + extent
                    + " in \""
                    + equation
                    + "\" with "
                    + operand.label()
                    + ".");
          }
          dims[at + d] = extent;
        }
        operand = operand.expand(dims);
      }
      expanded.add(operand);
    }
    return new EllipsisLetters<>(written, expanded, last(most));
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
