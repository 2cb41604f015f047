package ristretto.jmh.training;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import ristretto.jmh.twin.Gcc;

/** C library that counts the memory of PyTorch's tensors, compiled on first use. */
final class Allocations {
  private static Optional<Path> library;

  private Allocations() {}

  /** Returns the library's path; empty without a C compiler. */
  static synchronized Optional<Path> library() {
    if (library == null) {
      try {
        library =
            Optional.of(
                Gcc.compile(
                    Allocations.class,
                    "allocations",
                    List.of("-O2", "-shared", "-fPIC"),
                    List.of("-ldl")));
      } catch (Gcc.Unavailable e) {
        library = Optional.empty();
      }
    }
    return library;
  }
}
