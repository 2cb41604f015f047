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
import java.util.function.IntConsumer;

/**
 * Shared library, loaded until the process ends.
 *
 * @param file path, or a name that the linker resolved
 * @param major version in the file's name, usually CUDA's; 0 for the driver's
 */
record Library(String file, int major, SymbolLookup symbols) {
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  static final AddressLayout POINTER = ValueLayout.ADDRESS;

  /** Loads a library; empty if the file is missing or does not load. */
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

  /** Binds a function that returns an {@code int} status. */
  MethodHandle function(String name, MemoryLayout... parameters) {
    MemorySegment address =
        symbols
            .find(name)
            .orElseThrow(() ->
                new UnsatisfiedLinkError(
                    ("[cuda] %s must have the function %s; it belongs to CUDA 12 or 13, and"
                            + " this one does not; correct the path, see docs/flags.md")
                        .formatted(file, name)));
    return Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(INT, parameters));
  }

  /**
   * Reads the version of a library, such as "12.4.5".
   *
   * @param property function that returns major, minor and patch number
   * @param check throws for a status other than success
   */
  String version(String property, IntConsumer check) {
    MethodHandle handle = function(property, INT, LONG);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(INT);
      var text = new StringBuilder();
      for (int part = 0; part < 3; part++) {
        check.accept((int) handle.invokeExact(part, number.address()));
        text.append(part == 0 ? "" : ".").append(number.get(INT, 0));
      }
      return text.toString();
    } catch (Throwable t) {
      throw thrown(t);
    }
  }

  /** Calls a function without parameters that returns a {@code long}. */
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

  /** Converts an exception from a method handle of {@link #function}, which declares Throwable. */
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
