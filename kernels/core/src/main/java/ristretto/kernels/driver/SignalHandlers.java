package ristretto.kernels.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Preserves the JVM's signal handlers. Drivers that contain LLVM install their own handlers, which
 * remove themselves after the first signal; a further signal before the JVM's handlers are restored
 * ends the process silently. The JVM itself uses signals: two threads that stop at a safepoint
 * suffice. PoCL also replaces the handler of divisions by zero, which then throw nothing. LLVM
 * installs its handlers once, at its first use, and not again after they are gone. So a thread
 * restores the handlers every millisecond while a call is in progress, and once more at its end.
 */
public final class SignalHandlers {
  private static final int SIGNALS = 31;

  private static final long INTERVAL_NANOS = 1_000_000;

  /** Upper bound for the size of a struct sigaction, in bytes. */
  private static final int SIZE = 256;

  /** Handle of sigaction; null on a system without it. */
  private static final MethodHandle SIGACTION = find();

  /** Handlers before the first of the calls in progress, one struct per signal. */
  private static MemorySegment before;

  private static int underWay;

  /** True while a thread restores the handlers again and again. */
  private static boolean watched;

  private SignalHandlers() {}

  private static MethodHandle find() {
    Linker linker = Linker.nativeLinker();
    return linker
        .defaultLookup()
        .find("sigaction")
        .map(address ->
            linker.downcallHandle(
                address,
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS)))
        .orElse(null);
  }

  /** Returns the result of {@code calls}, which calls a driver for the first time or compiles. */
  public static <T> T keep(Supplier<T> calls) {
    if (SIGACTION == null) {
      return calls.get();
    }
    enter();
    try {
      return calls.get();
    } finally {
      leave();
    }
  }

  private static synchronized void enter() {
    if (underWay++ == 0) {
      before = current(Arena.ofAuto());
    }
    if (!watched) {
      watched = true;
      Thread.ofPlatform().daemon().name("ristretto-signal-handlers").start(SignalHandlers::watch);
    }
  }

  /** Restores the handlers again and again until no call is in progress. */
  private static void watch() {
    while (restoreIfUnderWay()) {
      LockSupport.parkNanos(INTERVAL_NANOS);
    }
  }

  private static synchronized boolean restoreIfUnderWay() {
    watched = underWay > 0;
    if (watched) {
      restore();
    }
    return watched;
  }

  /** Restores the handlers even if other calls are in progress, because those may take long. */
  private static synchronized void leave() {
    underWay--;
    restore();
  }

  private static void restore() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment now = current(arena);
      for (int signal = 1; signal <= SIGNALS; signal++) {
        MemorySegment old = of(before, signal);
        if (old.mismatch(of(now, signal)) >= 0) {
          sigaction(signal, old, MemorySegment.NULL);
        }
      }
    }
  }

  private static MemorySegment current(Arena arena) {
    MemorySegment all = arena.allocate((long) SIZE * (SIGNALS + 1), Long.BYTES);
    for (int signal = 1; signal <= SIGNALS; signal++) {
      sigaction(signal, MemorySegment.NULL, of(all, signal));
    }
    return all;
  }

  private static MemorySegment of(MemorySegment all, int signal) {
    return all.asSlice((long) SIZE * signal, SIZE);
  }

  private static void sigaction(int signal, MemorySegment set, MemorySegment old) {
    try {
      int _ = (int) SIGACTION.invokeExact(signal, set, old);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
