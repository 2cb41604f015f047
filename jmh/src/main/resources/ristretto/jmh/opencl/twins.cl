// What an expert writes by hand for the lines of the benchmark. REAL is float or one of its vector
// types, INT the same of int; WIDTH is the number of elements in it.

#define MAP(name, value)                                                                    \
  kernel void name(global const REAL* restrict pa, global const REAL* restrict pb,          \
                   global const REAL* restrict pc, global REAL* restrict y, const int n) {  \
    const int i = get_global_id(0);                                                         \
    if (i < n) y[i] = value;                                                                \
  }                                                                                         \
  kernel void name##_loop(global const REAL* restrict pa, global const REAL* restrict pb,   \
                          global const REAL* restrict pc, global REAL* restrict y,          \
                          const int n) {                                                    \
    const int size = (n + get_global_size(0) - 1) / get_global_size(0);                     \
    const int first = get_global_id(0) * size;                                              \
    const int end = min(first + size, n);                                                   \
    for (int i = first; i < end; i++) y[i] = value;                                         \
  }

#define A pa[i]
#define B pb[i]
#define C pc[i]

REAL normal(REAL d) {
  const REAL k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  const REAL p = k * fma(k, fma(k, fma(k, fma(k, 1.330274429f, -1.821255978f), 1.781477937f),
      -0.356563782f), 0.319381530f);
  const REAL upper = 0.39894228f * exp(-0.5f * d * d) * p;
  return select(1.0f - upper, upper, (INT) (d < 0.0f));
}

REAL price(REAL spot, REAL strike, REAL time) {
  const REAL deviation = 0.3f * sqrt(time);
  const REAL d = (log(spot / strike) + 0.065f * time) / deviation;
  return spot * normal(d) - strike * exp(-0.02f * time) * normal(d - deviation);
}

MAP(copy, A)
MAP(axpby, 3.0f * A + 2.0f * B)
MAP(sigmoid, 1.0f / (1.0f + exp(-A)))
MAP(mix8, fmax(sqrt(A * B + C) / exp(B), log(A) * C))
MAP(blackscholes, price(A, B, C))

// ---- reductions -------------------------------------------------------------------------------

#if WIDTH == 1
float added(float v) { return v; }
float highest(float v) { return v; }
#elif WIDTH == 4
float added(float4 v) { return (v.x + v.y) + (v.z + v.w); }
float highest(float4 v) { return fmax(fmax(v.x, v.y), fmax(v.z, v.w)); }
#elif WIDTH == 8
float added4(float4 v) { return (v.x + v.y) + (v.z + v.w); }
float highest4(float4 v) { return fmax(fmax(v.x, v.y), fmax(v.z, v.w)); }
float added(float8 v) { return added4(v.lo + v.hi); }
float highest(float8 v) { return highest4(fmax(v.lo, v.hi)); }
#else
float added4(float4 v) { return (v.x + v.y) + (v.z + v.w); }
float highest4(float4 v) { return fmax(fmax(v.x, v.y), fmax(v.z, v.w)); }
float added8(float8 v) { return added4(v.lo + v.hi); }
float highest8(float8 v) { return highest4(fmax(v.lo, v.hi)); }
float added(float16 v) { return added8(v.lo + v.hi); }
float highest(float16 v) { return highest8(fmax(v.lo, v.hi)); }
#endif

// For processors: an item has a row, or a chunk, for itself, in n vectors.

float row_sum(global const REAL* x, const int n) {
  REAL s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int j = 0;
  for (; j + 3 < n; j += 4) {
    s0 += x[j];
    s1 += x[j + 1];
    s2 += x[j + 2];
    s3 += x[j + 3];
  }
  for (; j < n; j++) s0 += x[j];
  return added((s0 + s1) + (s2 + s3));
}

kernel void sum3_loop(global const REAL* restrict pa, global const REAL* restrict pb,
                      global const REAL* restrict pc, global float* restrict y, const int n) {
  const int size = (n + get_global_size(0) - 1) / get_global_size(0);
  const int first = get_global_id(0) * size;
  const int end = min(first + size, n);
  REAL s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = first;
  for (; i + 3 < end; i += 4) {
    s0 += (pa[i] + pb[i]) * pc[i];
    s1 += (pa[i + 1] + pb[i + 1]) * pc[i + 1];
    s2 += (pa[i + 2] + pb[i + 2]) * pc[i + 2];
    s3 += (pa[i + 3] + pb[i + 3]) * pc[i + 3];
  }
  for (; i < end; i++) s0 += (A + B) * C;
  y[get_global_id(0)] = added((s0 + s1) + (s2 + s3));
}

kernel void total_loop(global const float* restrict parts, global float* restrict y, const int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += parts[i];
  y[0] = s;
}

kernel void rowsum_loop(global const REAL* restrict x, global float* restrict y, const int n) {
  const int row = get_global_id(0);
  y[row] = row_sum(x + (size_t) row * n, n);
}

