package ristretto.opencl;

import ristretto.kernels.source.Dialect;

/**
 * OpenCL C 1.2.
 *
 * @param lanes F32 lanes of the vectors for loops with independent iterations. Compilers by default
 *     choose narrower vectors than the processor has, which costs a third of the speed of kernels
 *     with much arithmetic.
 */
record OpenClDialect(int lanes) implements Dialect {
  private static final String TYPES =
      """
      #pragma OPENCL FP_CONTRACT OFF
      typedef char i8;
      typedef uchar u8;
      typedef short i16;
      typedef ushort u16;
      typedef int i32;
      typedef uint u32;
      typedef long i64;
      typedef ulong u64;
      typedef float f32;
      #define KERNEL __kernel
      #define FUNCTION static
      #define GLOBAL __global
      #define LOCAL __local
      #define CONSTANT __constant
      #define BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
      #define POINT(d) get_global_id(d)
      #define GROUP(d) get_group_id(d)
      #define LANE get_local_id(0)
      #define ALIGNED(n) __attribute__((aligned(n)))
      typedef float4 f32x4;
      typedef float8 f32x8;
      typedef float16 f32x16;
      #define I64(x) x##L
      #define I32_BITS(x) as_int(x)
      #define F32_BITS(x) as_float(x)
      #define I64_BITS(x) as_long(x)
      """;

  /** Pragma for sums in any order. Compilers that do not know the pragma add sequentially. */
  private static final String SUMS =
      """
      #if __clang_major__ >= 12
      #define ANY_ORDER _Pragma("clang fp reassociate(on)")
      #else
      #define ANY_ORDER
      #endif
      """;

  private static final String WIDE =
      """
      #pragma OPENCL EXTENSION cl_khr_fp64 : enable
      typedef double f64;
      typedef double2 f64x2;
      typedef double4 f64x4;
      typedef double8 f64x8;
      #define F64_BITS(x) as_double(x)
      """;

  private static final String[] FUNCTIONS = {
    "sqrt", "fma", "fmod", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos",
    "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "pow",
    "atan2", "hypot", "erf", "erfc"
  };

  @Override
  public String preamble(boolean wide) {
    var text = new StringBuilder(TYPES);
    if (lanes > 1) {
      text.append("#define INDEPENDENT _Pragma(\"clang loop vectorize(assume_safety)");
      text.append(" vectorize_width(").append(lanes).append(")\")\n").append(SUMS);
    }
    for (String type : wide ? new String[] {"f32", "f64"} : new String[] {"f32"}) {
      text.append("#define abs_").append(type).append(" fabs\n");
      for (String function : FUNCTIONS) {
        text.append("#define ").append(function).append('_').append(type).append(' ');
        text.append(function).append('\n');
      }
    }
    return text + (wide ? WIDE : "");
  }
}
