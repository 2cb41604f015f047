// Counts what a process holds of memory from posix_memalign, from which PyTorch takes that of all
// tensors on a processor. Loaded before all other libraries.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define PLACES (1u << 18)
#define GONE ((void *) 1)

static struct { void *pointer; size_t bytes; } held[PLACES];
static atomic_flag busy = ATOMIC_FLAG_INIT;
static long live, most;

static int (*take)(void **, size_t, size_t);
static void (*give)(void *);

static void enter(void) { while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {} }

static void leave(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }

static unsigned place(void *pointer) { return (unsigned) (((uintptr_t) pointer >> 6) * 2654435761u) % PLACES; }

int posix_memalign(void **to, size_t alignment, size_t bytes) {
  if (!take) take = (int (*)(void **, size_t, size_t)) dlsym(RTLD_NEXT, "posix_memalign");
  int failed = take(to, alignment, bytes);
  if (failed || alignment < 64) return failed;
  enter();
  unsigned k = place(*to);
  for (unsigned n = 0; n < PLACES; n++, k = (k + 1) % PLACES) {
    if (held[k].pointer == NULL || held[k].pointer == GONE) {
      held[k].pointer = *to;
      held[k].bytes = bytes;
      live += bytes;
      if (live > most) most = live;
      break;
    }
  }
  leave();
  return 0;
}

void free(void *pointer) {
  if (!give) give = (void (*)(void *)) dlsym(RTLD_NEXT, "free");
  if (pointer && ((uintptr_t) pointer & 63) == 0) {
    enter();
    unsigned k = place(pointer);
    for (unsigned n = 0; n < 64 && held[k].pointer != NULL; n++, k = (k + 1) % PLACES) {
      if (held[k].pointer == pointer) {
        held[k].pointer = GONE;
        live -= held[k].bytes;
        break;
      }
    }
    leave();
  }
  give(pointer);
}

// Bytes held now, from which the most are counted anew.
long allocations_start(void) {
  enter();
  long now = most = live;
  leave();
  return now;
}

long allocations_most(void) { return most; }