kernel void softmax_loop(global const REAL* restrict px, global REAL* restrict py, const int n) {
  global const REAL* x = px + (size_t) get_global_id(0) * n;
  global REAL* y = py + (size_t) get_global_id(0) * n;
  REAL m = -INFINITY;
  for (int j = 0; j < n; j++) m = fmax(m, x[j]);
  const float most = highest(m);
  REAL s = 0;
  for (int j = 0; j < n; j++) {
    const REAL e = exp(x[j] - most);
    s += e;
    y[j] = e;
  }
  const float scale = 1.0f / added(s);
  for (int j = 0; j < n; j++) y[j] *= scale;
}

kernel void layernorm_loop(global const REAL* restrict px, global REAL* restrict py, const int n) {
  global const REAL* x = px + (size_t) get_global_id(0) * n;
  global REAL* y = py + (size_t) get_global_id(0) * n;
  const float mean = row_sum(x, n) / (n * WIDTH);
  REAL s = 0, t = 0;
  int j = 0;
  for (; j + 1 < n; j += 2) {
    const REAL d = x[j] - mean;
    const REAL e = x[j + 1] - mean;
    s += d * d;
    t += e * e;
  }
  for (; j < n; j++) s += (x[j] - mean) * (x[j] - mean);
  const float scale = rsqrt(added(s + t) / (n * WIDTH) + 1e-5f);
  for (j = 0; j < n; j++) y[j] = (x[j] - mean) * scale;
}

// For GPUs: a group has a row.

#define GROUP 256

float group_added(local float* t, float v) {
  const int lane = get_local_id(0);
  t[lane] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = GROUP / 2; step > 0; step /= 2) {
    if (lane < step) t[lane] += t[lane + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float all = t[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return all;
}

float group_highest(local float* t, float v) {
  const int lane = get_local_id(0);
  t[lane] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = GROUP / 2; step > 0; step /= 2) {
    if (lane < step) t[lane] = fmax(t[lane], t[lane + step]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float all = t[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return all;
}

kernel void sum3(global const REAL* restrict pa, global const REAL* restrict pb,
                 global const REAL* restrict pc, global float* restrict y, const int n) {
  local float t[GROUP];
  REAL s = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) s += (A + B) * C;
  const float all = group_added(t, added(s));
  if (get_local_id(0) == 0) y[get_group_id(0)] = all;
}

kernel void total(global const float* restrict parts, global float* restrict y, const int n) {
  local float t[GROUP];
  float s = 0;
  for (int i = get_local_id(0); i < n; i += GROUP) s += parts[i];
  const float all = group_added(t, s);
  if (get_local_id(0) == 0) y[0] = all;
}

kernel void rowsum(global const REAL* restrict x, global float* restrict y, const int n) {
  local float t[GROUP];
  const int row = get_group_id(0);
  REAL s = 0;
  for (int j = get_local_id(0); j < n; j += GROUP) s += x[(size_t) row * n + j];
  const float all = group_added(t, added(s));
  if (get_local_id(0) == 0) y[row] = all;
}

kernel void softmax(global const REAL* restrict px, global REAL* restrict py, const int n) {
  local float t[GROUP];
  global const REAL* x = px + (size_t) get_group_id(0) * n;
  global REAL* y = py + (size_t) get_group_id(0) * n;
  REAL m = -INFINITY;
  for (int j = get_local_id(0); j < n; j += GROUP) m = fmax(m, x[j]);
  const float most = group_highest(t, highest(m));
  REAL s = 0;
  for (int j = get_local_id(0); j < n; j += GROUP) s += exp(x[j] - most);
  const float scale = 1.0f / group_added(t, added(s));
  for (int j = get_local_id(0); j < n; j += GROUP) y[j] = exp(x[j] - most) * scale;
}

kernel void layernorm(global const REAL* restrict px, global REAL* restrict py, const int n) {
  local float t[GROUP];
  global const REAL* x = px + (size_t) get_group_id(0) * n;
  global REAL* y = py + (size_t) get_group_id(0) * n;
  REAL s = 0;
  for (int j = get_local_id(0); j < n; j += GROUP) s += x[j];
  const float mean = group_added(t, added(s)) / (n * WIDTH);
  REAL q = 0;
  for (int j = get_local_id(0); j < n; j += GROUP) q += (x[j] - mean) * (x[j] - mean);
  const float scale = rsqrt(group_added(t, added(q)) / (n * WIDTH) + 1e-5f);
  for (int j = get_local_id(0); j < n; j += GROUP) y[j] = (x[j] - mean) * scale;
}

// ---- launching --------------------------------------------------------------------------------

kernel void ten(global const float* restrict pa, global const float* restrict pb,
                global float* restrict y, const int n) {
  const int i = get_global_id(0);
  if (i < n) {
    const float a = pa[i];
    const float b = pb[i];
    const float first = (a * b + a) * 0.5f;
    const float second = (b - a) * 2 + b;
    y[i] = first * second + first * b - second;
  }
}
