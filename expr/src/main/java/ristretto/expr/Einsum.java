package ristretto.expr;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.graph.ContractionOrder;
import ristretto.expr.graph.ContractionOrder.Pair;
import ristretto.expr.graph.EinsumEllipsis;
import ristretto.kernels.ShapeException;

/**
 * Einstein summation. Operands are multiplied two at a time, in the order of {@link
 * ContractionOrder}; each pair is a batched matrix product over the summed letters, or an
 * element-wise product if no letter is summed.
 */
final class Einsum {
  private Einsum() {}

  private record Term<T>(Expr<T> expr, String letters) {}

  static <T> Expr<T> of(String equation, List<Expr<T>> operands) {
    String text = equation.replace(" ", "");
    int arrow = text.indexOf("->");
    String left = arrow < 0 ? text : text.substring(0, arrow);
    String[] written = left.split(",", -1);
    if (written.length != operands.size()
        || !List.of(written).stream().allMatch(s -> s.matches("[a-zA-Z]*(\\.\\.\\.)?[a-zA-Z]*"))) {
      throw new ShapeException(
          ("[einsum] the equation must name the axes of each operand by letters, as in"
                  + " \"ij,jk->ik\"; got \"%s\" for %s%s")
              .formatted(
                  equation, operands.size(), operands.size() == 1 ? " operand." : " operands."));
    }
    EinsumEllipsis<Expr<T>> named = EinsumEllipsis.of(equation, written, operands, Expr::expand);
    List<String> inputs = named.inputs();
    String output =
        arrow < 0
            ? named.letters() + implicitOutput(left.replace(".", ""))
            : text.substring(arrow + 2).replace(EinsumEllipsis.ELLIPSIS, named.letters());
    var terms = new ArrayList<Term<T>>();
    long[] extents = new long[128];
    for (int k = 0; k < inputs.size(); k++) {
      terms.add(diagonals(equation, new Term<>(named.operands().get(k), inputs.get(k)), extents));
    }
    for (int k = 0; k < output.length(); k++) {
      char c = output.charAt(k);
      if (inputs.stream().noneMatch(s -> s.indexOf(c) >= 0) || output.indexOf(c) != k) {
        throw new ShapeException(
            ("[einsum] each letter of the result must occur there once, and in an operand; got '%s'"
                    + " in \"%s\".")
                .formatted(c, equation));
      }
    }
    List<Pair> pairs = pairs(terms, output, extents);
    for (Pair pair : pairs) {
      Term<T> a = terms.set(pair.left(), null);
      Term<T> b = terms.set(pair.right(), null);
      String needed = remaining(terms, output);
      a = sumAbsent(a, b.letters + needed);
      terms.add(multiply(a, sumAbsent(b, a.letters + needed), needed, extents));
    }
    return order(sumAbsent(terms.getLast(), output), output);
  }

  private static <T> List<Pair> pairs(List<Term<T>> terms, String output, long[] extents) {
    var names = new StringBuilder();
    terms.forEach(t ->
        t.letters
            .chars()
            .forEach(c -> {
              if (names.indexOf(Character.toString(c)) < 0) {
                names.append((char) c);
              }
            }));
    double[] sizes = names.chars().mapToDouble(c -> extents[c] - 1).toArray();
    boolean known = names.chars().allMatch(c -> UnknownDims.isKnown(extents[c] - 1));
    if (!known || sizes.length > Long.SIZE) {
      return ContractionOrder.leftToRight(terms.size());
    }
    long[] letters = terms.stream().mapToLong(t -> bits(t.letters, names)).toArray();
    return new ContractionOrder(letters, bits(output, names), sizes).best();
  }

  private static long bits(String letters, StringBuilder names) {
    return letters
        .chars()
        .mapToLong(c -> 1L << names.indexOf(Character.toString(c)))
        .reduce(0, (a, b) -> a | b);
  }

  private static String implicitOutput(String left) {
    String all = left.replace(",", "");
    var once = new TreeSet<Character>();
    for (char c : all.toCharArray()) {
      if (all.indexOf(c) == all.lastIndexOf(c)) {
        once.add(c);
      }
    }
    var text = new StringBuilder();
    once.forEach(text::append);
    return text.toString();
  }

  private static <T> String remaining(List<Term<T>> terms, String output) {
    var text = new StringBuilder(output);
    for (Term<T> term : terms) {
      text.append(term == null ? "" : term.letters);
    }
    return text.toString();
  }

