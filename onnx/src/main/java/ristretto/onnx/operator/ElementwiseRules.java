package ristretto.onnx.operator;

import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;
import ristretto.onnx.file.ElementType;

/** Element-wise operators with NumPy's broadcasting. */
final class ElementwiseRules {
  private ElementwiseRules() {}

  static void addTo(Rules rules) {
    unary(rules, "Exp", Ops::exp);
    unary(rules, "Log", Ops::log);
    unary(rules, "Sqrt", Ops::sqrt);
    unary(rules, "Sin", Ops::sin);
    unary(rules, "Cos", Ops::cos);
    unary(rules, "Tan", Ops::tan);
    unary(rules, "Asin", Ops::asin);
    unary(rules, "Acos", Ops::acos);
    unary(rules, "Atan", Ops::atan);
    unary(rules, "Sinh", Ops::sinh);
    unary(rules, "Cosh", Ops::cosh);
    unary(rules, "Tanh", Ops::tanh);
    unary(rules, "Asinh", Ops::asinh);
    unary(rules, "Acosh", Ops::acosh);
    unary(rules, "Atanh", Ops::atanh);
    unary(rules, "Erf", Ops::erf);
    unary(rules, "Neg", Ops::neg);
    unary(rules, "Floor", Ops::floor);
    unary(rules, "Ceil", Ops::ceil);
    unary(rules, "Round", Ops::rint);
    unary(rules, "Reciprocal", Ops::reciprocal);
    rules.computes("Abs", n -> unsigned(n) ? n.in(0) : Ops.abs(n.in(0)));
    rules.computes(
        "Sign", n -> unsigned(n) ? n.in(0).ne(0L).cast(n.in(0).dtype()) : Ops.sign(n.in(0)));
    rules.moves("Identity", n -> n.in(0));
    rules.one("IsNaN", n -> Ops.isNaN(n.in(0)));
    rules.one("IsInf", ElementwiseRules::isInf);
    rules.one("Not", n -> n.in(0).not());
    binary(rules, "Add", Expr::plus);
    binary(rules, "Sub", Expr::minus);
    binary(rules, "Mul", Expr::times);
    rules.computes("Div", n -> quotient(n.value(0), n.value(1)));
    rules.computes("Mod", ElementwiseRules::mod);
    rules.computes("Pow", ElementwiseRules::pow);
    binary(rules, "PRelu", (a, slope) -> Ops.where(a.lt(0L), a.times(slope), a));
    rules.one("And", n -> n.in(0).and(n.in(1)));
    rules.one("Or", n -> n.in(0).or(n.in(1)));
    rules.one("Xor", n -> n.in(0).xor(n.in(1)));
    rules.one("Equal", n -> n.in(0).eq(n.in(1)));
    rules.one("Less", n -> less(n.value(0), n.value(1)));
    rules.one("Greater", n -> less(n.value(1), n.value(0)));
    rules.one("LessOrEqual", n -> lessOrEqual(n.value(0), n.value(1)));
    rules.one("GreaterOrEqual", n -> lessOrEqual(n.value(1), n.value(0)));
    rules.moves("Max", n -> extreme(n, true));
    rules.moves("Min", n -> extreme(n, false));
    rules.computes("Sum", ElementwiseRules::sum);
    rules.computes("Mean", n -> sum(n).div(NodeCall.number(n.in(0), n.count())));
    rules.moves("Clip", ElementwiseRules::clip);
    rules.add(
        "Where",
        n -> {
          Expr<Object> chosen = Ops.where(bool(n.in(0)), n.in(1), n.in(2));
          return List.of(Value.of(chosen, n.value(1).type()));
        });
    rules.add("Cast", n -> cast(n, ElementType.of(n.integer("to", 0))));
    rules.add("CastLike", n -> cast(n, n.value(1).type()));
  }

  private static void unary(Rules rules, String operator, UnaryOperator<Expr<Object>> f) {
    rules.computes(operator, n -> f.apply(n.in(0)));
  }

  private static void binary(Rules rules, String operator, BinaryOperator<Expr<Object>> f) {
    rules.computes(operator, n -> f.apply(n.in(0), n.in(1)));
  }

  private static boolean unsigned(NodeCall n) {
    return n.value(0).type().isUnsigned();
  }

  static Expr<BOOL> bool(Expr<Object> e) {
    return e.cast(Ops.BOOL);
  }

  private static Expr<?> isInf(NodeCall n) {
    Expr<Object> a = n.in(0);
    boolean negative = n.flag("detect_negative", true);
    boolean positive = n.flag("detect_positive", true);
    Expr<BOOL> inf = Ops.isInf(a);
    if (negative && positive) {
      return inf;
    }
    Expr<Object> zero = NodeCall.number(a, 0);
    return negative ? inf.and(a.lt(zero)) : positive ? inf.and(a.gt(zero)) : inf.and(inf.not());
  }

  /** Numbers whose order as signed integers is that of the values. */
  static Expr<Object> ordered(Value v) {
    return v.type() == ElementType.UINT64 ? v.expr().xor(Long.MIN_VALUE) : v.expr();
  }

