package ristretto.testkit;

import static ristretto.expr.Ops.*;
import static ristretto.testkit.OpCase.Domain.*;
import static ristretto.testkit.Tolerance.*;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import ristretto.expr.Expr;
import ristretto.expr.type.BF16;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F16;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.I8;
import ristretto.expr.type.U8;
import ristretto.testkit.OpCase.Domain;

/** Test cases of every element-wise operation, with oracles in double arithmetic. */
final class ElementwiseCases {
  private static final List<DType<?>> FLOATS = List.of(F32, F64);
  private static final List<DType<?>> WHOLE = List.of(I32, I64);
  private static final List<DType<?>> NUMBERS = List.of(F32, F64, I32, I64);
  private static final List<DType<?>> NARROW = List.of(F16, BF16, I8, U8, I16, U32);
  static final List<OpCase> CASES = new ArrayList<>();

  private ElementwiseCases() {}

  private interface One {
    Expr<?> apply(Expr<F32> a);
  }

  private interface Two {
    Expr<?> apply(Expr<F32> a, Expr<F32> b);
  }

  private static void one(
      String name,
      List<DType<?>> dtypes,
      Domain domain,
      Tolerance t,
      One ours,
      DoubleUnaryOperator oracle) {
    Function<List<Nd>, Nd> nd = in -> in.get(0).map(oracle);
    CASES.add(new OpCase(name, dtypes, domain, t, 1, in -> ours.apply(in.get(0)), nd));
  }

  private static void two(
      String name,
      List<DType<?>> dtypes,
      Domain domain,
      Tolerance t,
      Two ours,
      DoubleBinaryOperator oracle) {
    Function<List<Nd>, Nd> nd = in -> in.get(0).zip(in.get(1), oracle);
    CASES.add(new OpCase(name, dtypes, domain, t, 2, in -> ours.apply(in.get(0), in.get(1)), nd));
  }

  private static void function(String name, Domain domain, One ours, DoubleUnaryOperator oracle) {
    one(name, FLOATS, domain, FUNCTION, ours, oracle);
  }

  private static double flag(boolean v) {
    return v ? 1 : 0;
  }

