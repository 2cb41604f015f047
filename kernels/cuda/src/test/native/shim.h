// What stands before the CUDA C of a kernel when g++ compiles it for the stand-in GPU.
struct standin_dim {
  unsigned x, y, z;
};

/// Who runs, and how it waits for others; filled in by the stand-in driver.
struct standin_state {
  standin_dim thread, block, size, grid;
  void (*barrier)();
  /// Gives `value` to the warp and replaces it by that of lane `source`.
  void (*shuffle)(void* value, unsigned bytes, unsigned source, unsigned mask);
};

static standin_state* standin;
extern "C" void standin_bind(standin_state* state) { standin = state; }

#define threadIdx (standin->thread)
#define blockIdx (standin->block)
#define blockDim (standin->size)
#define gridDim (standin->grid)
#define __global__
#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __syncthreads() standin->barrier()

static inline unsigned standin_lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

template <class T> static inline T __shfl_xor_sync(unsigned mask, T value, int lane, int width = 32) {
  unsigned source = standin_lane() ^ lane;
  bool inside = source / width == standin_lane() / width;
  standin->shuffle(&value, sizeof value, inside ? source : standin_lane(), mask);
  return value;
}

template <class T> static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  unsigned source = standin_lane() + by;
  bool inside = source / width == standin_lane() / width;
  standin->shuffle(&value, sizeof value, inside ? source : standin_lane(), mask);
  return value;
}

template <class T> static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  unsigned lane = standin_lane();
  bool inside = lane % width >= by;
  standin->shuffle(&value, sizeof value, inside ? lane - by : lane, mask);
  return value;
}

template <class T> static inline T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  unsigned lane = standin_lane();
  standin->shuffle(&value, sizeof value, lane / width * width + from % width, mask);
  return value;
}

static inline void __syncwarp(unsigned mask = 0xffffffffu) {
  int nothing = 0;
  standin->shuffle(&nothing, sizeof nothing, standin_lane(), mask);
}

template <class To, class From> static inline To standin_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
static inline int __float_as_int(float v) { return standin_bits<int>(v); }
static inline float __int_as_float(int v) { return standin_bits<float>(v); }
static inline long long __double_as_longlong(double v) { return standin_bits<long long>(v); }
static inline double __longlong_as_double(long long v) { return standin_bits<double>(v); }

template <class T> static inline T __ldg(const T* p) { return *p; }
template <class T> static inline T __ldcs(const T* p) { return *p; }
template <class T> static inline void __stcs(T* p, T v) { *p = v; }

#define STANDIN_UNARY(name) \
  extern "C" double name(double); \
  extern "C" float name##f(float);
#define STANDIN_BINARY(name) \
  extern "C" double name(double, double); \
  extern "C" float name##f(float, float);
STANDIN_UNARY(fabs) STANDIN_UNARY(sqrt) STANDIN_UNARY(exp) STANDIN_UNARY(exp2) STANDIN_UNARY(expm1)
STANDIN_UNARY(log) STANDIN_UNARY(log2) STANDIN_UNARY(log10) STANDIN_UNARY(log1p) STANDIN_UNARY(sin)
STANDIN_UNARY(cos) STANDIN_UNARY(tan) STANDIN_UNARY(asin) STANDIN_UNARY(acos) STANDIN_UNARY(atan)
STANDIN_UNARY(sinh) STANDIN_UNARY(cosh) STANDIN_UNARY(tanh) STANDIN_UNARY(asinh) STANDIN_UNARY(acosh)
STANDIN_UNARY(atanh) STANDIN_UNARY(cbrt) STANDIN_UNARY(erf) STANDIN_UNARY(erfc) STANDIN_UNARY(rint)
STANDIN_UNARY(floor) STANDIN_UNARY(ceil) STANDIN_UNARY(trunc)
STANDIN_BINARY(pow) STANDIN_BINARY(atan2) STANDIN_BINARY(hypot) STANDIN_BINARY(fmod)
extern "C" double fma(double, double, double);
extern "C" float fmaf(float, float, float);
// glibc's is further off than CUDA's, which keeps to 1 ulp.
extern "C" long double cbrtl(long double);
#define cbrt(x) ((double)cbrtl(x))

// ---- how the driver calls a kernel, whose parameters only the compiler knows ----

template <unsigned... I> struct standin_indices {};
template <unsigned N, unsigned... I> struct standin_count : standin_count<N - 1, N - 1, I...> {};
template <unsigned... I> struct standin_count<0, I...> {
  typedef standin_indices<I...> type;
};
template <class T> struct standin_plain {
  typedef T type;
};
template <class T> struct standin_plain<const T> {
  typedef T type;
};

template <class... A, unsigned... I>
static void standin_call(void (*kernel)(A...), void** p, standin_indices<I...>) {
  kernel(*(typename standin_plain<A>::type*)p[I]...);
}
template <class... A> static void standin_call(void (*kernel)(A...), void** p) {
  standin_call(kernel, p, typename standin_count<sizeof...(A)>::type());
}
template <class... A> static unsigned standin_sizes(void (*)(A...), unsigned* sizes) {
  const unsigned all[] = {(unsigned)sizeof(A)..., 0};
  for (unsigned k = 0; k < sizeof...(A); k++) sizes[k] = all[k];
  return sizeof...(A);
}
#define STANDIN_KERNEL(name) \
  extern "C" void standin_run_##name(void** p) { standin_call(name, p); } \
  extern "C" unsigned standin_sizes_##name(unsigned* sizes) { return standin_sizes(name, sizes); }

#line 1 "program.cu"
