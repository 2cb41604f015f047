// A stand-in for cuSOLVER: textbook factorizations in the order of the stand-in driver's streams.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "stream.h"

#ifndef STANDIN_MAJOR
#define STANDIN_MAJOR 12
#endif

namespace {
typedef std::vector<double> Numbers;

struct Handle {
  void* stream = nullptr;
};

/// Workspaces have this many elements.
const int ROOM = 17;

int enqueue(Handle* h, std::function<void()> work) {
  if (!h->stream) return 1;
  auto* kept = new std::function<void()>(std::move(work));
  return ::enqueue(h->stream, [](void* p) {
    auto* run = (std::function<void()>*)p;
    (*run)();
    delete run;
  }, kept) ? 7 : 0;
}

template <class T> Numbers load(const T* a, int rows, int columns, int lead) {
  Numbers all((size_t)rows * columns);
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) all[(size_t)j * rows + i] = a[(size_t)j * lead + i];
  return all;
}

template <class T> void store(const Numbers& from, T* a, int rows, int columns, int lead) {
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) a[(size_t)j * lead + i] = (T)from[(size_t)j * rows + i];
}

template <class T> void potrf(int n, T* a, int lda, int* info) {
  Numbers u = load(a, n, n, lda);
  *info = 0;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i <= j; i++) {
      double sum = u[(size_t)j * n + i];
      for (int k = 0; k < i; k++) sum -= u[(size_t)i * n + k] * u[(size_t)j * n + k];
      if (i == j && !(sum > 0)) {
        *info = j + 1;
        return;
      }
      u[(size_t)j * n + i] = i == j ? std::sqrt(sum) : sum / u[(size_t)i * n + i];
    }
  }
  store(u, a, n, n, lda);
}

template <class T> void getrf(int n, T* a, int lda, int* pivots, int* info) {
  Numbers m = load(a, n, n, lda);
  auto at = [&](int i, int j) -> double& { return m[(size_t)j * n + i]; };
  *info = 0;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (std::fabs(at(i, k)) > std::fabs(at(best, k))) best = i;
    pivots[k] = best + 1;
    for (int j = 0; j < n && best != k; j++) std::swap(at(k, j), at(best, j));
    if (at(k, k) == 0) {
      if (!*info) *info = k + 1;
      continue;
    }
    for (int i = k + 1; i < n; i++) {
      at(i, k) /= at(k, k);
      for (int j = k + 1; j < n; j++) at(i, j) -= at(i, k) * at(k, j);
    }
  }
  store(m, a, n, n, lda);
}

/// Solves A^T X = B for A = P L U: U^T, then L^T, then the exchanges backwards.
template <class T>
void getrs(bool transposed, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb) {
  Numbers m = load(a, n, n, lda), x = load(b, n, columns, ldb);
  auto at = [&](int i, int j) { return m[(size_t)j * n + i]; };
  for (int c = 0; c < columns; c++) {
    double* v = &x[(size_t)c * n];
    if (!transposed) {
      for (int i = 0; i < n; i++) std::swap(v[i], v[pivots[i] - 1]);
      for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) v[i] -= at(i, k) * v[k];
      for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) v[i] -= at(i, k) * v[k];
        v[i] /= at(i, i);
      }
      continue;
    }
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < i; k++) v[i] -= at(k, i) * v[k];
      v[i] /= at(i, i);
    }
    for (int i = n - 1; i >= 0; i--)
      for (int k = i + 1; k < n; k++) v[i] -= at(k, i) * v[k];
    for (int i = n - 1; i >= 0; i--) std::swap(v[i], v[pivots[i] - 1]);
  }
  store(x, b, n, columns, ldb);
}

template <class T> void geqrf(int m, int n, T* a, int lda, T* tau) {
  Numbers q = load(a, m, n, lda);
  auto at = [&](int i, int j) -> double& { return q[(size_t)j * m + i]; };
  for (int k = 0; k < std::min(m, n); k++) {
    double below = 0;
    for (int i = k + 1; i < m; i++) below += at(i, k) * at(i, k);
    double factor = 0;
    if (below > 0) {
      const double alpha = at(k, k), beta = -std::copysign(std::sqrt(alpha * alpha + below), alpha);
      factor = (beta - alpha) / beta;
      for (int i = k + 1; i < m; i++) at(i, k) /= alpha - beta;
      at(k, k) = beta;
    }
    tau[k] = (T)factor;
    for (int j = k + 1; j < n; j++) {
      double sum = at(k, j);
      for (int i = k + 1; i < m; i++) sum += at(i, k) * at(i, j);
      at(k, j) -= factor * sum;
      for (int i = k + 1; i < m; i++) at(i, j) -= factor * sum * at(i, k);
    }
  }
  store(q, a, m, n, lda);
}

