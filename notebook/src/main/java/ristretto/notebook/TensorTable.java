package ristretto.notebook;

import java.util.stream.LongStream;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;

/** Tensors as HTML: dtype and shape, and a table of the values of vectors and matrices. */
final class TensorTable {
  private static final int MOST_ROWS = 12;
  private static final int MOST_COLUMNS = 12;

  private TensorTable() {}

  static String html(Tensor<?> x) {
    String text = x.toString();
    int end = text.indexOf('\n');
    String values = end < 0 ? "" : text.substring(end + 1);
    var to = new StringBuilder("<div><code>").append(escaped(header(x))).append("</code>");
    int rank = x.shape().rank();
    if (rank == 0 || rank > 2 || x.shape().size() == 0) {
      to.append("<pre>").append(escaped(end < 0 ? text : values)).append("</pre>");
    } else {
      table(to, x);
    }
    return to.append("</div>").toString();
  }

  private static String header(Tensor<?> x) {
    String text = x.dtype().toString();
    return text + x.shape();
  }

  private static void table(StringBuilder to, Tensor<?> x) {
    boolean matrix = x.shape().rank() == 2;
    long rows = matrix ? x.shape().dim(0) : 1;
    long columns = x.shape().dim(matrix ? 1 : 0);
    to.append("<table>");
    to.append("<tr><th></th>");
    for (long c : shown(columns, MOST_COLUMNS)) {
      to.append("<th>").append(c < 0 ? "&hellip;" : c).append("</th>");
    }
    to.append("</tr>");
    for (long r : shown(rows, MOST_ROWS)) {
      to.append("<tr><th>").append(r < 0 ? "&hellip;" : matrix ? r : "").append("</th>");
      for (long c : shown(columns, MOST_COLUMNS)) {
        to.append("<td>");
        to.append(r < 0 || c < 0 ? "&hellip;" : escaped(value(x, matrix, r, c)));
        to.append("</td>");
      }
      to.append("</tr>");
    }
    to.append("</table>");
  }

  private static String value(Tensor<?> x, boolean matrix, long row, long column) {
    Tensor<?> one = matrix ? x.slice(Ops.at(row), Ops.at(column)) : x.slice(Ops.at(column));
    String text = one.toString();
    return text.substring(text.lastIndexOf('\n') + 1).strip().replaceFirst("^[a-z0-9]+\\[\\] ", "");
  }

  /** Numbers of the shown rows or columns; -1 for those that are left out. */
  private static long[] shown(long count, int most) {
    if (count <= most) {
      return LongStream.range(0, count).toArray();
    }
    var some = new long[most + 1];
    for (int k = 0; k < most / 2; k++) {
      some[k] = k;
      some[most - k] = count - 1 - k;
    }
    some[most / 2] = -1;
    return some;
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
