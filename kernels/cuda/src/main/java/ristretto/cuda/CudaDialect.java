package ristretto.cuda;

import ristretto.kernels.source.Dialect;

/** CUDA C++ for NVRTC, without headers. */
final class CudaDialect implements Dialect {
  private static final String TYPES =
      """
      typedef signed char i8;
      typedef unsigned char u8;
      typedef short i16;
      typedef unsigned short u16;
      typedef int i32;
      typedef unsigned int u32;
      typedef long long i64;
      typedef unsigned long long u64;
      typedef float f32;
      typedef double f64;
      #define KERNEL extern "C" __global__
      #define FUNCTION static __device__ inline
      #define GLOBAL
      #define LOCAL __shared__
      #define CONSTANT
      #define BARRIER __syncthreads()
      #define POINT_0 ((i64) blockIdx.x * blockDim.x + threadIdx.x)
      #define POINT_1 ((i64) blockIdx.y * blockDim.y + threadIdx.y)
      #define POINT_2 ((i64) blockIdx.z * blockDim.z + threadIdx.z)
      #define POINT(d) POINT_##d
      #define GROUP_0 blockIdx.x
      #define GROUP_1 blockIdx.y
      #define GROUP_2 blockIdx.z
      #define GROUP(d) GROUP_##d
      #define LANE threadIdx.x
      #define SIZE_0 blockDim.x
      #define SIZE_1 blockDim.y
      #define SIZE_2 blockDim.z
      #define SIZE(d) SIZE_##d
      #define GROUPS_0 gridDim.x
      #define GROUPS_1 gridDim.y
      #define GROUPS_2 gridDim.z
      #define GROUPS(d) GROUPS_##d
      #define POINTS(d) ((i64) GROUPS(d) * SIZE(d))
      #define SHUFFLE(x, lane, n) __shfl_sync(0xffffffffu, x, lane, n)
      #define SHUFFLE_DOWN(x, by, n) __shfl_down_sync(0xffffffffu, x, by, n)
      #define ALIGNED(n) alignas(n)
      #define UNROLL _Pragma("unroll")
      #define I64(x) x##LL
      #define I32_BITS(x) __float_as_int(x)
      #define F32_BITS(x) __int_as_float(x)
      #define I64_BITS(x) __double_as_longlong(x)
      #define F64_BITS(x) __longlong_as_double(x)
      #define abs_f32 fabsf
      #define abs_f64 fabs
      """;

  private static final String[] FUNCTIONS = {
    "sqrt", "fma", "fmod", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos",
    "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "pow",
    "atan2", "hypot", "erf", "erfc"
  };

  @Override
  public String preamble(boolean wide) {
    var text = new StringBuilder(TYPES);
    for (String function : FUNCTIONS) {
      text.append("#define ").append(function).append("_f32 ").append(function).append("f\n");
      text.append("#define ").append(function).append("_f64 ").append(function).append('\n');
    }
    return text.toString();
  }
}
