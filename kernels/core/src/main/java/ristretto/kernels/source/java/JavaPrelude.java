package ristretto.kernels.source.java;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import ristretto.kernels.source.Dialect;
import ristretto.kernels.source.Prelude;

/**
 * Java methods that rendered code calls: the functions of {@link Prelude} and of {@link Dialect}. A
 * program contains only the ones that it calls.
 */
final class JavaPrelude {
  private static final String INTEGERS =
      """
      private static int add_i32(int a, int b) { return a + b; }
      private static long add_i64(long a, long b) { return a + b; }
      private static int sub_i32(int a, int b) { return a - b; }
      private static long sub_i64(long a, long b) { return a - b; }
      private static int mul_i32(int a, int b) { return a * b; }
      private static long mul_i64(long a, long b) { return a * b; }
      private static int abs_i32(int a) { return a < 0 ? sub_i32(0, a) : a; }
      private static long abs_i64(long a) { return a < 0 ? sub_i64(0, a) : a; }
      private static int min_i32(int a, int b) { return a < b ? a : b; }
      private static long min_i64(long a, long b) { return a < b ? a : b; }
      private static int max_i32(int a, int b) { return a > b ? a : b; }
      private static long max_i64(long a, long b) { return a > b ? a : b; }
      private static int ushr_i32(int a, int n) { return a >>> n; }
      private static long ushr_i64(long a, long n) { return a >>> n; }
      private static int mulhi_i32(int a, int b) {
        return (int) (mul_i64(a & 0xffffffffL, b & 0xffffffffL) >> 32);
      }
      private static int div_i32(int a, int b) {
        final int q = a / (b == 0 || b == -1 ? 1 : b);
        return b == 0 ? 0 : b == -1 ? sub_i32(0, a) : q;
      }
      private static int rem_i32(int a, int b) { return a % (b == 0 || b == -1 ? 1 : b); }
      private static long div_i64(long a, long b) {
        final long q = a / (b == 0 || b == -1 ? 1 : b);
        return b == 0 ? 0 : b == -1 ? sub_i64(0, a) : q;
      }
      private static long rem_i64(long a, long b) { return a % (b == 0 || b == -1 ? 1 : b); }
      """;

  /** Template of the methods for f32 and f64; REAL and TYPE stand for the type. */
  private static final String FLOATS =
      """
      private static REAL min_TYPE(REAL a, REAL b) {
        return a != a ? a : b != b ? b : a < b ? a : b < a ? b
            : FROM_BITS(TO_BITS(a) | TO_BITS(b));
      }
      private static REAL max_TYPE(REAL a, REAL b) {
        return a != a ? a : b != b ? b : a > b ? a : b > a ? b
            : FROM_BITS(TO_BITS(a) & TO_BITS(b));
      }
      private static int i32_of_TYPE(REAL a) { return (int) a; }
      private static long i64_of_TYPE(REAL a) { return (long) a; }
      private static REAL abs_TYPE(REAL a) { return Math.abs(a); }
      private static REAL sqrt_TYPE(REAL a) { return (REAL) Math.sqrt(a); }
      private static REAL fma_TYPE(REAL a, REAL b, REAL c) { return Math.fma(a, b, c); }
      private static REAL fmod_TYPE(REAL a, REAL b) { return a % b; }
      """;

  private static final String HALVES =
      """
      private static float f32_of_f16(int h) {
        final int sign = (h & 0x8000) << 16;
        final int exponent = h >> 10 & 31;
        final int mantissa = h & 0x3ff;
        final int small = Float.floatToRawIntBits((float) mantissa * 0x1p-24f);
        final int normal = (exponent == 31 ? 0x7f800000 : exponent + 112 << 23) | mantissa << 13;
        return Float.intBitsToFloat(sign | (exponent == 0 ? small : normal));
      }
      private static int f16_of_f32(float v) {
        final int bits = Float.floatToRawIntBits(v);
        final int sign = bits >> 16 & 0x8000;
        final int a = bits & 0x7fffffff;
        // Adding 1/2 rounds to multiples of 2^-24, the smallest half.
        final int small = Float.floatToRawIntBits(Float.intBitsToFloat(a) + 0.5f) - 0x3f000000;
        final int normal = (a + 0xfff + (a >> 13 & 1) >> 13) - (112 << 10);
        final int h = a > 0x7f800000 ? 0x7e00 : a >= 0x47800000 ? 0x7c00
            : a < 0x38800000 ? small : normal;
        return sign | h;
      }
      private static float f32_of_bf16(int h) { return Float.intBitsToFloat(h << 16); }
      private static int bf16_of_f32(float v) {
        final int bits = Float.floatToRawIntBits(v);
        return v != v ? 0x7fc0 : (bits >> 16) + ((bits & 0xffff) + 0x7fff + (bits >> 16 & 1) >> 16);
      }
      private static float sum_of_parts(float high, float low) {
        final float both = high + low;
        return both == both ? both : high;
      }
      """;

  /** Functions of one argument in {@link Math}. */
  private static final String[] UNARY = {
    "exp", "expm1", "log", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
    "cosh", "tanh", "cbrt"
  };

  private static final String[] BINARY = {"pow", "atan2", "hypot"};

  private static final Pattern WORD = Pattern.compile("\\b[a-z]\\w*_\\w+(?=\\()");
  private static final Map<String, String> METHODS = methods();

  private JavaPrelude() {}

  private static Map<String, String> methods() {
    var all = new StringBuilder(INTEGERS).append(HALVES);
    for (String[] t :
        new String[][] {{"f32", "float", "Float", "Int"}, {"f64", "double", "Double", "Long"}}) {
      all.append(
          FLOATS
              .replace("FROM_BITS", t[2] + "." + t[3].toLowerCase(Locale.ROOT) + "BitsTo" + t[2])
              .replace("TO_BITS", t[2] + "." + t[1] + "ToRaw" + t[3] + "Bits")
              .replace("TYPE", t[0])
              .replace("REAL", t[1]));
      for (String f : UNARY) {
        all.append(
            String.format(
                Locale.ROOT,
                "private static %2$s %3$s_%1$s(%2$s a) { return (%2$s) Math.%3$s(a); }%n",
                t[0],
                t[1],
                f));
      }
      for (String f : BINARY) {
        all.append(
            String.format(
                Locale.ROOT,
                "private static %2$s %3$s_%1$s(%2$s a, %2$s b) { return (%2$s) Math.%3$s(a, b);"
                    + " }%n",
                t[0],
                t[1],
                f));
      }
    }
    var methods = new LinkedHashMap<String, String>();
    for (String method : all.toString().split("(?m)^(?=private)")) {
      Matcher name = WORD.matcher(method);
      if (name.find()) {
        methods.put(name.group(), method);
      }
    }
    return methods;
  }

  /** Returns the methods that {@code program} calls, directly or indirectly. */
  static String methods(String program) {
    var called = new LinkedHashMap<String, String>();
    collect(program, called);
    return String.join("", called.values());
  }

  private static void collect(String text, Map<String, String> called) {
    for (Matcher m = WORD.matcher(text); m.find(); ) {
      String method = METHODS.get(m.group());
      if (method != null && called.put(m.group(), method) == null) {
        collect(method, called);
      }
    }
  }
}