  static {
    function("exp", ANY, a -> exp(a), Math::exp);
    function("exp2", ANY, a -> exp2(a), DoubleFunctions::exp2);
    function("expm1", ANY, a -> expm1(a), Math::expm1);
    function("log", SPECIAL, a -> log(a), Math::log);
    function("log2", SPECIAL, a -> log2(a), DoubleFunctions::log2);
    function("log10", SPECIAL, a -> log10(a), Math::log10);
    function("log1p", SPECIAL, a -> log1p(a), Math::log1p);
    function("cbrt", SPECIAL, a -> cbrt(a), Math::cbrt);
    function("sin", ANY, a -> sin(a), Math::sin);
    function("cos", ANY, a -> cos(a), Math::cos);
    function("tan", ANY, a -> tan(a), Math::tan);
    function("asin", UNIT, a -> asin(a), Math::asin);
    function("acos", UNIT, a -> acos(a), Math::acos);
    function("atan", SPECIAL, a -> atan(a), Math::atan);
    function("sinh", ANY, a -> sinh(a), Math::sinh);
    function("cosh", ANY, a -> cosh(a), Math::cosh);
    function("tanh", SPECIAL, a -> tanh(a), Math::tanh);
    function("asinh", SPECIAL, a -> asinh(a), DoubleFunctions::asinh);
    function("acosh", POSITIVE, a -> acosh(a), DoubleFunctions::acosh);
    function("atanh", UNIT, a -> atanh(a), DoubleFunctions::atanh);
    // F32 only: the oracle in double is accurate to about 1e-15.
    one("erf", List.of(F32), SPECIAL, FUNCTION, a -> erf(a), v -> DoubleFunctions.erf(v));
    one("erfc", List.of(F32), ANY, FUNCTION, a -> erfc(a), v -> DoubleFunctions.erfc(v));
    one("sqrt", FLOATS, SPECIAL, BITS, a -> sqrt(a), Math::sqrt);
    one("neg", NUMBERS, SPECIAL, EQUAL, a -> neg(a), v -> -v);
    one("abs", NUMBERS, SPECIAL, BITS, a -> abs(a), Math::abs);
    one("sign", NUMBERS, SPECIAL, EQUAL, a -> sign(a), Math::signum);
    one("floor", NUMBERS, SPECIAL, EQUAL, a -> floor(a), Math::floor);
    one("ceil", NUMBERS, SPECIAL, EQUAL, a -> ceil(a), Math::ceil);
    one("trunc", NUMBERS, SPECIAL, EQUAL, a -> trunc(a), v -> DoubleFunctions.trunc(v));
    one("rint", NUMBERS, SPECIAL, EQUAL, a -> rint(a), Math::rint);
    one("square", NUMBERS, SPECIAL, BITS, a -> square(a), v -> v * v);
    one("reciprocal", FLOATS, SPECIAL, BITS, a -> reciprocal(a), v -> 1 / v);
    one("rsqrt", FLOATS, POSITIVE, FUNCTION, a -> rsqrt(a), v -> 1 / Math.sqrt(v));
    one("isNaN", FLOATS, SPECIAL, BITS, a -> isNaN(a), v -> flag(Double.isNaN(v)));
    one("isInf", FLOATS, SPECIAL, BITS, a -> isInf(a), v -> flag(Double.isInfinite(v)));
    one("isFinite", FLOATS, SPECIAL, BITS, a -> isFinite(a), v -> flag(Double.isFinite(v)));
    one("toRadians", FLOATS, ANY, FUNCTION, a -> toRadians(a), v -> v * (Math.PI / 180));
    one("toDegrees", FLOATS, ANY, FUNCTION, a -> toDegrees(a), v -> v * (180 / Math.PI));
    one("relu", NUMBERS, SPECIAL, EQUAL, a -> relu(a), v -> Math.max(v, 0));
    one("sigmoid", FLOATS, ANY, SEVERAL, a -> sigmoid(a), v -> 1 / (1 + Math.exp(-v)));
    one("silu", FLOATS, ANY, SEVERAL, a -> silu(a), v -> v / (1 + Math.exp(-v)));
    one("elu", FLOATS, ANY, SEVERAL, a -> elu(a), v -> v > 0 ? v : Math.expm1(v));
    one("leakyRelu", FLOATS, ANY, SEVERAL, a -> leakyRelu(a, 0.125), v -> v > 0 ? v : v / 8);
    one("softplus", FLOATS, ANY, SEVERAL, a -> softplus(a), v -> Math.log1p(Math.exp(v)));
    one(
        "gelu",
        FLOATS,
        ANY,
        CANCELLING,
        a -> gelu(a),
        v -> v / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v * v * v))));
    one(
        "geluErf",
        FLOATS,
        ANY,
        CANCELLING,
        a -> geluErf(a),
        v -> v / 2 * (1 + DoubleFunctions.erf(v * Math.sqrt(0.5))));
    one("pow 2", NUMBERS, SMALL, BITS, a -> a.pow(2), v -> v * v);
    one("pow 3", NUMBERS, SMALL, BITS, a -> a.pow(3), v -> v * v * v);
    one("pow 0", NUMBERS, SMALL, BITS, a -> a.pow(0), v -> 1);
    one("pow 0.5", FLOATS, POSITIVE, FUNCTION, a -> a.pow(0.5), v -> Math.pow(v, 0.5));
    one("clamp", NUMBERS, SMALL, BITS, a -> clamp(a, -2, 3), v -> Math.min(Math.max(v, -2), 3));
    one(
        "numbers",
        NUMBERS,
        SMALL,
        BITS,
        a -> a.plus(2).times(3).minus(1).neg(),
        v -> -((v + 2) * 3 - 1));
    one("not", List.of(BOOL), FLAG, BITS, a -> not(a), v -> 1 - v);
    one("bitwise not", WHOLE, ANY, BITS, a -> not(a), v -> ~(long) v);

    two("plus", NUMBERS, SPECIAL, EQUAL, (a, b) -> a.plus(b), Double::sum);
    two("minus", NUMBERS, SPECIAL, EQUAL, (a, b) -> a.minus(b), (x, y) -> x - y);
    two("times", NUMBERS, SPECIAL, EQUAL, (a, b) -> a.times(b), (x, y) -> x * y);
    two("div", FLOATS, SPECIAL, BITS, (a, b) -> a.div(b), (x, y) -> x / y);
    two(
        "whole div",
        WHOLE,
        SMALL,
        BITS,
        (a, b) -> a.div(b),
        (x, y) -> y == 0 ? 0 : (int) x / (int) y);
    two("rem", FLOATS, SPECIAL, EQUAL, (a, b) -> a.rem(b), (x, y) -> x % y);
    two(
        "whole rem",
        WHOLE,
        SMALL,
        BITS,
        (a, b) -> a.rem(b),
        (x, y) -> y == 0 ? 0 : (int) x % (int) y);
    two(
        "fmin",
        FLOATS,
        SPECIAL,
        BITS,
        (a, b) -> fmin(a, b),
        (x, y) -> Double.isNaN(x) ? y : Double.isNaN(y) ? x : Math.min(x, y));
    two(
        "fmax",
        FLOATS,
        SPECIAL,
        BITS,
        (a, b) -> fmax(a, b),
        (x, y) -> Double.isNaN(x) ? y : Double.isNaN(y) ? x : Math.max(x, y));
    two(
        "heaviside",
        FLOATS,
        SPECIAL,
        EQUAL,
        (a, b) -> heaviside(a, b),
        (x, y) -> Double.isNaN(x) ? x : x > 0 ? 1 : x < 0 ? 0 : y);
    two(
        "logAddExp2",
        FLOATS,
        ANY,
        CANCELLING,
        (a, b) -> logAddExp2(a, b),
        (x, y) -> Math.log(Math.pow(2, x) + Math.pow(2, y)) / Math.log(2));
    one(
        "sinc",
        FLOATS,
        ANY,
        CANCELLING,
        a -> sinc(a),
        x -> x == 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
    one(
        "signBit",
        NUMBERS,
        SPECIAL,
        BITS,
        a -> signBit(a),
        x -> Double.doubleToRawLongBits(x) < 0 ? 1 : 0);
    one(
        "nanToNum",
        List.of(F32),
        SPECIAL,
        BITS,
        a -> nanToNum(a),
        x -> Double.isNaN(x) ? 0 : Math.clamp(x, -Float.MAX_VALUE, Float.MAX_VALUE));
    two(
        "floorMod",
        FLOATS,
        SMALL,
        EQUAL,
        (a, b) -> floorMod(a, b),
        (x, y) -> x - Math.floor(x / y) * y);
    two(
        "whole floorMod",
        WHOLE,
        SMALL,
        BITS,
        (a, b) -> floorMod(a, b),
        (x, y) -> y == 0 ? 0 : Math.floorMod((int) x, (int) y));
    two(
        "floorDiv",
        FLOATS,
        POSITIVE,
        EQUAL,
        (a, b) -> floorDiv(a.plus(0), b.times(0).plus(0.5)),
        (x, y) -> Math.floor(x / 0.5));
    two(
        "whole floorDiv",
        WHOLE,
        SMALL,
        BITS,
        (a, b) -> floorDiv(a, b),
        (x, y) -> y == 0 ? 0 : Math.floorDiv((int) x, (int) y));
    two("min", NUMBERS, SPECIAL, BITS, (a, b) -> min(a, b), Math::min);
    two("max", NUMBERS, SPECIAL, BITS, (a, b) -> max(a, b), Math::max);
    two("pow", FLOATS, POSITIVE, FUNCTION, (a, b) -> a.pow(b), Math::pow);
    two(
        "whole pow",
        WHOLE,
        SMALL,
        BITS,
        (a, b) -> a.pow(abs(b)),
        (x, y) -> Math.pow(x, Math.abs(y)));
    two("atan2", FLOATS, ANY, LOOSE_FUNCTION, (a, b) -> atan2(a, b), Math::atan2);
    two("hypot", FLOATS, SPECIAL, LOOSE_FUNCTION, (a, b) -> hypot(a, b), Math::hypot);
    two("copySign", FLOATS, ANY, BITS, (a, b) -> copySign(a, b), Math::copySign);
    two(
        "logAddExp",
        FLOATS,
        ANY,
        SEVERAL,
        (a, b) -> logAddExp(a, b),
        (x, y) -> Math.log(Math.exp(x) + Math.exp(y)));
    two("lt", NUMBERS, SPECIAL, BITS, (a, b) -> a.lt(b), (x, y) -> flag(x < y));
    two("le", NUMBERS, SPECIAL, BITS, (a, b) -> a.le(b), (x, y) -> flag(x <= y));
    two("gt", NUMBERS, SPECIAL, BITS, (a, b) -> a.gt(b), (x, y) -> flag(x > y));
    two("ge", NUMBERS, SPECIAL, BITS, (a, b) -> a.ge(b), (x, y) -> flag(x >= y));
    two("eq", NUMBERS, SMALL, BITS, (a, b) -> a.eq(b), (x, y) -> flag(x == y));
    two("ne", NUMBERS, SPECIAL, BITS, (a, b) -> a.ne(b), (x, y) -> flag(x != y));
    two("logical and", List.of(BOOL), FLAG, BITS, (a, b) -> a.and(b), (x, y) -> x * y);
    two("logical or", List.of(BOOL), FLAG, BITS, (a, b) -> a.or(b), Math::max);
    two("logical xor", List.of(BOOL), FLAG, BITS, (a, b) -> a.xor(b), (x, y) -> flag(x != y));
    two("equal flags", List.of(BOOL), FLAG, BITS, (a, b) -> a.eq(b), (x, y) -> flag(x == y));
    two("and", WHOLE, ANY, BITS, (a, b) -> a.and(b), (x, y) -> (long) x & (long) y);
    two("or", WHOLE, ANY, BITS, (a, b) -> a.or(b), (x, y) -> (long) x | (long) y);
    two("xor", WHOLE, ANY, BITS, (a, b) -> a.xor(b), (x, y) -> (long) x ^ (long) y);
    two(
        "shiftLeft",
        WHOLE,
        SMALL,
        BITS,
        (a, b) -> a.shiftLeft(abs(b)),
        (x, y) -> (long) x << (long) Math.abs(y));
    two(
        "shiftRight",
        WHOLE,
        SMALL,
        BITS,
        (a, b) -> a.shiftRight(abs(b)),
        (x, y) -> (long) x >> (long) Math.abs(y));
    two("narrow types", NARROW, SMALL, BITS, (a, b) -> a.plus(b), Double::sum);
    two(
        "isClose",
        FLOATS,
        SMALL,
        BITS,
        (a, b) -> isClose(a, b, 0, 1),
        (x, y) -> flag(Math.abs(x - y) <= 1));
    two(
        "map of two",
        List.of(F32),
        ANY,
        BITS,
        (a, b) -> map(a, b, (u, v) -> u > v ? u - v : 0f),
        (x, y) -> x > y ? x - y : 0);
    one(
        "map to BOOL",
        List.of(F32),
        SPECIAL,
        BITS,
        a -> map(BOOL, a, v -> v > 0f),
        v -> flag(v > 0));

    for (DType<?> to : List.of(F32, F64, I32, I64, BOOL, F16, I8, U8, I16)) {
      List<DType<?>> from = List.of(F32, F64, I32, I64, BOOL, F16, BF16, I8);
      one(
          "cast to " + to,
          from,
          SMALL,
          BITS,
          a -> a.cast(to),
          v -> NdTensors.round(to, Nd.scalar(v)).data[0]);
    }
    one("saturating cast", FLOATS, SPECIAL, BITS, a -> a.cast(I32), v -> (int) v);
    one("saturating wide cast", FLOATS, SPECIAL, BITS, a -> a.cast(I64), v -> (long) v);

    CASES.add(
        new OpCase(
            "where",
            NUMBERS,
            SMALL,
            BITS,
            3,
            in -> where(in.get(0).gt(in.get(1)), in.get(2), in.get(0)),
            in -> Nd.where(in.get(0).zip(in.get(1), (x, y) -> flag(x > y)), in.get(2), in.get(0))));
    CASES.add(
        new OpCase(
            "fma",
            FLOATS,
            SMALL,
            BITS,
            3,
            in -> fma(in.get(0), in.get(1), in.get(2)),
            in -> in.get(0).zip(in.get(1), (x, y) -> x * y).zip(in.get(2), Double::sum)));
    CASES.add(
        new OpCase(
            "clamp by expressions",
            NUMBERS,
            SMALL,
            BITS,
            3,
            in -> clamp(in.get(0), in.get(1), in.get(2)),
            in -> in.get(0).zip(in.get(1), Math::max).zip(in.get(2), Math::min)));
    CASES.add(
        new OpCase(
            "map of three",
            List.of(F64),
            ANY,
            BITS,
            3,
            in -> mapThree(in),
            in -> in.get(0).zip(in.get(1), (x, y) -> x * y).zip(in.get(2), (x, y) -> x - y)));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Expr<?> mapThree(List<Expr<F32>> in) {
    Expr<F64> a = (Expr) in.get(0);
    Expr<F64> b = (Expr) in.get(1);
    Expr<F64> c = (Expr) in.get(2);
    return map(a, b, c, (u, v, w) -> u * v - w);
  }
}
