package ristretto.kernels.math;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Rewrites rounding and transcendental operations to arithmetic, so that scalar and vector code
 * compute the same bits and no call interrupts a vector loop (C2 spills every vector register
 * around a call).
 *
 * <p>Has no preconditions; guarantees that F32 rows are arithmetic only, and that F64 rows are
 * arithmetic or operations of {@link Math}. Runs before segments are planned, because it determines
 * their length.
 */
public final class ExpandMath {
  private final Map<Function, Function> functions = new HashMap<>();

  private final boolean wide;

  private ExpandMath(boolean wide) {
    this.wide = wide;
  }

  public static Tape apply(Tape tape) {
    return new ExpandMath(true).expand(tape);
  }

  /** Rewrites a tape for devices without F64: F32 operations whose formulas need F64 stay. */
  public static Tape applyNarrow(Tape tape) {
    return new ExpandMath(false).expand(tape);
  }

  private Tape expand(Tape tape) {
    var out = new TapeBuilder();
    int[] map = new int[tape.size()];
    for (int row = 0; row < map.length; row++) {
      map[row] =
          switch (tape.node(row)) {
            case Node.Apply n ->
                apply(out, n.op(), n.type(), at(map, n.a()), at(map, n.b()), at(map, n.c()));
            case Node.Call n -> {
              List<Integer> arguments = n.arguments().stream().map(k -> map[k]).toList();
              yield out.call(function(n.function()), arguments);
            }
            case Node n -> out.intern(TapeBuilder.renumber(n, map));
          };
    }
    return out.build(tape.outputs().stream().mapToInt(row -> map[row]).toArray());
  }

  private static int at(int[] map, int row) {
    return row < 0 ? -1 : map[row];
  }

  /** Expands a function once; functions may call each other, but are not recursive. */
  private Function function(Function function) {
    Function expanded = functions.get(function);
    if (expanded == null) {
      expanded = expand(function);
      functions.put(function, expanded);
    }
    return expanded;
  }

  private Function expand(Function function) {
    var blocks = new ArrayList<Function.Block>();
    for (Function.Block block : function.blocks()) {
      blocks.add(new Function.Block(expand(block.tape()), block.targets(), block.end()));
    }
    return new Function(
        function.name(), function.parameters(), function.locals(), function.result(), blocks);
  }

  private static boolean computesWide(Op op) {
    return switch (op) {
      case SIN, COS, TAN, POW, CBRT, HYPOT, ASINH, ACOSH, ATANH, ATAN2, ERFC -> true;
      default -> false;
    };
  }

  private int apply(TapeBuilder out, Op op, ScalarType type, int a, int b, int c) {
    if (!wide && type == ScalarType.F32 && computesWide(op)) {
      return out.intern(new Node.Apply(op, type, a, b, c));
    }
    var f = new Formula(out, type);
    if (ExpandRounding.handles(op)) {
      return ExpandRounding.apply(f, op, a, b);
    }
    if (ExpandExponential.handles(op)) {
      return ExpandExponential.apply(f, op, a);
    }
    if (ExpandLogarithm.handles(f, op)) {
      return ExpandLogarithm.apply(f, op, a);
    }
    if (ExpandTrigonometry.handles(f, op)) {
      return ExpandTrigonometry.apply(f, op, a);
    }
    if (ExpandErrorFunction.handles(op)) {
      return ExpandErrorFunction.apply(f, op, a);
    }
    if (ExpandArc.handles(f, op)) {
      return ExpandArc.apply(f, op, a, b);
    }
    if (ExpandPower.handles(f, op)) {
      return ExpandPower.apply(f, op, a, b);
    }
    return out.intern(new Node.Apply(op, type, a, b, c));
  }
}
