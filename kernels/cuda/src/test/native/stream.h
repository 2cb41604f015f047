// Access of the stand-in libraries to the streams of the stand-in driver.
#pragma once
#include <dlfcn.h>

/// Runs work in the order of a stream; returns 0 if it is enqueued.
inline int enqueue(void* stream, void (*work)(void*), void* with) {
  typedef int (*Enqueue)(void*, void (*)(void*), void*);
  static Enqueue start = (Enqueue)dlsym(dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY), "standin_enqueue");
  return start(stream, work, with);
}
