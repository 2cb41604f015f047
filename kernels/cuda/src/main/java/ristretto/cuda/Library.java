package ristretto.cuda;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * A shared library, loaded for the life of the process.
 *
 * @param file as it was found: a path, or a name that the system resolved
 * @param major the version in its name, most often of CUDA; 0 for the driver's
 */
record Library(String file, int major, SymbolLookup symbols) {
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  static final AddressLayout POINTER = ValueLayout.ADDRESS;

  /** Empty if there is no such file, or one that does not load. */
  static Optional<Library> load(String file, int major) {
    try {
      return Optional.of(
          new Library(file, major, SymbolLookup.libraryLookup(file, Arena.global())));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  boolean has(String function) {
    return symbols.find(function).isPresent();
  }

  /** A function that returns a status. */
  MethodHandle function(String name, MemoryLayout... parameters) {
    MemorySegment address =
        symbols
            .find(name)
            .orElseThrow(() ->
                new UnsatisfiedLinkError(
                    "[cuda] "
                        + file
                        + " must have the function "
                        + name
                        + "; it belongs to CUDA 12 or 13, and this one does not; correct the path,"
                        + " see docs/flags.md"));
    return Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(INT, parameters));
  }

  /** What a function without parameters returns. */
  long number(String name) {
    MethodHandle handle =
        Linker.nativeLinker()
            .downcallHandle(symbols.find(name).orElseThrow(), FunctionDescriptor.of(LONG));
    try {
      return (long) handle.invokeExact();
    } catch (Throwable t) {
      throw thrown(t);
    }
  }

  /** What a call of a {@link #function} threw, which is nothing that it declares. */
  static RuntimeException thrown(Throwable t) {
    if (t instanceof RuntimeException e) {
      throw e;
    }
    if (t instanceof Error e) {
      throw e;
    }
    return new IllegalStateException(t);
  }
}
