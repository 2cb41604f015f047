// A stand-in for cuDNN: convolutions in plain loops, in the order of the stand-in driver's streams.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "stream.h"

#ifndef STANDIN_CUDA
#define STANDIN_CUDA 12
#endif
#ifndef STANDIN_DNN
#define STANDIN_DNN 90100
#endif

namespace {
struct Handle {
  void* stream = nullptr;
};
struct Tensor {
  int type = -1;
  std::vector<int> dims;
};
struct Windows {
  std::vector<int> padding, strides, dilations;
  int type = -1, groups = 1, math = -1;
};
struct Choice {
  int algorithm, status;
  float time;
  size_t memory;
  int determinism, math, reserved[3];
};
static_assert(sizeof(Choice) == 48, "as the library lays it out");

enum Made { RESULTS, IMAGES, FILTERS };
const size_t MEMORY = 64;
const int ALGORITHM = 1;

bool fits(const Tensor& x, const Tensor& w, const Windows& at, const Tensor& y) {
  if (x.dims.size() < 4 || x.dims.size() != w.dims.size() || x.dims.size() != y.dims.size()) return false;
  if (at.strides.size() + 2 != x.dims.size() || at.type != x.type || x.type != w.type || x.type != y.type) return false;
  if (x.dims[0] != y.dims[0] || y.dims[1] != w.dims[0] || x.dims[1] != w.dims[1] * at.groups) return false;
  for (size_t d = 2; d < x.dims.size(); d++) {
    const int room = x.dims[d] + 2 * at.padding[d - 2] - at.dilations[d - 2] * (w.dims[d] - 1) - 1;
    if (y.dims[d] != room / at.strides[d - 2] + 1) return false;
  }
  return at.math == 0 || at.math == 3;
}

template <class T> void convolve(Made made, const Tensor& x, const Tensor& w, const Windows& at, const Tensor& y,
                                 T* xs, T* ws, T* ys) {
  size_t sizeX = 1, sizeW = 1, sizeY = 1;
  for (int d : x.dims) sizeX *= d;
  for (int d : w.dims) sizeW *= d;
  for (int d : y.dims) sizeY *= d;
  const size_t size = made == RESULTS ? sizeY : made == IMAGES ? sizeX : sizeW;
  std::vector<double> sums(size, 0);
  const int rank = x.dims.size();
  const size_t places = sizeY / y.dims[0] / y.dims[1], each = sizeW / w.dims[0];
  for (size_t i = 0; i < sizeY; i++) {
    const size_t filter = i / places % y.dims[1];
    for (size_t k = filter * each; k < (filter + 1) * each; k++) {
      size_t restY = i, restW = k;
      long place = 0, step = 1;
      bool inside = true;
      for (int d = rank - 1; d > 1; d--) {
        const long p = long(restY % y.dims[d]) * at.strides[d - 2] + long(restW % w.dims[d]) * at.dilations[d - 2] - at.padding[d - 2];
        inside = inside && p >= 0 && p < x.dims[d];
        place += p * step;
        step *= x.dims[d];
        restY /= y.dims[d];
        restW /= w.dims[d];
      }
      const long n = restY / y.dims[1], c = restW % w.dims[1];
      if (!inside) continue;
      const long channel = filter / (w.dims[0] / at.groups) * w.dims[1] + c;
      const size_t j = (n * x.dims[1] + channel) * step + place;
      if (made == RESULTS) sums[i] += double(xs[j]) * ws[k];
      if (made == IMAGES) sums[j] += double(ys[i]) * ws[k];
      if (made == FILTERS) sums[k] += double(ys[i]) * xs[j];
    }
  }
  T* to = made == RESULTS ? ys : made == IMAGES ? xs : ws;
  for (size_t k = 0; k < size; k++) to[k] = T(sums[k]);
}

struct Job {
  Made made;
  Tensor x, w, y;
  Windows at;
  void *xs, *ws, *ys, *room;

  void run() const {
    // What a kernel may write for itself.
    memset(room, 0x7f, MEMORY);
    if (x.type == 0) convolve(made, x, w, at, y, (float*)xs, (float*)ws, (float*)ys);
    else convolve(made, x, w, at, y, (double*)xs, (double*)ws, (double*)ys);
  }
};

int start(Handle* h, const Job& job, int algorithm, size_t memory) {
  if (!h->stream || algorithm != ALGORITHM || memory < MEMORY || !job.room) return 3;
  if (!fits(job.x, job.w, job.at, job.y)) return 3;
  // Kept for good: a graph may run it again.
  return enqueue(h->stream, [](void* p) { ((Job*)p)->run(); }, new Job(job)) ? 8 : 0;
}

bool one(int type, const void* alpha, const void* beta) {
  return type == 0 ? *(const float*)alpha == 1 && *(const float*)beta == 0
                   : *(const double*)alpha == 1 && *(const double*)beta == 0;
}

int choose(bool known, int wanted, int* count, Choice* choices) {
  if (!known || wanted < 3) return 3;
  // The quickest is not repeatable, the next one does not work.
  choices[0] = Choice{0, 0, 0.1f, 0, 0, 3, {}};
  choices[1] = Choice{2, 9, -1, 0, 1, 3, {}};
  choices[2] = Choice{ALGORITHM, 0, 0.2f, MEMORY, 1, 3, {}};
  *count = 3;
  return 0;
}
}

