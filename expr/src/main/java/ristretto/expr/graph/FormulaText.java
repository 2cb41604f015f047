package ristretto.expr.graph;

import java.util.function.Function;
import java.util.stream.Collectors;
import ristretto.expr.graph.Formula.Copy;
import ristretto.expr.graph.Formula.CustomGradient;
import ristretto.expr.graph.Formula.DropAxes;
import ristretto.expr.graph.Formula.StopGradient;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;

/**
 * Formats expressions as formulas with names of tensors, truncated at a maximal depth and length.
 */
public final class FormulaText {
  private static final int DEEPEST = 12;

  /** Length in characters from which nested operands are omitted. */
  private static final int LONGEST = 400;

  /** Number of terms from which nested operands are omitted; bounds chains of views. */
  private static final int MOST = 1000;

  private final Function<StorageView, String> names;
  private int length;
  private int calls;

  /**
   * Creates the format of one formula.
   *
   * @param names names of tensors
   */
  public FormulaText(Function<StorageView, String> names) {
    this.names = names;
  }

  /** Formula assigned to {@code target}; {@code += b} if the target is the first summand. */
  public String of(Term e, StorageView target) {
    if (e.operation() instanceof Pointwise a
        && a.op() == ristretto.kernels.scalar.Op.ADD
        && e.operand(0).memory() != null
        && e.operand(0).memory().storage() == target.storage()
        && e.operand(0).memory().map().sameElements(target.map())) {
      return "+= " + say(e.operand(1), 0);
    }
    return "= " + say(e, 0);
  }

  /** Formula of a term. */
  public String of(Term e) {
    return say(e, 0);
  }

  private String say(Term e, int depth) {
    calls++;
    if (e.memory() != null) {
      return count(names.apply(e.memory()));
    }
    if (e.operands().isEmpty()) {
      return count(e.operation() instanceof Constant ? number(e.name(), e.dtype()) : e.name());
    }
    if (depth > DEEPEST || length > LONGEST || calls > MOST) {
      return "...";
    }
    if (e.operation() instanceof Pointwise a && e.operands().size() <= 2) {
      return applied(e, a.op().symbol(), depth);
    }
    Term first = e.operand(0);
    return switch (e.operation()) {
      case View v -> viewed(e, v.op(), depth);
      case CustomGradient _, DropAxes _, Copy _, StopGradient _ -> say(first, depth);
      case Gather _ -> say(first, depth + 1) + "[" + say(e.operand(1), depth + 1) + "]";
      default -> called(e, depth);
    };
  }

  private String applied(Term a, String symbol, int depth) {
    if (Character.isLetter(symbol.charAt(0))) {
      return called(a, depth);
    }
    if (a.operands().size() == 1) {
      return symbol + inner(a.operand(0), depth);
    }
    return inner(a.operand(0), depth) + " " + symbol + " " + inner(a.operand(1), depth);
  }

  private String inner(Term e, int depth) {
    String text = say(e, depth + 1);
    boolean compound =
        e.operation() instanceof Pointwise a
            && e.operands().size() == 2
            && !Character.isLetter(a.op().symbol().charAt(0));
    return compound ? "(" + text + ")" : text;
  }

  private String called(Term e, int depth) {
    String name = count(e.name());
    return e.operands().stream()
        .map(in -> say(in, depth + 1))
        .collect(Collectors.joining(", ", name + "(", ")"));
  }

  private String viewed(Term v, ViewOp op, int depth) {
    String of = say(v.operand(0), depth);
    return switch (op) {
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
          boolean whole = from == 0 && step == 1 && count == v.operand(0).shape().dim(d);
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