template <class T> void orgqr(int m, int n, int k, T* a, int lda, const T* tau) {
  Numbers v = load(a, m, k, lda), q((size_t)m * n, 0);
  for (int j = 0; j < n; j++) q[(size_t)j * m + j] = 1;
  for (int r = k - 1; r >= 0; r--)
    for (int j = 0; j < n; j++) {
      double* c = &q[(size_t)j * m];
      double sum = c[r];
      for (int i = r + 1; i < m; i++) sum += v[(size_t)r * m + i] * c[i];
      sum *= tau[r];
      c[r] -= sum;
      for (int i = r + 1; i < m; i++) c[i] -= sum * v[(size_t)r * m + i];
    }
  store(q, a, m, n, lda);
}

/// Singular values by rotations of pairs of columns.
template <class T>
void gesvd(char job, int m, int n, const T* a, int lda, T* s, T* u, int ldu, T* vt, int ldvt) {
  Numbers w = load(a, m, n, lda), v((size_t)n * n, 0);
  for (int j = 0; j < n; j++) v[(size_t)j * n + j] = 1;
  bool turned = true;
  for (int sweep = 0; sweep < 60 && turned; sweep++) {
    turned = false;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        double alpha = 0, beta = 0, gamma = 0;
        for (int i = 0; i < m; i++) {
          const double x = w[(size_t)p * m + i], y = w[(size_t)q * m + i];
          alpha += x * x;
          beta += y * y;
          gamma += x * y;
        }
        if (std::fabs(gamma) <= 1e-17 * std::sqrt(alpha * beta) || gamma == 0) continue;
        turned = true;
        const double zeta = (beta - alpha) / (2 * gamma);
        const double t = std::copysign(1 / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta)), zeta);
        const double c = 1 / std::sqrt(1 + t * t), d = c * t;
        auto rotate = [&](double* x, double* y, int count) {
          for (int i = 0; i < count; i++) {
            const double old = x[i];
            x[i] = c * old - d * y[i];
            y[i] = d * old + c * y[i];
          }
        };
        rotate(&w[(size_t)p * m], &w[(size_t)q * m], m);
        rotate(&v[(size_t)p * n], &v[(size_t)q * n], n);
      }
  }
  Numbers norms(n);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) norms[j] += w[(size_t)j * m + i] * w[(size_t)j * m + i];
    norms[j] = std::sqrt(norms[j]);
  }
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int x, int y) { return norms[x] > norms[y]; });
  for (int j = 0; j < n; j++) s[j] = (T)norms[order[j]];
  if (job == 'N') return;
  const int columns = job == 'A' ? m : n;
  Numbers left((size_t)m * columns, 0), right((size_t)n * n);
  int filled = 0;
  auto add = [&](Numbers c) {
    for (int twice = 0; twice < 2; twice++)
      for (int j = 0; j < filled; j++) {
        double sum = 0;
        for (int i = 0; i < m; i++) sum += left[(size_t)j * m + i] * c[i];
        for (int i = 0; i < m; i++) c[i] -= sum * left[(size_t)j * m + i];
      }
    double norm = 0;
    for (double x : c) norm += x * x;
    norm = std::sqrt(norm);
    if (norm < 1e-3) return false;
    for (int i = 0; i < m; i++) left[(size_t)filled * m + i] = c[i] / norm;
    filled++;
    return true;
  };
  int unit = 0;
  for (int j = 0; j < columns; j++) {
    const double norm = j < n ? norms[order[j]] : 0;
    Numbers c(m);
    if (norm > 1e-14 * norms[order[0]])
      for (int i = 0; i < m; i++) c[i] = w[(size_t)order[j] * m + i] / norm;
    if (norm > 1e-14 * norms[order[0]] && add(c)) continue;
    for (;;) {
      Numbers e(m, 0);
      e[unit++ % m] = 1;
      if (add(e)) break;
    }
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) right[(size_t)i * n + j] = v[(size_t)order[j] * n + i];
  store(left, u, m, columns, ldu);
  store(right, vt, n, n, ldvt);
}

/// Eigenvalues by rotations, from the upper triangle.
template <class T> void syevd(bool vectors, int n, T* a, int lda, T* w) {
  Numbers m = load(a, n, n, lda), v((size_t)n * n, 0);
  auto at = [&](int i, int j) -> double& { return m[(size_t)j * n + i]; };
  for (int j = 0; j < n; j++) {
    v[(size_t)j * n + j] = 1;
    for (int i = 0; i < j; i++) at(j, i) = at(i, j);
  }
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0, all = 0;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) (i == j ? all : off) += at(i, j) * at(i, j);
    if (off <= 1e-34 * (all + off)) break;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (at(p, q) == 0) continue;
        const double theta = (at(q, q) - at(p, p)) / (2 * at(p, q));
        const double t = std::copysign(1 / (std::fabs(theta) + std::sqrt(theta * theta + 1)), theta);
        const double c = 1 / std::sqrt(t * t + 1), d = t * c;
        for (int k = 0; k < n; k++) {
          const double x = at(k, p), y = at(k, q);
          at(k, p) = c * x - d * y;
          at(k, q) = d * x + c * y;
        }
        for (int k = 0; k < n; k++) {
          const double x = at(p, k), y = at(q, k);
          at(p, k) = c * x - d * y;
          at(q, k) = d * x + c * y;
        }
        for (int k = 0; k < n; k++) {
          double &x = v[(size_t)p * n + k], &y = v[(size_t)q * n + k];
          const double old = x;
          x = c * old - d * y;
          y = d * old + c * y;
        }
      }
  }
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int x, int y) { return at(x, x) < at(y, y); });
  for (int j = 0; j < n; j++) {
    w[j] = (T)at(order[j], order[j]);
    for (int i = 0; i < n && vectors; i++) a[(size_t)j * lda + i] = (T)v[(size_t)order[j] * n + i];
  }
}