  static Expr<BOOL> less(Value a, Value b) {
    return ordered(a).lt(ordered(b));
  }

  private static Expr<BOOL> lessOrEqual(Value a, Value b) {
    return ordered(a).le(ordered(b));
  }

  private static Expr<Object> quotient(Value a, Value b) {
    if (a.type() != ElementType.UINT64) {
      return a.expr().div(b.expr());
    }
    // Half of a is not negative as a signed integer; the quotient of the halves is at most 1 off.
    Expr<Object> half = a.expr().shiftRight(1).and(Long.MAX_VALUE);
    Expr<Object> q = half.div(b.expr()).shiftLeft(1);
    Expr<Object> rest = a.expr().minus(q.times(b.expr()));
    Expr<Object> one = NodeCall.number(q, 1);
    Expr<Object> zero = NodeCall.number(q, 0);
    Value left = Value.of(rest, ElementType.UINT64);
    return Ops.where(
        b.expr().lt(0L),
        Ops.where(less(a, b), zero, one),
        q.plus(Ops.where(less(left, b), zero, one)));
  }

  private static Expr<Object> mod(NodeCall n) {
    Expr<Object> a = n.in(0);
    Expr<Object> b = n.in(1);
    if (n.value(0).type() == ElementType.UINT64) {
      n.ignore("fmod");
      return a.minus(quotient(n.value(0), n.value(1)).times(b));
    }
    if (n.flag("fmod", false)) {
      return a.rem(b);
    }
    return Ops.floorMod(a, b);
  }

  /** Power in the wider of the dtypes, as the dtype of the base. */
  private static Expr<Object> pow(NodeCall n) {
    Expr<Object> a = n.in(0);
    Expr<Object> b = n.in(1);
    if (a.dtype() == b.dtype()) {
      return Ops.pow(a, b);
    }
    if (a.dtype().isFloat() || b.dtype().isFloat()) {
      boolean f64 = !(a.dtype() == (Object) Ops.F32 && b.dtype().isFloat());
      return f64
          ? NodeCall.erase(Ops.pow(a.cast(Ops.F64), b.cast(Ops.F64))).cast(a.dtype())
          : Ops.pow(a, b.cast(a.dtype()));
    }
    return NodeCall.erase(Ops.pow(a.cast(Ops.I64), b.cast(Ops.I64))).cast(a.dtype());
  }

  private static Expr<Object> extreme(NodeCall n, boolean max) {
    Value all = n.value(0);
    for (int k = 1; k < n.count(); k++) {
      Value next = n.value(k);
      Expr<Object> e =
          all.type() == ElementType.UINT64
              ? Ops.where(
                  less(all, next), max ? next.expr() : all.expr(), max ? all.expr() : next.expr())
              : max ? Ops.max(all.expr(), next.expr()) : Ops.min(all.expr(), next.expr());
      all = Value.of(e, all.type());
    }
    return all.expr();
  }

  private static Expr<Object> sum(NodeCall n) {
    Expr<Object> all = n.in(0);
    for (int k = 1; k < n.count(); k++) {
      all = all.plus(n.in(k));
    }
    return all;
  }

  private static Expr<Object> clip(NodeCall n) {
    Expr<Object> a = n.in(0);
    if (n.has(1) || n.gives("min")) {
      a = Ops.max(a, n.has(1) ? one(n, 1) : NodeCall.number(a, n.number("min", 0)));
    }
    if (n.has(2) || n.gives("max")) {
      a = Ops.min(a, n.has(2) ? one(n, 2) : NodeCall.number(a, n.number("max", 0)));
    }
    return a;
  }

  /** An input with one element, as a scalar. */
  static Expr<Object> one(NodeCall n, int i) {
    Expr<Object> e = n.in(i);
    if (e.shape().size() != 1) {
      throw n.refuse(
          "input %s must have one element".formatted(i), n.value(i).label(), "Give one number");
    }
    return e.shape().rank() == 0 ? e : e.reshape();
  }

  /** Converts a value to another type. */
  static List<Value> cast(NodeCall n, ElementType to) {
    n.ignore("saturate", "round_mode");
    return List.of(cast(n.value(0), to));
  }

  /** Converts a value to another type; floating-point numbers beyond an integer type saturate. */
  static Value cast(Value v, ElementType to) {
    if (v.type() == to) {
      return v;
    }
    Expr<Object> a = v.expr();
    if (v.type() == ElementType.UINT64 && to.dtype().isFloat()) {
      Expr<Object> half = a.shiftRight(1).and(Long.MAX_VALUE).or(a.and(1L));
      Expr<Object> f = half.cast(to.dtype());
      return Value.of(Ops.where(a.lt(0L), f.plus(f), a.cast(to.dtype())), to);
    }
    if (a.dtype().isFloat() && to.integerBits() > 0 && to.integerBits() < 32) {
      return Value.wrapped(a.cast(Ops.I32).cast(to.dtype()), to);
    }
    return Value.wrapped(a.cast(to.dtype()), to);
  }
}
