// A stand-in for cuBLAS: products in plain loops, in the order of the stand-in driver's streams.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "stream.h"

#ifndef STANDIN_MAJOR
#define STANDIN_MAJOR 12
#endif

namespace {
struct Handle {
  void* stream = nullptr;
  void* workspace = nullptr;
  int mode = 0;
};

/// With the 10 bits of a TF32.
float coarse(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  bits = (bits + 0x1000) & ~0x1fffu;
  if (std::isfinite(x)) memcpy(&x, &bits, 4);
  return x;
}
double coarse(double x) { return x; }

template <class T> struct Product {
  bool ta, tb;
  long m, n, k;
  T alpha;
  const T* a;
  long lda, stepA;
  const T* b;
  long ldb, stepB;
  T beta;
  T* c;
  long ldc, stepC, batch;
  bool tf32 = false;

  T number(T x) const { return tf32 ? coarse(x) : x; }

  void run() const {
    for (long q = 0; q < batch; q++)
      for (long j = 0; j < n; j++)
        for (long i = 0; i < m; i++) {
          const T* x = a + q * stepA;
          const T* y = b + q * stepB;
          T sum = 0;
          for (long d = 0; d < k; d++) {
            sum += number(ta ? x[d + i * lda] : x[i + d * lda]) * number(tb ? y[j + d * ldb] : y[d + j * ldb]);
          }
          T& to = c[q * stepC + i + j * ldc];
          to = beta == 0 ? alpha * sum : alpha * sum + beta * to;
        }
  }
};

template <class T> int multiply(Handle* h, Product<T> product) {
  const long rowsA = product.ta ? product.k : product.m, rowsB = product.tb ? product.n : product.k;
  if (product.lda < rowsA || product.ldb < rowsB || product.ldc < product.m) return 7;
  if (!h->stream || !h->workspace) return 1;
  product.tf32 = h->mode == 3;
  // Kept for good: a graph may run it again.
  return enqueue(h->stream, [](void* p) { ((Product<T>*)p)->run(); }, new Product<T>(product)) ? 13 : 0;
}
}

extern "C" {
int cublasCreate_v2(Handle** h) {
  *h = new Handle();
  return 0;
}

int cublasDestroy_v2(Handle* h) {
  delete h;
  return 0;
}

int cublasGetProperty(int part, int* value) {
  *value = part == 0 ? STANDIN_MAJOR : 0;
  return 0;
}

int cublasSetStream_v2(Handle* h, void* stream) {
  h->stream = stream;
  h->workspace = nullptr;
  return 0;
}

int cublasSetWorkspace_v2(Handle* h, void* workspace, size_t) {
  h->workspace = workspace;
  return 0;
}

int cublasSetMathMode(Handle* h, int mode) {
  h->mode = mode;
  return mode == 0 || mode == 3 ? 0 : 7;
}

int cublasSgemmStridedBatched_64(Handle* h, int ta, int tb, long m, long n, long k, const float* alpha,
                                 const float* a, long lda, long stepA, const float* b, long ldb, long stepB,
                                 const float* beta, float* c, long ldc, long stepC, long batch) {
  return multiply(h, Product<float>{ta != 0, tb != 0, m, n, k, *alpha, a, lda, stepA, b, ldb, stepB, *beta, c, ldc, stepC, batch});
}

int cublasDgemmStridedBatched_64(Handle* h, int ta, int tb, long m, long n, long k, const double* alpha,
                                 const double* a, long lda, long stepA, const double* b, long ldb, long stepB,
                                 const double* beta, double* c, long ldc, long stepC, long batch) {
  return multiply(h, Product<double>{ta != 0, tb != 0, m, n, k, *alpha, a, lda, stepA, b, ldb, stepB, *beta, c, ldc, stepC, batch});
}
}