extern "C" {
size_t cudnnGetVersion() { return STANDIN_DNN; }
size_t cudnnGetCudartVersion() { return STANDIN_CUDA * 1000 + 60; }

int cudnnCreate(Handle** h) {
  *h = new Handle();
  return 0;
}
int cudnnDestroy(Handle* h) {
  delete h;
  return 0;
}
int cudnnSetStream(Handle* h, void* stream) {
  h->stream = stream;
  return 0;
}

int cudnnCreateTensorDescriptor(Tensor** t) {
  *t = new Tensor();
  return 0;
}
int cudnnSetTensorNdDescriptor(Tensor* t, int type, int count, const int* dims, const int* strides) {
  if (count < 4 || count > 5) return 3;
  int stride = 1;
  for (int d = count - 1; d >= 0; d--) {
    if (strides[d] != stride) return 3;
    stride *= dims[d];
  }
  t->type = type;
  t->dims.assign(dims, dims + count);
  return 0;
}
int cudnnDestroyTensorDescriptor(Tensor* t) {
  delete t;
  return 0;
}

int cudnnCreateFilterDescriptor(Tensor** t) {
  *t = new Tensor();
  return 0;
}
int cudnnSetFilterNdDescriptor(Tensor* t, int type, int format, int count, const int* dims) {
  if (format != 0 || count < 4 || count > 5) return 3;
  t->type = type;
  t->dims.assign(dims, dims + count);
  return 0;
}
int cudnnDestroyFilterDescriptor(Tensor* t) {
  delete t;
  return 0;
}

int cudnnCreateConvolutionDescriptor(Windows** w) {
  *w = new Windows();
  return 0;
}
int cudnnSetConvolutionNdDescriptor(Windows* w, int count, const int* padding, const int* strides,
                                    const int* dilations, int mode, int type) {
  if (mode != 1) return 3;
  w->padding.assign(padding, padding + count);
  w->strides.assign(strides, strides + count);
  w->dilations.assign(dilations, dilations + count);
  w->type = type;
  return 0;
}
int cudnnSetConvolutionGroupCount(Windows* w, int groups) {
  w->groups = groups;
  return 0;
}
int cudnnSetConvolutionMathType(Windows* w, int math) {
  w->math = math;
  return 0;
}
int cudnnDestroyConvolutionDescriptor(Windows* w) {
  delete w;
  return 0;
}

int cudnnGetConvolutionForwardAlgorithm_v7(Handle*, Tensor* x, Tensor* w, Windows* at, Tensor* y, int wanted,
                                           int* count, Choice* choices) {
  return choose(fits(*x, *w, *at, *y), wanted, count, choices);
}
int cudnnGetConvolutionBackwardDataAlgorithm_v7(Handle*, Tensor* w, Tensor* y, Windows* at, Tensor* x, int wanted,
                                                int* count, Choice* choices) {
  return choose(fits(*x, *w, *at, *y), wanted, count, choices);
}
int cudnnGetConvolutionBackwardFilterAlgorithm_v7(Handle*, Tensor* x, Tensor* y, Windows* at, Tensor* w, int wanted,
                                                  int* count, Choice* choices) {
  return choose(fits(*x, *w, *at, *y), wanted, count, choices);
}

int cudnnConvolutionForward(Handle* h, const void* alpha, Tensor* x, void* xs, Tensor* w, void* ws, Windows* at,
                            int algorithm, void* room, size_t memory, const void* beta, Tensor* y, void* ys) {
  return one(x->type, alpha, beta) ? start(h, Job{RESULTS, *x, *w, *y, *at, xs, ws, ys, room}, algorithm, memory) : 3;
}
int cudnnConvolutionBackwardData(Handle* h, const void* alpha, Tensor* w, void* ws, Tensor* y, void* ys, Windows* at,
                                 int algorithm, void* room, size_t memory, const void* beta, Tensor* x, void* xs) {
  return one(x->type, alpha, beta) ? start(h, Job{IMAGES, *x, *w, *y, *at, xs, ws, ys, room}, algorithm, memory) : 3;
}
int cudnnConvolutionBackwardFilter(Handle* h, const void* alpha, Tensor* x, void* xs, Tensor* y, void* ys, Windows* at,
                                   int algorithm, void* room, size_t memory, const void* beta, Tensor* w, void* ws) {
  return one(x->type, alpha, beta) ? start(h, Job{FILTERS, *x, *w, *y, *at, xs, ws, ys, room}, algorithm, memory) : 3;
}
}
