package ristretto.expr;

import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Formats expressions as formulas with names of tensors, truncated at a maximal depth and length.
 */
final class Wording {
  private static final int DEEPEST = 12;

  /** Length in characters from which nested operands are omitted. */
  private static final int LONGEST = 400;

  private final Function<Tensor<?>, String> names;
  private int length;

  Wording(Function<Tensor<?>, String> names) {
    this.names = names;
  }

  /** Formula assigned to {@code target}; {@code += b} if the target is the first summand. */
  String of(Expr<?> e, Tensor<?> target) {
    if (e instanceof Apply<?> a
        && a.op() == ristretto.kernels.scalar.Op.ADD
        && e.inputs().get(0) instanceof Tensor<?> t
        && t.storage() == target.storage()
        && t.layout().map().sameElements(target.layout().map())) {
      return "+= " + say(e.inputs().get(1), 0);
    }
    return "= " + say(e, 0);
  }

  private String say(Expr<?> e, int depth) {
    if (e instanceof Tensor<?> t && !t.isCopy()) {
      return count(names.apply(t));
    }
    if (e.inputs().isEmpty()) {
      return count(e instanceof Scalars<?> ? number(e.toString(), e.dtype()) : e.toString());
    }
    if (depth > DEEPEST || length > LONGEST) {
      return "...";
    }
    if (e instanceof Apply<?> a && a.inputs().size() <= 2) {
      return applied(a, depth);
    }
    Expr<?> first = e.inputs().get(0);
    return switch (e) {
      case View<?> v -> viewed(v, depth);
      case Reduced<?> _, Tensor<?> _ -> say(first, depth);
      case RExpr<?> r when r.toString().equals("stopGradient") -> say(first, depth);
      case Gather<?> g -> say(first, depth + 1) + "[" + say(g.inputs().get(1), depth + 1) + "]";
      default -> called(e, depth);
    };
  }

  private String applied(Apply<?> a, int depth) {
    String symbol = a.op().symbol();
    if (Character.isLetter(symbol.charAt(0))) {
      return called(a, depth);
    }
    if (a.inputs().size() == 1) {
      return symbol + inner(a.inputs().get(0), depth);
    }
    return inner(a.inputs().get(0), depth) + " " + symbol + " " + inner(a.inputs().get(1), depth);
  }

  private String inner(Expr<?> e, int depth) {
    String text = say(e, depth + 1);
    boolean compound =
        e instanceof Apply<?> a
            && a.inputs().size() == 2
            && !Character.isLetter(a.op().symbol().charAt(0));
    return compound ? "(" + text + ")" : text;
  }

  private String called(Expr<?> e, int depth) {
    String name = count(e.toString());
    return e.inputs().stream()
        .map(in -> say(in, depth + 1))
        .collect(Collectors.joining(", ", name + "(", ")"));
  }

  private String viewed(View<?> v, int depth) {
    String of = say(v.inputs().get(0), depth);
    return switch (v.op()) {
      case ViewOp.Expand _, ViewOp.Reshape _ -> of;
      case ViewOp.Permute _ -> "permute(" + of + ")";
      case ViewOp.Diagonal _ -> "diagonal(" + of + ")";
      case ViewOp.Windows _ -> "windows(" + of + ")";
      case ViewOp.Pad _ -> "pad(" + of + ")";
      case ViewOp.Step s -> {
        var text = new StringBuilder();
        for (int d = 0; d < s.dims().size(); d++) {
          long from = s.starts().get(d);
          long step = s.steps().get(d);
          long count = s.dims().get(d);
          boolean whole = from == 0 && step == 1 && count == v.inputs().get(0).shape().dim(d);
          text.append(d == 0 ? "" : ", ");
          text.append(whole ? ":" : from + ":" + (from + step * count));
          text.append(step == 1 || count == 1 ? "" : ":" + step);
        }
        yield of + "[" + text + "]";
      }
    };
  }

  /** Shortest decimal text that identifies the number within its type. */
  private static String number(String text, DType<?> dtype) {
    double value = Double.parseDouble(text);
    if (value == Math.rint(value) && Math.abs(value) < 1e6) {
      return Long.toString((long) value);
    }
    return dtype == F32.INSTANCE ? Float.toString((float) value) : text;
  }

  private String count(String text) {
    length += text.length();
    return text;
  }
}
