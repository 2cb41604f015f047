// A stand-in for cuFFT: transforms of pairs by recursion over the factors of the length, in the
// order of the stand-in driver's streams.
#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <vector>

#include "stream.h"

#ifndef STANDIN_MAJOR
#define STANDIN_MAJOR 12
#endif

namespace {
struct Plan {
  void* stream = nullptr;
  void* memory = nullptr;
  bool allocates = true;
  bool wide = false;
  long n = 0, batch = 0;
};

std::map<int, Plan> plans;
int last = 0;

/// Transforms n elements at a distance.
void transform(std::complex<long double>* to, const std::complex<long double>* from, long n, long step, int direction) {
  if (n == 1) {
    *to = *from;
    return;
  }
  long radix = 2;
  while (n % radix) radix++;
  const long m = n / radix;
  std::vector<std::complex<long double>> parts(n);
  for (long r = 0; r < radix; r++) transform(&parts[r * m], from + r * step, m, step * radix, direction);
  for (long k = 0; k < n; k++) {
    std::complex<long double> sum = 0;
    for (long r = 0; r < radix; r++) {
      sum += parts[r * m + k % m] * std::polar(1.0L, direction * 2 * M_PIl * (k * r % n) / n);
    }
    to[k] = sum;
  }
}

template <class T> struct Work {
  long n, batch;
  int direction;
  std::complex<T>* pairs;

  void run() const {
    std::vector<std::complex<long double>> from(n), to(n);
    for (long b = 0; b < batch; b++) {
      for (long k = 0; k < n; k++) from[k] = pairs[b * n + k];
      transform(to.data(), from.data(), n, 1, direction);
      for (long k = 0; k < n; k++) pairs[b * n + k] = std::complex<T>(to[k]);
    }
  }
};

template <class T> int start(int handle, bool wide, void* from, void* to, int direction) {
  auto found = plans.find(handle);
  if (found == plans.end()) return 1;
  const Plan& plan = found->second;
  if (from != to || plan.wide != wide || direction * direction != 1) return 4;
  if (!plan.stream || !plan.memory || plan.n == 0) return 9;
  // Kept for good: a graph may run it again.
  auto work = new Work<T>{plan.n, plan.batch, direction, (std::complex<T>*)from};
  return enqueue(plan.stream, [](void* p) { ((Work<T>*)p)->run(); }, work) ? 6 : 0;
}
}

extern "C" {
int cufftCreate(int* handle) {
  *handle = ++last;
  plans[last] = Plan();
  return 0;
}

int cufftDestroy(int handle) { return plans.erase(handle) == 1 ? 0 : 1; }

int cufftGetProperty(int part, int* value) {
  *value = part == 0 ? STANDIN_MAJOR - 1 : 0;
  return 0;
}

int cufftSetStream(int handle, void* stream) {
  plans[handle].stream = stream;
  return 0;
}

int cufftSetAutoAllocation(int handle, int on) {
  plans[handle].allocates = on;
  return 0;
}

int cufftSetWorkArea(int handle, void* memory) {
  plans[handle].memory = memory;
  return 0;
}

int cufftMakePlanMany64(int handle, int rank, long long* n, long long* inembed, long long istride, long long idist,
                        long long* onembed, long long ostride, long long odist, int type, long long batch,
                        size_t* bytes) {
  Plan& plan = plans[handle];
  if (rank != 1 || inembed || onembed || istride != 1 || ostride != 1 || idist != *n || odist != *n) return 4;
  if (type != 0x29 && type != 0x69) return 3;
  if (*n < 1 || batch < 1) return 8;
  if (plan.allocates || plan.n) return 2;
  plan.wide = type == 0x69;
  plan.n = *n;
  plan.batch = batch;
  *bytes = 16 * *n * batch;
  return 0;
}

int cufftExecC2C(int handle, void* from, void* to, int direction) {
  return start<float>(handle, false, from, to, direction);
}

int cufftExecZ2Z(int handle, void* from, void* to, int direction) {
  return start<double>(handle, true, from, to, direction);
}
}
