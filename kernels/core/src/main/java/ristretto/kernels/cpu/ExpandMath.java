package ristretto.kernels.cpu;

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
 * around one).
 *
 * <p>Assumes nothing; guarantees that F32 rows are arithmetic only, and F64 rows that or operations
 * that {@link Math} has. Runs before segments are planned, whose length it determines.
 */
final class ExpandMath {
  private final Map<Function, Function> functions = new HashMap<>();

  private ExpandMath() {}

  static Tape apply(Tape tape) {
    return new ExpandMath().expand(tape);
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

  /** A function is expanded once; functions may call each other, but not themselves. */
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

  private static int apply(TapeBuilder out, Op op, ScalarType type, int a, int b, int c) {
    var f = new Formula(out, type);
    if (ExpandRounding.handles(op)) {
      return ExpandRounding.apply(f, op, a, b);
    }
    if (op.kind() == Op.Kind.FLOATING && transcendental(op)) {
      return type == ScalarType.F32 ? inDouble(f, op, a, b) : wide(f, op, a, b);
    }
    return out.intern(new Node.Apply(op, type, a, b, c));
  }

  private static boolean transcendental(Op op) {
    return op != Op.SQRT && op != Op.FMA;
  }

  private static int inDouble(Formula f, Op op, int a, int b) {
    var wide = new Formula(f.tape, ScalarType.F64);
    int x = f.tape.convert(a, ScalarType.F64);
    int y = b < 0 ? -1 : f.tape.convert(b, ScalarType.F64);
    // Interned as it is: the builder would narrow it to the F32 operation again.
    int result = wide(wide, op, x, y);
    return f.tape.intern(new Node.Apply(Op.CONVERT, ScalarType.F32, result, -1, -1));
  }

  private static int wide(Formula f, Op op, int x, int y) {
    return switch (op) {
      case EXP2 -> raw(f, Op.POW, f.c(2), x);
      case LOG2 -> f.mul(raw(f, Op.LOG, x, -1), f.c(1 / Math.log(2)));
      case ASINH -> {
        int a = f.abs(x);
        yield f.copySign(raw(f, Op.LOG, f.add(a, raw(f, Op.HYPOT, a, f.c(1))), -1), x);
      }
      case ACOSH -> {
        int root = f.mul(f.apply(Op.SQRT, f.sub(x, f.c(1))), f.apply(Op.SQRT, f.add(x, f.c(1))));
        yield raw(f, Op.LOG, f.add(x, root), -1);
      }
      case ATANH -> {
        int a = f.abs(x);
        int difference = f.sub(raw(f, Op.LOG1P, a, -1), raw(f, Op.LOG1P, f.neg(a), -1));
        yield f.copySign(f.mul(f.c(0.5), difference), x);
      }
      default -> raw(f, op, x, y);
    };
  }

  private static int raw(Formula f, Op op, int a, int b) {
    return f.tape.intern(new Node.Apply(op, f.type, a, b, -1));
  }
}
