// A stand-in for NVIDIA's driver: runs the kernels that the stand-in for NVRTC made on the
// processor. Stricter than a GPU where that finds mistakes: work waits until somebody waits for it,
// threads of a block take turns in changing order and only at barriers, and memory has guards.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

namespace {
enum {
  SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101,
  INVALID_IMAGE = 200, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700, LAUNCH_FAILED = 719, CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED = 901
};

std::recursive_mutex lock;
#define GUARD std::lock_guard<std::recursive_mutex> guard(lock)

int number(const char* variable, int otherwise) {
  const char* text = getenv(variable);
  return text ? atoi(text) : otherwise;
}

// ---- threads of a block ---------------------------------------------------------------------

struct Dim {
  unsigned x, y, z;
};

/// As in shim.h.
struct State {
  Dim thread, block, size, grid;
  void (*barrier)();
  void (*shuffle)(void*, unsigned, unsigned, unsigned);
};

State state;

enum class Wait { NONE, BARRIER, WARP, DONE };

struct Fiber {
  void* stack = nullptr;
#if defined(__x86_64__)
  void* sp = nullptr;
#else
  ucontext_t context;
#endif
  Dim thread;
  Wait wait = Wait::NONE;
  unsigned mask = 0;
  bool read = false;
  alignas(16) char value[16];
};

const size_t STACK = 256 << 10;
std::vector<Fiber> fibers;
Fiber* current;
const std::function<void()>* kernel;

#if defined(__x86_64__)
// Saves what a function must keep, and goes on where the other one stopped.
extern "C" void standin_switch(void** from, void* to);
asm(R"(
.text
.globl standin_switch
.hidden standin_switch
standin_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");
void* home;
void leave() { standin_switch(&current->sp, home); }
void enter(Fiber& f) {
  current = &f;
  state.thread = f.thread;
  standin_switch(&home, f.sp);
}
#else
ucontext_t home;
void leave() { swapcontext(&current->context, &home); }
void enter(Fiber& f) {
  current = &f;
  state.thread = f.thread;
  swapcontext(&home, &f.context);
}
#endif

void body() {
  (*kernel)();
  current->wait = Wait::DONE;
  leave();
}

void prepare(Fiber& f) {
  if (!f.stack) {
    f.stack = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  f.wait = Wait::NONE;
#if defined(__x86_64__)
  void** top = (void**)((char*)f.stack + STACK);
  // As after a call: 8 bytes beyond a multiple of 16.
  *--top = nullptr;
  *--top = (void*)body;
  for (int k = 0; k < 6; k++) *--top = nullptr;
  f.sp = top;
#else
  getcontext(&f.context);
  f.context.uc_stack.ss_sp = f.stack;
  f.context.uc_stack.ss_size = STACK;
  makecontext(&f.context, body, 0);
#endif
}

void barrier() {
  current->wait = Wait::BARRIER;
  leave();
}

void shuffle(void* value, unsigned bytes, unsigned source, unsigned mask) {
  Fiber* me = current;
  size_t warp = (me - fibers.data()) / 32 * 32;
  memcpy(me->value, value, bytes);
  me->mask = mask;
  me->wait = Wait::WARP;
  leave();
  // All of the warp have given their values and wait here again until all have read.
  memcpy(value, fibers[warp + source].value, bytes);
  me->wait = Wait::WARP;
  leave();
}

/// Lets a warp go on whose lanes all wait for each other; false if some must wait longer.
bool freeWarp(size_t warp, size_t threads) {
  unsigned waiting = 0, asked = 0;
  for (size_t k = warp; k < std::min(warp + 32, threads); k++) {
    if (fibers[k].wait == Wait::WARP) {
      waiting |= 1u << (k - warp);
      asked |= fibers[k].mask;
    }
  }
  unsigned there = threads - warp >= 32 ? 0xffffffffu : (1u << (threads - warp)) - 1;
  if (!waiting || waiting != (asked & there)) return false;
  for (size_t k = warp; k < std::min(warp + 32, threads); k++) {
    if (fibers[k].wait == Wait::WARP) fibers[k].wait = Wait::NONE;
  }
  return true;
}

/// False if the threads wait for each other in different places.
bool runBlock(size_t threads, unsigned turn) {
  for (size_t k = 0; k < threads; k++) prepare(fibers[k]);
  for (;;) {
    bool ran = false;
    size_t done = 0, waiting = 0;
    for (size_t k = 0; k < threads; k++) {
      // In another order each time: who needs a barrier and has none is found out.
      Fiber& f = fibers[turn % 2 ? threads - 1 - k : k];
      if (f.wait == Wait::NONE) {
        enter(f);
        ran = true;
      }
    }
    turn++;
    for (size_t k = 0; k < threads; k++) {
      done += fibers[k].wait == Wait::DONE;
      waiting += fibers[k].wait == Wait::BARRIER;
    }
    if (done == threads) return true;
    for (size_t warp = 0; warp < threads; warp += 32) ran |= freeWarp(warp, threads);
    if (waiting && waiting + done == threads) {
      for (size_t k = 0; k < threads; k++) {
        if (fibers[k].wait == Wait::BARRIER) fibers[k].wait = Wait::NONE;
      }
      ran = true;
    }
    if (!ran) return false;
  }
}

// ---- programs -------------------------------------------------------------------------------

struct Module {
  void* library;
};

struct Function {
  std::string name;
  void (*run)(void**);
  std::vector<unsigned> sizes;
};

struct Launch {
  Function* function;
  Dim grid, size;
  std::vector<std::vector<char>> values;
};

bool run(Launch& launch) {
  std::vector<void*> arguments;
  for (auto& value : launch.values) arguments.push_back(value.data());
  std::function<void()> call = [&] { launch.function->run(arguments.data()); };
  kernel = &call;
  size_t threads = (size_t)launch.size.x * launch.size.y * launch.size.z;
  if (fibers.size() < threads) fibers.resize(threads);
  size_t k = 0;
  for (unsigned z = 0; z < launch.size.z; z++)
    for (unsigned y = 0; y < launch.size.y; y++)
      for (unsigned x = 0; x < launch.size.x; x++) fibers[k++].thread = {x, y, z};
  state.size = launch.size;
  state.grid = launch.grid;
  state.barrier = barrier;
  state.shuffle = shuffle;
  unsigned turn = 0;
  for (unsigned z = 0; z < launch.grid.z; z++)
    for (unsigned y = 0; y < launch.grid.y; y++)
      for (unsigned x = 0; x < launch.grid.x; x++) {
        state.block = {x, y, z};
        if (!runBlock(threads, turn++)) {
          fprintf(stderr, "[stand-in] threads of %s wait for each other in different places\n",
                  launch.function->name.c_str());
          return false;
        }
      }
  return true;
}

// ---- memory ---------------------------------------------------------------------------------

// Each piece ends at a page that nobody may touch, and begins after one.
const size_t PAGE = 4096, ALIGNED = 256;
const int PATTERN = 0xFB;
std::map<uintptr_t, size_t> memory;
size_t inUse;

size_t capacity() { return (size_t)number("STANDIN_MEMORY_MIB", 1024) << 20; }

size_t up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

/// 0 if there is none. What is in it is no number.
uintptr_t take(size_t bytes) {
  size_t pages = up(bytes, PAGE);
  char* all = (char*)mmap(nullptr, pages + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED || mprotect(all + PAGE, pages, PROT_READ | PROT_WRITE)) return 0;
  uintptr_t at = (uintptr_t)all + PAGE + pages - up(bytes, ALIGNED);
  memset((void*)at, PATTERN, up(bytes, ALIGNED));
  memory[at] = bytes;
  inUse += bytes;
  return at;
}

/// What is between the end and the next multiple of the alignment is as it was.
bool intact(uintptr_t at, size_t bytes) {
  for (uintptr_t k = at + bytes; k < at + up(bytes, ALIGNED); k++) {
    if (*(unsigned char*)k != PATTERN) return false;
  }
  return true;
}

bool give(uintptr_t at) {
  size_t bytes = memory[at];
  bool whole = intact(at, bytes);
  memory.erase(at);
  inUse -= bytes;
  munmap((void*)(at / PAGE * PAGE - PAGE), up(bytes, PAGE) + 2 * PAGE);
  return whole;
}

bool allIntact() {
  for (auto& m : memory) {
    if (!intact(m.first, m.second)) return false;
  }
  return true;
}

bool inside(uintptr_t at, size_t bytes) {
  auto m = memory.upper_bound(at);
  if (m == memory.begin()) return false;
  --m;
  return at + bytes <= m->first + m->second;
}

// ---- streams --------------------------------------------------------------------------------

struct Context {
  int device;
};
Context contexts[16];
thread_local Context* active;
/// The error after which nothing works any more.
int lost;

typedef std::function<int()> Job;

struct Graph {
  std::vector<Job> jobs;
};

struct Stream {
  std::deque<Job> jobs;
  bool capturing = false;
  bool broken = false;
  Graph captured;
};

std::set<Stream*> streams;
std::set<void*> pinned;

int drain(Stream* s) {
  while (!s->jobs.empty() && !lost) {
    Job job = std::move(s->jobs.front());
    s->jobs.pop_front();
    lost = job();
  }
  return lost;
}

int drainAll() {
  for (Stream* s : streams) drain(s);
  return lost;
}

const size_t MOST_JOBS = 256;

/// Work to be done in the stream's order, or to be part of what is captured.
int enqueue(Stream* s, Job job) {
  if (s->capturing) {
    s->captured.jobs.push_back(std::move(job));
    return SUCCESS;
  }
  s->jobs.push_back(std::move(job));
  return s->jobs.size() > MOST_JOBS ? drain(s) : lost;
}

#define ENTER GUARD; if (!active) return INVALID_CONTEXT; if (lost) return lost
#define STREAM(s) if (!streams.count(s)) return INVALID_HANDLE
/// What may not happen while a stream is captured.
#define NOT_CAPTURED(s) if ((s)->capturing) { (s)->broken = true; return CAPTURE_UNSUPPORTED; }

struct Event {
  Stream* stream = nullptr;
  double at = 0;
};

double now() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

int launch(Stream* s, Launch work) {
  return enqueue(s, [work]() mutable {
    if (!run(work)) return (int)LAUNCH_FAILED;
    if (!allIntact()) {
      fprintf(stderr, "[stand-in] %s wrote outside of its memory\n", work.function->name.c_str());
      return (int)ILLEGAL_ADDRESS;
    }
    return (int)SUCCESS;
  });
}
}

extern "C" {
int cuInit(unsigned) { return number("STANDIN_INIT", SUCCESS); }

/// NVIDIA's own libraries ask for it.
int cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return NOT_FOUND;
}

int cuDriverGetVersion(int* version) {
  *version = number("STANDIN_VERSION", 12040);
  return SUCCESS;
}

int cuDeviceGetCount(int* count) {
  *count = number("STANDIN_DEVICES", 2);
  return SUCCESS;
}

int cuDeviceGet(int* device, int index) {
  *device = index;
  return SUCCESS;
}

int cuDeviceGetName(char* name, int bytes, int) {
  snprintf(name, bytes, "Stand-in for tests");
  return SUCCESS;
}

int cuDeviceTotalMem_v2(size_t* bytes, int) {
  *bytes = capacity();
  return SUCCESS;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 1: *value = 1024; break;
    case 8: *value = 48 << 10; break;
    case 16: *value = number("STANDIN_UNITS", 4); break;
    case 75: *value = 9; break;
    case 76: *value = 0; break;
    case 115: *value = number("STANDIN_POOLS", 1); break;
    default: return INVALID_VALUE;
  }
  return SUCCESS;
}

int cuDevicePrimaryCtxRetain(Context** context, int device) {
  contexts[device].device = device;
  *context = &contexts[device];
  return SUCCESS;
}

int cuCtxSetCurrent(Context* context) {
  active = context;
  return SUCCESS;
}

int cuDeviceGetDefaultMemPool(void** pool, int device) {
  *pool = &contexts[device];
  return SUCCESS;
}

int cuMemPoolSetAttribute(void* pool, int attribute, void* value) {
  return pool && attribute == 4 && *(uint64_t*)value == INT64_MAX ? SUCCESS : INVALID_VALUE;
}

int cuStreamCreate(Stream** stream, unsigned) {
  ENTER;
  *stream = new Stream();
  streams.insert(*stream);
  return SUCCESS;
}

int cuStreamSynchronize(Stream* s) {
  ENTER;
  STREAM(s);
  NOT_CAPTURED(s);
  return drain(s);
}

int cuStreamDestroy_v2(Stream* s) {
  ENTER;
  STREAM(s);
  drain(s);
  streams.erase(s);
  delete s;
  return lost;
}

int cuMemAlloc_v2(uintptr_t* address, size_t bytes) {
  ENTER;
  if (bytes == 0) return INVALID_VALUE;
  if (inUse + bytes > capacity()) return OUT_OF_MEMORY;
  *address = take(bytes);
  return *address ? SUCCESS : OUT_OF_MEMORY;
}

int cuMemFree_v2(uintptr_t address) {
  ENTER;
  drainAll();
  if (!memory.count(address)) return INVALID_VALUE;
  return give(address) ? lost : lost = ILLEGAL_ADDRESS;
}

int cuMemAllocAsync(uintptr_t* address, size_t bytes, Stream* s) {
  ENTER;
  STREAM(s);
  NOT_CAPTURED(s);
  return cuMemAlloc_v2(address, bytes);
}

int cuMemFreeAsync(uintptr_t address, Stream* s) {
  ENTER;
  STREAM(s);
  NOT_CAPTURED(s);
  return cuMemFree_v2(address);
}

int cuMemHostAlloc(void** address, size_t bytes, unsigned) {
  ENTER;
  *address = malloc(bytes);
  pinned.insert(*address);
  return SUCCESS;
}

int cuMemFreeHost(void* address) {
  ENTER;
  drainAll();
  if (!pinned.erase(address)) return INVALID_VALUE;
  free(address);
  return SUCCESS;
}

int cuMemcpyHtoDAsync_v2(uintptr_t to, const void* from, size_t bytes, Stream* s) {
  ENTER;
  STREAM(s);
  NOT_CAPTURED(s);
  if (!inside(to, bytes)) return INVALID_VALUE;
  return enqueue(s, [=] {
    memcpy((void*)to, from, bytes);
    return (int)SUCCESS;
  });
}

int cuMemcpyDtoHAsync_v2(void* to, uintptr_t from, size_t bytes, Stream* s) {
  ENTER;
  STREAM(s);
  NOT_CAPTURED(s);
  if (!inside(from, bytes)) return INVALID_VALUE;
  return enqueue(s, [=] {
    memcpy(to, (void*)from, bytes);
    return (int)SUCCESS;
  });
}

int cuMemcpyDtoDAsync_v2(uintptr_t to, uintptr_t from, size_t bytes, Stream* s) {
  ENTER;
  STREAM(s);
  if (!inside(from, bytes) || !inside(to, bytes)) return INVALID_VALUE;
  return enqueue(s, [=] {
    memcpy((void*)to, (void*)from, bytes);
    return (int)SUCCESS;
  });
}

int cuMemcpyHtoD_v2(uintptr_t to, const void* from, size_t bytes) {
  ENTER;
  drainAll();
  if (!inside(to, bytes)) return INVALID_VALUE;
  memcpy((void*)to, from, bytes);
  return lost;
}

int cuMemcpyDtoH_v2(void* to, uintptr_t from, size_t bytes) {
  ENTER;
  drainAll();
  if (!inside(from, bytes)) return INVALID_VALUE;
  memcpy(to, (void*)from, bytes);
  return lost;
}

int cuCtxSynchronize() {
  ENTER;
  return drainAll();
}

int cuEventCreate(Event** event, unsigned) {
  ENTER;
  *event = new Event();
  return SUCCESS;
}

int cuEventRecord(Event* event, Stream* s) {
  ENTER;
  STREAM(s);
  NOT_CAPTURED(s);
  event->stream = s;
  return enqueue(s, [=] {
    event->at = now();
    return (int)SUCCESS;
  });
}

int cuEventSynchronize(Event* event) {
  ENTER;
  return event->stream && streams.count(event->stream) ? drain(event->stream) : lost;
}

int cuEventElapsedTime(float* millis, Event* from, Event* to) {
  ENTER;
  *millis = to->at - from->at;
  return SUCCESS;
}

int cuEventDestroy_v2(Event* event) {
  ENTER;
  if (event->stream && streams.count(event->stream)) drain(event->stream);
  delete event;
  return SUCCESS;
}

int cuModuleLoadData(Module** module, const char* image) {
  ENTER;
  if (memcmp(image, "STANDIN-", 8)) return INVALID_IMAGE;
  uint64_t size;
  memcpy(&size, image + 8, 8);
  // A name of its own: dlopen takes what it knows by name for the same.
  char path[] = "/tmp/standin-XXXXXX";
  int file = mkstemp(path);
  bool written = write(file, image + 16, size - 8) == (ssize_t)(size - 8);
  close(file);
  void* library = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(path);
  if (!library) {
    fprintf(stderr, "[stand-in] %s\n", dlerror());
    return INVALID_IMAGE;
  }
  ((void (*)(State*))dlsym(library, "standin_bind"))(&state);
  *module = new Module{library};
  return SUCCESS;
}

int cuModuleUnload(Module* module) {
  ENTER;
  drainAll();
  dlclose(module->library);
  delete module;
  return SUCCESS;
}

int cuModuleGetFunction(Function** function, Module* module, const char* name) {
  ENTER;
  std::string text = name;
  void* run = dlsym(module->library, ("standin_run_" + text).c_str());
  void* sizes = dlsym(module->library, ("standin_sizes_" + text).c_str());
  if (!run || !sizes) return NOT_FOUND;
  auto made = new Function{text, (void (*)(void**))run, std::vector<unsigned>(1024)};
  made->sizes.resize(((unsigned (*)(unsigned*))sizes)(made->sizes.data()));
  *function = made;
  return SUCCESS;
}

int cuLaunchKernel(Function* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, Stream* s, void** arguments, void**) {
  ENTER;
  STREAM(s);
  if (!gx || !gy || !gz || !bx || !by || !bz || gx > 0x7fffffffu || gy > 65535 || gz > 65535 ||
      bx > 1024 || by > 1024 || bz > 64 || (uint64_t)bx * by * bz > 1024 || shared > (48 << 10)) {
    return INVALID_VALUE;
  }
  Launch work{f, {gx, gy, gz}, {bx, by, bz}, {}};
  for (size_t k = 0; k < f->sizes.size(); k++) {
    char* value = (char*)arguments[k];
    work.values.emplace_back(value, value + f->sizes[k]);
  }
  return launch(s, work);
}

/// For the stand-ins of other libraries.
int standin_enqueue(Stream* s, void (*work)(void*), void* with) {
  ENTER;
  STREAM(s);
  return enqueue(s, [=] {
    work(with);
    return (int)SUCCESS;
  });
}

int cuStreamBeginCapture_v2(Stream* s, int) {
  ENTER;
  STREAM(s);
  s->capturing = true;
  s->broken = false;
  s->captured = Graph();
  return SUCCESS;
}

int cuStreamEndCapture(Stream* s, Graph** graph) {
  ENTER;
  STREAM(s);
  s->capturing = false;
  if (s->broken) return CAPTURE_INVALIDATED;
  *graph = new Graph(s->captured);
  return SUCCESS;
}

int cuGraphInstantiateWithFlags(Graph** exec, Graph* graph, unsigned long long) {
  ENTER;
  *exec = new Graph(*graph);
  return SUCCESS;
}

int cuGraphLaunch(Graph* exec, Stream* s) {
  ENTER;
  STREAM(s);
  if (s->capturing) return CAPTURE_UNSUPPORTED;
  for (auto& job : exec->jobs) {
    int status = enqueue(s, job);
    if (status) return status;
  }
  return SUCCESS;
}

int cuGraphExecDestroy(Graph* exec) {
  ENTER;
  delete exec;
  return SUCCESS;
}

int cuGraphDestroy(Graph* graph) {
  ENTER;
  delete graph;
  return SUCCESS;
}
}
