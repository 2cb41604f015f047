package ristretto.kernels.lift;

import ristretto.kernels.lambda.DoubleLambda;
import ristretto.kernels.lambda.FloatLambda;
import ristretto.kernels.lambda.IntLambda;
import ristretto.kernels.lambda.LongLambda;

/** Static methods of the JDK. */
final class LibraryCorpus {
  private LibraryCorpus() {}

  static Corpus corpus() {
    return new Corpus()
        .add("sigmoid", (FloatLambda.ToFloat1) v -> 1f / (1f + (float) Math.exp(-v)))
        .add("Math::sqrt", (DoubleLambda.ToDouble1) Math::sqrt)
        .add("Math::sqrt of floats", (FloatLambda.ToDouble1) Math::sqrt)
        .add("Math::max of floats", (FloatLambda.ToFloat2) Math::max)
        .add("Integer::sum", (IntLambda.ToInt2) Integer::sum)
        .add("Math::abs to double", (IntLambda.ToDouble1) Math::abs)
        .add("sqrt rounded", (FloatLambda.ToFloat1) v -> (float) Math.sqrt(v))
        .add("exp", (DoubleLambda.ToDouble1) v -> Math.exp(v) + Math.expm1(v))
        .add("log", (DoubleLambda.ToDouble1) v -> Math.log(v) - Math.log10(v) + Math.log1p(v))
        .add("sin cos tan", (DoubleLambda.ToDouble1) v -> Math.sin(v) + Math.cos(v) * Math.tan(v))
        .add(
            "asin acos atan",
            (DoubleLambda.ToDouble1) v -> Math.asin(v) + Math.acos(v) - Math.atan(v))
        .add(
            "sinh cosh tanh",
            (DoubleLambda.ToDouble1) v -> Math.sinh(v) / Math.cosh(v) - Math.tanh(v))
        .add("StrictMath", (DoubleLambda.ToDouble1) v -> StrictMath.floor(v) + StrictMath.sqrt(v))
        .add(
            "pow, atan2, hypot",
            (DoubleLambda.ToDouble2) (u, v) -> Math.pow(u, v) + Math.atan2(u, v) - Math.hypot(u, v))
        .add("cbrt", (DoubleLambda.ToDouble1) Math::cbrt)
        .add("min max float", (FloatLambda.ToFloat2) (u, v) -> Math.min(u, v) - 2 * Math.max(u, v))
        .add("min double", (DoubleLambda.ToDouble2) (u, v) -> Math.min(u, v))
        .add("max double", (DoubleLambda.ToDouble2) (u, v) -> Math.max(u, v))
        .add("min max int", (IntLambda.ToInt2) (u, v) -> Math.min(u, v) - 2 * Math.max(u, v))
        .add("min max long", (LongLambda.ToLong2) (u, v) -> Math.min(u, v) - 2 * Math.max(u, v))
        .add("abs float", (FloatLambda.ToFloat1) v -> Math.abs(v))
        .add("abs int and long", (IntLambda.ToLong1) v -> Math.abs(v) + Math.abs((long) v))
        .add("signum", (FloatLambda.ToFloat1) v -> Math.signum(v))
        .add("signum of ints", (IntLambda.ToInt1) v -> Integer.signum(v))
        .add("signum of longs", (LongLambda.ToInt1) v -> Long.signum(v))
        .add(
            "floor ceil rint",
            (DoubleLambda.ToDouble1) v -> Math.floor(v) + 2 * Math.ceil(v) + 4 * Math.rint(v))
        .add("floor of float", (FloatLambda.ToFloat1) v -> (float) Math.floor(v))
        .add("ceil of float", (FloatLambda.ToFloat1) v -> (float) Math.ceil(v))
        .add("round float", (FloatLambda.ToInt1) v -> Math.round(v))
        .add("round double", (DoubleLambda.ToLong1) v -> Math.round(v))
        .add("round::", (FloatLambda.ToInt1) Math::round)
        .add("fma", (FloatLambda.ToFloat3) (u, v, w) -> Math.fma(u, v, w))
        .add("fma double", (DoubleLambda.ToDouble3) (u, v, w) -> Math.fma(u, v, w))
        .add("copySign", (FloatLambda.ToFloat2) (u, v) -> Float.isNaN(v) ? 0 : Math.copySign(u, v))
        .add(
            "toRadians toDegrees",
            (DoubleLambda.ToDouble1) v -> Math.toRadians(v) + Math.toDegrees(v))
        .add("clamp float", (FloatLambda.ToFloat1) v -> Math.clamp(v, -1f, 2.5f))
        .add("clamp double", (DoubleLambda.ToDouble1) v -> Math.clamp(v, -0.0, 2.5))
        .add("clamp long", (LongLambda.ToLong1) v -> Math.clamp(v, -10L, 20L))
        .add("clamp to int", (LongLambda.ToInt1) v -> Math.clamp(v, -10, 20))
        .add(
            "floorMod floorDiv",
            (IntLambda.ToInt2) (u, v) -> Math.floorMod(u, v) + 31 * Math.floorDiv(u, v))
        .add(
            "floorMod of longs",
            (LongLambda.ToLong2) (u, v) -> Math.floorMod(u, v) - Math.floorDiv(u, v))
        .add(
            "ceilDiv ceilMod",
            (IntLambda.ToInt2) (u, v) -> Math.ceilMod(u, v) + 31 * Math.ceilDiv(u, v))
        .add(
            "multiplyHigh",
            (LongLambda.ToLong2)
                (u, v) -> Math.multiplyHigh(u, v) ^ Math.unsignedMultiplyHigh(u, v))
        .add("multiplyFull", (IntLambda.ToLong2) (u, v) -> Math.multiplyFull(u, v))
        .add("scalb", (FloatLambda.ToFloat1) v -> Math.scalb(v, 5) + Math.scalb(v, -130))
        .add("scalb double", (DoubleLambda.ToDouble1) v -> Math.scalb(v, -3))
        .add("nextUp nextDown", (FloatLambda.ToFloat1) v -> Math.nextUp(v) - Math.nextDown(v))
        .add("getExponent", (FloatLambda.ToInt1) v -> Math.getExponent(v))
        .add("ulp", (FloatLambda.ToFloat1) v -> Math.ulp(v))
        .add(
            "isNaN isInfinite isFinite",
            (FloatLambda.ToInt1)
                v ->
                    (Float.isNaN(v) ? 1 : 0)
                        + (Float.isInfinite(v) ? 2 : 0)
                        + (Float.isFinite(v) ? 4 : 0))
        .add("isFinite double", (DoubleLambda.ToBoolean1) Double::isFinite)
        .add("Float.compare", (FloatLambda.ToInt2) (u, v) -> Float.compare(u, v))
        .add("Double.compare", (DoubleLambda.ToBoolean2) (u, v) -> Double.compare(u, v) < 0)
        .add("Integer.compare", (IntLambda.ToInt2) (u, v) -> Integer.compare(u, v))
        .add("Long.compareUnsigned", (LongLambda.ToInt2) (u, v) -> Long.compareUnsigned(u, v))
        .add(
            "Float.min max sum",
            (FloatLambda.ToFloat2) (u, v) -> Float.min(u, v) + Float.max(u, v) * Float.sum(u, v))
        .add("float bits", (FloatLambda.ToInt1) v -> Float.floatToRawIntBits(v) >>> 23)
        .add("float canonical bits", (FloatLambda.ToInt1) v -> Float.floatToIntBits(v))
        .add("double bits", (DoubleLambda.ToLong1) v -> Double.doubleToRawLongBits(v) >>> 52)
        .add("bits to float", (IntLambda.ToFloat1) v -> Float.intBitsToFloat(v & 0x7f7fffff))
        .add(
            "bits to double",
            (LongLambda.ToDouble1) v -> Double.longBitsToDouble(v & 0x7fefffffffffffffL))
        .add("bitCount", (IntLambda.ToInt1) v -> Integer.bitCount(v) + Long.bitCount(v))
        .add(
            "rotate",
            (IntLambda.ToInt2) (u, v) -> Integer.rotateLeft(u, v) ^ Integer.rotateRight(u, 5))
        .add("reverse", (IntLambda.ToInt1) v -> Integer.reverse(v) ^ Integer.reverseBytes(v))
        .add(
            "leading and trailing zeros",
            (IntLambda.ToInt1)
                v -> Integer.numberOfLeadingZeros(v) * 64 + Integer.numberOfTrailingZeros(v))
        .add(
            "highestOneBit", (LongLambda.ToLong1) v -> Long.highestOneBit(v) ^ Long.lowestOneBit(v))
        .add(
            "divideUnsigned",
            (IntLambda.ToInt2) (u, v) -> v == 0 ? 1 : Integer.divideUnsigned(u, v))
        .add("float16", (FloatLambda.ToFloat1) v -> Float.float16ToFloat(Float.floatToFloat16(v)));
  }
}
