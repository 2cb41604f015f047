/* The lines in C, as one would write them for gcc -Ofast and libmvec. */
#include <math.h>

#define MAP(name, expression)                                                                 \
  void name(const float *restrict a, const float *restrict b, const float *restrict c,        \
            float *restrict y, long n) {                                                      \
    for (long i = 0; i < n; i++) y[i] = (expression);                                         \
  }

static inline float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float p = k * (0.319381530f +
                 k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float w = 0.39894228f * expf(-0.5f * d * d) * p;
  return d < 0 ? w : 1.0f - w;
}

static inline float call(float spot, float strike, float time) {
  float deviation = 0.3f * sqrtf(time);
  float d1 = (logf(spot / strike) + 0.065f * time) / deviation;
  return spot * normal(d1) - strike * expf(-0.02f * time) * normal(d1 - deviation);
}

MAP(copy, a[i])
MAP(axpby, 3.0f * a[i] + 2.0f * b[i])
MAP(sigmoid, 1.0f / (1.0f + expf(-a[i])))
MAP(gelu, 0.5f * a[i] * (1.0f + tanhf(0.7978845608f * (a[i] + 0.044715f * a[i] * a[i] * a[i]))))
MAP(mix8, fmaxf(sqrtf(a[i] * b[i] + c[i]) / expf(b[i]), logf(a[i]) * c[i]))
MAP(blackscholes, call(a[i], b[i], c[i]))

double sum3(const float *a, const float *b, const float *c, long n) {
  double total = 0;
  for (long i = 0; i < n; i += 16384) {
    long end = i + 16384 < n ? i + 16384 : n;
    float part = 0;
    for (long j = i; j < end; j++) part += (a[j] + b[j]) * c[j];
    total += part;
  }
  return total;
}

void softmax(const float *x, float *y, long rows, long cols) {
  for (long r = 0; r < rows; r++, x += cols, y += cols) {
    float most = x[0], total = 0;
    for (long j = 1; j < cols; j++) most = x[j] > most ? x[j] : most;
    for (long j = 0; j < cols; j++) {
      float e = expf(x[j] - most);
      y[j] = e;
      total += e;
    }
    float scale = 1.0f / total;
    for (long j = 0; j < cols; j++) y[j] *= scale;
  }
}

void layernorm(const float *x, float *y, long rows, long cols) {
  for (long r = 0; r < rows; r++, x += cols, y += cols) {
    float total = 0, squares = 0;
    for (long j = 0; j < cols; j++) total += x[j];
    float mean = total / cols;
    for (long j = 0; j < cols; j++) squares += (x[j] - mean) * (x[j] - mean);
    float scale = 1.0f / sqrtf(squares / cols + 1e-5f);
    for (long j = 0; j < cols; j++) y[j] = (x[j] - mean) * scale;
  }
}

void rowsum(const float *x, float *y, long rows, long cols) {
  for (long r = 0; r < rows; r++, x += cols) {
    float total = 0;
    for (long j = 0; j < cols; j++) total += x[j];
    y[r] = total;
  }
}

/* Adds rows that are stride floats apart to y. */
void addrows(const float *x, long stride, long rows, float *restrict y, long cols) {
  for (long r = 0; r < rows; r++, x += stride)
    for (long j = 0; j < cols; j++) y[j] += x[j];
}

void maxrows(const float *x, long stride, long rows, float *restrict y, long cols) {
  for (long r = 0; r < rows; r++, x += stride)
    for (long j = 0; j < cols; j++) y[j] = x[j] > y[j] ? x[j] : y[j];
}

void biasrelu(const float *x, const float *b, float *restrict y, long rows, long cols) {
  for (long r = 0; r < rows; r++, x += cols, y += cols)
    for (long j = 0; j < cols; j++) {
      float v = x[j] + b[j];
      y[j] = v > 0 ? v : 0;
    }
}

/* Rows from..to of y[cols, rows] = x[rows, cols] transposed, in blocks. */
void transpose(const float *restrict x, float *restrict y, long rows, long cols, long from,
               long to) {
  for (long c = from; c < to; c += 32)
    for (long r = 0; r < rows; r += 32) {
      long width = c + 32 < to ? 32 : to - c, height = r + 32 < rows ? 32 : rows - r;
      for (long i = 0; i < width; i++)
        for (long j = 0; j < height; j++) y[(c + i) * rows + r + j] = x[(r + j) * cols + c + i];
    }
}

void evens(const float *restrict x, float *restrict y, long n) {
  for (long j = 0; j < n; j++) y[j] = x[2 * j];
}