int room(int* size) {
  *size = ROOM;
  return 0;
}
}

extern "C" {
int cusolverDnCreate(Handle** h) {
  *h = new Handle();
  return 0;
}

int cusolverDnDestroy(Handle* h) {
  delete h;
  return 0;
}

int cusolverDnSetStream(Handle* h, void* stream) {
  h->stream = stream;
  return 0;
}

int cusolverGetProperty(int part, int* value) {
  *value = part == 0 ? STANDIN_MAJOR - 1 : 0;
  return 0;
}

#define ALL(L, T)                                                                                                     \
  int cusolverDn##L##potrf_bufferSize(Handle*, int, int, T*, int, int* size) { return room(size); }                   \
  int cusolverDn##L##potrf(Handle* h, int uplo, int n, T* a, int lda, T* work, int size, int* info) {                 \
    if (uplo != 1 || !work || size != ROOM || lda < n) return 3;                                                      \
    return enqueue(h, [=] { potrf(n, a, lda, info); });                                                               \
  }                                                                                                                   \
  int cusolverDn##L##getrf_bufferSize(Handle*, int, int, T*, int, int* size) { return room(size); }                   \
  int cusolverDn##L##getrf(Handle* h, int m, int n, T* a, int lda, T* work, int* pivots, int* info) {                 \
    if (m != n || !work || !pivots || lda < n) return 3;                                                              \
    return enqueue(h, [=] { getrf(n, a, lda, pivots, info); });                                                       \
  }                                                                                                                   \
  int cusolverDn##L##getrs(Handle* h, int trans, int n, int k, const T* a, int lda, const int* pivots, T* b, int ldb, \
                           int* info) {                                                                               \
    if (lda < n || ldb < n) return 3;                                                                                 \
    return enqueue(h, [=] {                                                                                           \
      getrs(trans == 1, n, k, a, lda, pivots, b, ldb);                                                                \
      *info = 0;                                                                                                      \
    });                                                                                                               \
  }                                                                                                                   \
  int cusolverDn##L##geqrf_bufferSize(Handle*, int, int, T*, int, int* size) { return room(size); }                   \
  int cusolverDn##L##geqrf(Handle* h, int m, int n, T* a, int lda, T* tau, T* work, int size, int* info) {            \
    if (!work || size != ROOM || lda < m) return 3;                                                                   \
    return enqueue(h, [=] {                                                                                           \
      geqrf(m, n, a, lda, tau);                                                                                       \
      *info = 0;                                                                                                      \
    });                                                                                                               \
  }                                                                                                                   \
  int cusolverDn##L##orgqr_bufferSize(Handle*, int, int, int, const T*, int, const T*, int* size) {                   \
    return room(size);                                                                                                \
  }                                                                                                                   \
  int cusolverDn##L##orgqr(Handle* h, int m, int n, int k, T* a, int lda, const T* tau, T* work, int size,            \
                           int* info) {                                                                               \
    if (!work || size != ROOM || lda < m || k > n || n > m) return 3;                                                 \
    return enqueue(h, [=] {                                                                                           \
      orgqr(m, n, k, a, lda, tau);                                                                                    \
      *info = 0;                                                                                                      \
    });                                                                                                               \
  }                                                                                                                   \
  int cusolverDn##L##gesvd_bufferSize(Handle*, int, int, int* size) { return room(size); }                            \
  int cusolverDn##L##gesvd(Handle* h, signed char ju, signed char jv, int m, int n, T* a, int lda, T* s, T* u,        \
                           int ldu, T* vt, int ldvt, T* work, int size, T*, int* info) {                              \
    if (m < n || ju != jv || !work || size != ROOM || lda < m || ldu < m || ldvt < n) return 3;                       \
    return enqueue(h, [=] {                                                                                           \
      gesvd((char)ju, m, n, a, lda, s, u, ldu, vt, ldvt);                                                             \
      *info = 0;                                                                                                      \
    });                                                                                                               \
  }                                                                                                                   \
  int cusolverDn##L##syevd_bufferSize(Handle*, int, int, int, const T*, int, const T*, int* size) {                   \
    return room(size);                                                                                                \
  }                                                                                                                   \
  int cusolverDn##L##syevd(Handle* h, int job, int uplo, int n, T* a, int lda, T* w, T* work, int size, int* info) {  \
    if (uplo != 1 || !work || size != ROOM || lda < n) return 3;                                                      \
    return enqueue(h, [=] {                                                                                           \
      syevd(job == 1, n, a, lda, w);                                                                                  \
      *info = 0;                                                                                                      \
    });                                                                                                               \
  }

ALL(S, float)
ALL(D, double)
}
