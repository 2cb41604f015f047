package ristretto.jmh.peer.torch;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;

/** The count of memory that a library keeps which this process was started with, if it was. */
final class Allocations {
  private Allocations() {}

  /** Bytes now; {@link #most} counts from here on. */
  static long start() {
    return call("allocations_start");
  }

  static long most() {
    return call("allocations_most");
  }

  private static long call(String name) {
    String library = System.getenv("LD_PRELOAD");
    if (library == null || library.isEmpty()) {
      return 0;
    }
    try {
      return (long)
          Linker.nativeLinker()
              .downcallHandle(
                  SymbolLookup.libraryLookup(library, Arena.global()).find(name).orElseThrow(),
                  FunctionDescriptor.of(ValueLayout.JAVA_LONG))
              .invokeExact();
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
