package ristretto.kernels.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.function.Supplier;

/**
 * Keeps what the process does on signals as the JVM has set it. Drivers with LLVM inside put
 * handlers of their own in place; they are gone after the first signal, and a signal that comes
 * before the JVM's are back ends the process, without a word. But the JVM works with signals: two
 * threads that stop at a safepoint are enough. PoCL also takes those of divisions by zero, which
 * then throw nothing. LLVM does this once, at its first use, not again after its handlers are gone.
 */
public final class SignalHandlers {
  private static final int SIGNALS = 31;

  /** At least of a struct sigaction, whatever is in it. */
  private static final int SIZE = 256;

  /** Null on a system without signals. */
  private static final MethodHandle SIGACTION = find();

  /** Those before the first of the calls under way, a struct a signal. */
  private static MemorySegment before;

  private static int underWay;

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

  /** What {@code calls} answers, which calls a driver for the first time, or to compile. */
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
  }

  /** Puts them back even if other calls are under way: until they end may be long. */
  private static synchronized void leave() {
    underWay--;
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
