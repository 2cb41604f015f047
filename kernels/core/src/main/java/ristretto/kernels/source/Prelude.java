package ristretto.kernels.source;

/** Functions that rendered code calls, common to all dialects: Java's semantics in C. */
public final class Prelude {
  private static final String INTEGERS =
      """
      typedef i32 flag;
      typedef u8 b8;
      // Signed overflow is undefined in C.
      FUNCTION i32 add_i32(i32 a, i32 b) { return (i32) ((u32) a + (u32) b); }
      FUNCTION i64 add_i64(i64 a, i64 b) { return (i64) ((u64) a + (u64) b); }
      FUNCTION i32 sub_i32(i32 a, i32 b) { return (i32) ((u32) a - (u32) b); }
      FUNCTION i64 sub_i64(i64 a, i64 b) { return (i64) ((u64) a - (u64) b); }
      FUNCTION i32 mul_i32(i32 a, i32 b) { return (i32) ((u32) a * (u32) b); }
      FUNCTION i64 mul_i64(i64 a, i64 b) { return (i64) ((u64) a * (u64) b); }
      FUNCTION i32 abs_i32(i32 a) { return a < 0 ? sub_i32(0, a) : a; }
      FUNCTION i64 abs_i64(i64 a) { return a < 0 ? sub_i64(0, a) : a; }
      FUNCTION i32 min_i32(i32 a, i32 b) { return a < b ? a : b; }
      FUNCTION i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }
      FUNCTION i32 max_i32(i32 a, i32 b) { return a > b ? a : b; }
      FUNCTION i64 max_i64(i64 a, i64 b) { return a > b ? a : b; }
      FUNCTION i32 ushr_i32(i32 a, i32 n) { return (i32) ((u32) a >> (n & 31)); }
      FUNCTION i64 ushr_i64(i64 a, i64 n) { return (i64) ((u64) a >> (n & 63)); }
      FUNCTION i32 mulhi_i32(i32 a, i32 b) { return (i32) (((u64) (u32) a * (u64) (u32) b) >> 32); }
      // The divisor is replaced first, so that no lane ever divides by 0 or overflows.
      FUNCTION i32 div_i32(i32 a, i32 b) {
        const i32 q = a / (b == 0 || b == -1 ? 1 : b);
        return b == 0 ? 0 : b == -1 ? sub_i32(0, a) : q;
      }
      FUNCTION i32 rem_i32(i32 a, i32 b) { return a % (b == 0 || b == -1 ? 1 : b); }
      FUNCTION i64 div_i64(i64 a, i64 b) {
        const i64 q = a / (b == 0 || b == -1 ? 1 : b);
        return b == 0 ? 0 : b == -1 ? sub_i64(0, a) : q;
      }
      FUNCTION i64 rem_i64(i64 a, i64 b) { return a % (b == 0 || b == -1 ? 1 : b); }
      """;

  /** Template of the functions for f32 and f64; REAL stands for the type. */
  private static final String FLOATS =
      """
      FUNCTION REAL min_REAL(REAL a, REAL b) {
        return a != a ? a : b != b ? b : a < b ? a : b < a ? b
            : REAL_BITS(WORD_BITS(a) | WORD_BITS(b));
      }
      FUNCTION REAL max_REAL(REAL a, REAL b) {
        return a != a ? a : b != b ? b : a > b ? a : b > a ? b
            : REAL_BITS(WORD_BITS(a) & WORD_BITS(b));
      }
      FUNCTION i32 i32_of_REAL(REAL a) {
        const REAL limit = (REAL) 2147483648u;
        return a != a ? 0 : a >= limit ? 2147483647 : a <= -limit ? -2147483647 - 1 : (i32) a;
      }
      FUNCTION i64 i64_of_REAL(REAL a) {
        const REAL limit = (REAL) I64(4611686018427387904) * 2;
        return a != a ? 0 : a >= limit ? I64(9223372036854775807)
            : a <= -limit ? -I64(9223372036854775807) - 1 : (i64) a;
      }
      """;

  private static final String HALVES =
      """
      FUNCTION f32 f32_of_f16(u16 h) {
        const u32 sign = (u32) (h & 0x8000u) << 16;
        const u32 exponent = (u32) (h >> 10) & 31u;
        const u32 mantissa = (u32) h & 0x3ffu;
        const u32 small = (u32) I32_BITS((f32) mantissa * 0x1p-24f);
        const u32 normal = (exponent == 31u ? 0x7f800000u : (exponent + 112u) << 23) | mantissa << 13;
        return F32_BITS((i32) (sign | (exponent == 0u ? small : normal)));
      }
      FUNCTION u16 f16_of_f32(f32 v) {
        const u32 bits = (u32) I32_BITS(v);
        const u32 sign = bits >> 16 & 0x8000u;
        const u32 a = bits & 0x7fffffffu;
        // Adding 1/2 rounds to multiples of 2^-24, the smallest half.
        const u32 small = (u32) I32_BITS(F32_BITS((i32) a) + 0.5f) - 0x3f000000u;
        const u32 normal = ((a + 0xfffu + (a >> 13 & 1u)) >> 13) - (112u << 10);
        const u32 h = a > 0x7f800000u ? 0x7e00u : a >= 0x47800000u ? 0x7c00u
            : a < 0x38800000u ? small : normal;
        return (u16) (sign | h);
      }
      FUNCTION f32 f32_of_bf16(u16 h) { return F32_BITS((i32) ((u32) h << 16)); }
      FUNCTION u16 bf16_of_f32(f32 v) {
        const u32 bits = (u32) I32_BITS(v);
        return (u16) (v != v ? 0x7fc0u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
      }
      """;

  /** Combines an F32 sum with its accumulated rounding error. */
  private static final String PAIRS =
      """
      FUNCTION f32 sum_of_parts(f32 high, f32 low) {
        const f32 both = high + low;
        return both == both ? both : high;
      }
      """;

  private Prelude() {}

  static String text(boolean wide) {
    return INTEGERS + floats("32") + (wide ? floats("64") : PAIRS) + HALVES;
  }

  private static String floats(String bits) {
    return FLOATS
        .replace("REAL_BITS", "F" + bits + "_BITS")
        .replace("WORD_BITS", "I" + bits + "_BITS")
        .replace("REAL", "f" + bits);
  }
}
