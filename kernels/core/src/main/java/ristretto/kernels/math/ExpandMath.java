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
  /** Marks an operation that is not expanded. */
  private static final int STAYS = -1;

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

  private int apply(TapeBuilder out, Op op, ScalarType type, int a, int b, int c) {
    int expanded = expand(new Formula(out, type), op, a, b);
    return expanded == STAYS ? out.intern(new Node.Apply(op, type, a, b, c)) : expanded;
  }

  /** Returns the expanded operation, or {@link #STAYS}. */
  private int expand(Formula f, Op op, int a, int b) {
    boolean single = f.single();
    // Some formulas of F32 compute in F64.
    boolean f64 = wide || !single;
    return switch (op) {
      case FLOOR -> new ExpandRounding(f, a).floor();
      case CEIL -> new ExpandRounding(f, a).ceil();
      case TRUNC -> new ExpandRounding(f, a).trunc();
      case RINT -> new ExpandRounding(f, a).rint();
      case SIGN -> ExpandRounding.sign(f, a);
      case COPYSIGN -> f.copySign(a, b);
      case EXP -> new ExpandExponential(f).exp(a);
      case EXP2 -> new ExpandExponential(f).exp2(a);
      case EXPM1 -> new ExpandExponential(f).expm1(a);
      case SIGMOID -> new ExpandExponential(f).sigmoid(a);
      case TANH -> new ExpandExponential(f).tanh(a);
      case SINH -> new ExpandExponential(f).sinh(a);
      case COSH -> new ExpandExponential(f).cosh(a);
      case LOG -> new ExpandLogarithm(f).log(a);
      case LOG2 -> new ExpandLogarithm(f).log2(a);
      case LOG10 -> new ExpandLogarithm(f).log10(a);
      case LOG1P -> new ExpandLogarithm(f).log1p(a);
      case ERF -> new ExpandErrorFunction(f).erf(a);
      case ERFC -> f64 ? new ExpandErrorFunction(f).erfc(a) : STAYS;
      case SIN -> f64 ? new ExpandTrigonometry(f).sin(a) : STAYS;
      case COS -> f64 ? new ExpandTrigonometry(f).cos(a) : STAYS;
      case TAN -> single && wide ? new ExpandTrigonometry(f).tan(a) : STAYS;
      case ATAN -> single ? new ExpandArc(f).atan(a) : STAYS;
      case ASIN -> single ? new ExpandArc(f).asin(a) : STAYS;
      case ACOS -> single ? new ExpandArc(f).acos(a) : STAYS;
      case ATAN2 -> single && wide ? new ExpandArc(f).atan2(a, b) : STAYS;
      case POW -> single && wide ? new ExpandPower(f).pow(a, b) : STAYS;
      case CBRT -> single && wide ? new ExpandPower(f).cbrt(a) : STAYS;
      case HYPOT -> single && wide ? new ExpandPower(f).hypot(a, b) : STAYS;
      case ASINH ->
          !f64 ? STAYS : single ? new ExpandPower(f).asinh(a) : new ExpandLogarithm(f).asinh(a);
      case ACOSH ->
          !f64 ? STAYS : single ? new ExpandPower(f).acosh(a) : new ExpandLogarithm(f).acosh(a);
      case ATANH ->
          !f64 ? STAYS : single ? new ExpandPower(f).atanh(a) : new ExpandLogarithm(f).atanh(a);
      case NEG, ABS, BITNOT, NOT, SQRT, ADD, SUB, MUL, DIV, REM, MIN, MAX, FMA -> STAYS;
      case AND, OR, XOR, SHL, SHR, USHR, MULHI, LT, LE, GT, GE, EQ, NE -> STAYS;
      case SELECT, CONVERT, BITCAST -> STAYS;
    };
  }
}
