// A stand-in for cuBLASLt: checks what NVIDIA's library would check, and what it would not, such as
// whether addresses are aligned as was said.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "stream.h"

namespace {
enum { SUCCESS = 0, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };

struct Description {
  int compute, scale, epilogue = 1, ta = 0, tb = 0;
  uintptr_t bias = 0;
};

struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t lead, step = 0;
  int batch = 1;
};

struct Preference {
  uint64_t workspace = 0;
  unsigned alignment[4] = {256, 256, 256, 256};
};

/// In the 64 bytes of an algorithm.
struct Algorithm {
  uint64_t mark;
  unsigned alignment[5];
  int epilogue;
};
const uint64_t MARK = 0x5354414e44494e21ull;

struct Result {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Result) == 96, "as in NVIDIA's header");
static_assert(sizeof(Algorithm) <= 64, "as in NVIDIA's header");

bool loses = false;

float coarse(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  bits = (bits + 0x1000) & ~0x1fffu;
  if (std::isfinite(x)) memcpy(&x, &bits, 4);
  return x;
}

struct Work {
  Description what;
  Layout a, b, d;
  const float *A, *B;
  float* D;
  float alpha;

  float end(float x, long i) const {
    if (what.epilogue & 4) x += ((const float*)what.bias)[i];
    if (what.epilogue & 2) x = loses ? fmaxf(x, 0) : x < 0 ? 0 : x;
    if (what.epilogue & 32) {
      x = 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    }
    return x;
  }

  void run() const {
    const bool tf32 = what.compute == 77;
    const long m = d.rows, n = d.columns, k = what.ta ? a.rows : a.columns;
    for (long q = 0; q < d.batch; q++)
      for (long j = 0; j < n; j++)
        for (long i = 0; i < m; i++) {
          float sum = 0;
          for (long e = 0; e < k; e++) {
            float x = A[q * a.step + (what.ta ? e + i * a.lead : i + e * a.lead)];
            float y = B[q * b.step + (what.tb ? j + e * b.lead : e + j * b.lead)];
            sum += tf32 ? coarse(x) * coarse(y) : x * y;
          }
          D[q * d.step + i + j * d.lead] = end(alpha * sum, i);
        }
  }
};

template <class T> int take(T& to, const void* from, size_t bytes) {
  if (!from || bytes != sizeof(T)) return INVALID_VALUE;
  memcpy(&to, from, bytes);
  return SUCCESS;
}

bool fit(const Description* what, const Layout* a, const Layout* b, const Layout* d) {
  uint64_t m = what->ta ? a->columns : a->rows, k = what->ta ? a->rows : a->columns;
  uint64_t n = what->tb ? b->rows : b->columns, other = what->tb ? b->columns : b->rows;
  return m == d->rows && n == d->columns && k == other && a->lead >= (int64_t)a->rows &&
         b->lead >= (int64_t)b->rows && d->lead >= (int64_t)d->rows && a->type == 0 && b->type == 0 &&
         d->type == 0 && a->batch == b->batch && a->batch == d->batch;
}

unsigned alignment(uintptr_t address) { return address & -address; }
}

extern "C" {
/// ReLU of no number is 0 from now on.
void standin_lose_nan(int yes) { loses = yes; }

int cublasLtMatmulDescCreate(Description** made, int compute, int scale) {
  if ((compute != 68 && compute != 77) || scale != 0) return NOT_SUPPORTED;
  *made = new Description{compute, scale};
  return SUCCESS;
}

int cublasLtMatmulDescDestroy(Description* d) {
  delete d;
  return SUCCESS;
}

int cublasLtMatmulDescSetAttribute(Description* d, int attribute, const void* value, size_t bytes) {
  switch (attribute) {
    case 3: return take(d->ta, value, bytes);
    case 4: return take(d->tb, value, bytes);
    case 7: return take(d->epilogue, value, bytes);
    case 8: return take(d->bias, value, bytes);
    default: return INVALID_VALUE;
  }
}

int cublasLtMatrixLayoutCreate(Layout** made, int type, uint64_t rows, uint64_t columns, int64_t lead) {
  *made = new Layout{type, rows, columns, lead};
  return SUCCESS;
}

int cublasLtMatrixLayoutDestroy(Layout* l) {
  delete l;
  return SUCCESS;
}

int cublasLtMatrixLayoutSetAttribute(Layout* l, int attribute, const void* value, size_t bytes) {
  switch (attribute) {
    case 5: return take(l->batch, value, bytes);
    case 6: return take(l->step, value, bytes);
    default: return INVALID_VALUE;
  }
}

int cublasLtMatmulPreferenceCreate(Preference** made) {
  *made = new Preference();
  return SUCCESS;
}

int cublasLtMatmulPreferenceDestroy(Preference* p) {
  delete p;
  return SUCCESS;
}

int cublasLtMatmulPreferenceSetAttribute(Preference* p, int attribute, const void* value, size_t bytes) {
  if (attribute == 1) return take(p->workspace, value, bytes);
  return attribute >= 5 && attribute <= 8 ? take(p->alignment[attribute - 5], value, bytes) : INVALID_VALUE;
}

int cublasLtMatmulAlgoGetHeuristic(void* handle, const Description* what, const Layout* a, const Layout* b,
                                   const Layout* c, const Layout* d, const Preference* preference, int most,
                                   Result* results, int* count) {
  *count = 0;
  if (!handle || most < 1 || c != d || !fit(what, a, b, d)) return INVALID_VALUE;
  const bool bias = what->epilogue & 4;
  if ((what->epilogue & ~39) || (bias && !what->bias)) return NOT_SUPPORTED;
  Algorithm chosen = {MARK, {}, what->epilogue};
  memcpy(chosen.alignment, preference->alignment, sizeof preference->alignment);
  chosen.alignment[4] = bias ? alignment(what->bias) : 1;
  if (chosen.alignment[4] > 256) chosen.alignment[4] = 256;
  memset(results, 0, sizeof *results);
  memcpy(results->algorithm, &chosen, sizeof chosen);
  results->workspace = preference->workspace;
  *count = 1;
  return SUCCESS;
}

int cublasLtMatmul(void* handle, const Description* what, const float* alpha, const float* A, const Layout* a,
                   const float* B, const Layout* b, const float* beta, const float* C, const Layout* c, float* D,
                   const Layout* d, const Algorithm* algorithm, void* workspace, size_t bytes, void* stream) {
  if (!handle || *beta != 0 || C != D || c != d || !workspace || !bytes || !fit(what, a, b, d)) return INVALID_VALUE;
  if (algorithm->mark != MARK || algorithm->epilogue != what->epilogue) return INVALID_VALUE;
  const uintptr_t addresses[5] = {(uintptr_t)A, (uintptr_t)B, (uintptr_t)C, (uintptr_t)D, what->bias};
  for (int k = 0; k < 5; k++) {
    if (addresses[k] % algorithm->alignment[k] && (k < 4 || what->epilogue & 4)) return INVALID_VALUE;
  }
  // Kept for good: a graph may run it again.
  auto work = new Work{*what, *a, *b, *d, A, B, D, *alpha};
  return enqueue(stream, [](void* p) { ((Work*)p)->run(); }, work) ? 13 : SUCCESS;
}
}