  /** Checks extents and takes the diagonal for each letter that occurs twice in an operand. */
  private static <T> Term<T> diagonals(String equation, Term<T> term, long[] extents) {
    Expr<T> e = term.expr;
    StringBuilder letters = new StringBuilder(term.letters);
    if (letters.length() != e.shape().rank()) {
      throw new ShapeException(
          "[einsum] an operand must have one letter per axis; got \"%s\" for %s in \"%s\"."
              .formatted(letters, e.label(), equation));
    }
    for (int d = 0; d < letters.length(); d++) {
      char c = letters.charAt(d);
      long extent = e.shape().at(d);
      if (extents[c] != 0 && !UnknownDims.canEqual(extents[c] - 1, extent)) {
        throw new ShapeException(
            ("[einsum] axes with the same letter must have equal extents; got '%s' with %s and %s"
                    + " in \"%s\".")
                .formatted(c, extents[c] - 1, extent, equation));
      }
      extents[c] = extents[c] == 0 ? extent + 1 : UnknownDims.equal(extents[c] - 1, extent) + 1;
    }
    for (int d = 0; d < letters.length(); d++) {
      int other = letters.indexOf(letters.substring(d, d + 1), d + 1);
      if (other >= 0) {
        int last = letters.length() - 1;
        e =
            ArrayManipulation.diagonal(
                e.swapAxes(other, last).swapAxes(d, last == d ? d : last - 1), 0);
        String moved = swap(swap(letters.toString(), other, last), d, last - 1);
        letters = new StringBuilder(moved.substring(0, last));
        d = -1;
      }
    }
    return new Term<>(e, letters.toString());
  }

  private static String swap(String s, int a, int b) {
    char[] c = s.toCharArray();
    char t = c[a];
    c[a] = c[b];
    c[b] = t;
    return new String(c);
  }

  private static <T> Term<T> sumAbsent(Term<T> term, String needed) {
    var axes = new ArrayList<Integer>();
    var kept = new StringBuilder();
    for (int d = 0; d < term.letters.length(); d++) {
      if (needed.indexOf(term.letters.charAt(d)) < 0) {
        axes.add(d);
      } else {
        kept.append(term.letters.charAt(d));
      }
    }
    return axes.isEmpty()
        ? term
        : new Term<>(
            Reductions.sum(term.expr, axes.stream().mapToInt(Integer::intValue).toArray()),
            kept.toString());
  }

  private static <T> Term<T> multiply(Term<T> a, Term<T> b, String needed, long[] extents) {
    StringBuilder batch = new StringBuilder();
    StringBuilder summed = new StringBuilder();
    StringBuilder onlyA = new StringBuilder();
    StringBuilder onlyB = new StringBuilder();
    for (char c : a.letters.toCharArray()) {
      boolean inB = b.letters.indexOf(c) >= 0;
      (inB ? needed.indexOf(c) >= 0 ? batch : summed : onlyA).append(c);
    }
    for (char c : b.letters.toCharArray()) {
      if (a.letters.indexOf(c) < 0) {
        onlyB.append(c);
      }
    }
    if (summed.isEmpty()) {
      String letters = "" + batch + onlyA + onlyB;
      Expr<T> wideA =
          order(a, "" + batch + onlyA).reshape(dims(extents, "" + batch + onlyA, onlyB.length()));
      long[] gap = dims(extents, batch.toString(), onlyA.length() + onlyB.length());
      for (int d = 0; d < onlyB.length(); d++) {
        gap[gap.length - onlyB.length() + d] = extents[onlyB.charAt(d)] - 1;
      }
      return new Term<>(wideA.times(order(b, "" + batch + onlyB).reshape(gap)), letters);
    }
    long[] batchDims = dims(extents, batch.toString(), 2);
    int n = batch.length();
    long[] left = batchDims.clone();
    left[n] = size(extents, onlyA);
    left[n + 1] = size(extents, summed);
    long[] right = batchDims.clone();
    right[n] = left[n + 1];
    right[n + 1] = size(extents, onlyB);
    Expr<T> product =
        MatrixProduct.dot(
            order(a, "" + batch + onlyA + summed).reshape(left),
            order(b, "" + batch + summed + onlyB).reshape(right));
    String letters = "" + batch + onlyA + onlyB;
    return new Term<>(product.reshape(dims(extents, letters, 0)), letters);
  }

  private static long size(long[] extents, CharSequence letters) {
    long n = 1;
    for (int k = 0; k < letters.length(); k++) {
      n = UnknownDims.times(n, extents[letters.charAt(k)] - 1);
    }
    return n;
  }

  /** Extents of the letters, followed by {@code ones} extents of 1. */
  private static long[] dims(long[] extents, String letters, int ones) {
    long[] dims = new long[letters.length() + ones];
    java.util.Arrays.fill(dims, 1);
    for (int k = 0; k < letters.length(); k++) {
      dims[k] = extents[letters.charAt(k)] - 1;
    }
    return dims;
  }

  private static <T> Expr<T> order(Term<T> term, String letters) {
    int[] axes = new int[letters.length()];
    boolean same = true;
    for (int d = 0; d < axes.length; d++) {
      axes[d] = term.letters.indexOf(letters.charAt(d));
      same &= axes[d] == d;
    }
    return same ? term.expr : term.expr.permute(axes);
  }
}
