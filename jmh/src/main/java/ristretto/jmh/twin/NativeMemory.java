package ristretto.jmh.twin;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Memory in huge pages where the system supports them, since a plain loop over small pages reaches
 * only half the bandwidth.
 */
final class NativeMemory {
  private static final long HUGE_PAGE = 2L << 20;
  private static final int READ_WRITE = 3;
  private static final int PRIVATE_ANONYMOUS = 0x22;
  private static final int MADV_HUGEPAGE = 14;
  private static final Optional<Calls> LINUX = calls();

  private record Calls(MethodHandle map, MethodHandle unmap, MethodHandle advise) {}

  private NativeMemory() {}

  /**
   * Allocates at least {@code bytes} bytes on a page boundary, valid until {@code arena} is closed.
   */
  static MemorySegment allocate(Arena arena, long bytes) {
    if (LINUX.isEmpty() || bytes < HUGE_PAGE) {
      return arena.allocate(Math.max(64, bytes), 64);
    }
    Calls calls = LINUX.get();
    long length = (bytes + 2 * HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    try {
      long start =
          (long) calls.map().invokeExact(0L, length, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
      if (start == -1) {
        throw new OutOfMemoryError("mmap of " + length + " bytes");
      }
      long address = (start + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
      long inner = length - (address - start);
      int _ = (int) calls.advise().invokeExact(address, inner, MADV_HUGEPAGE);
      return MemorySegment.ofAddress(address)
          .reinterpret(bytes, arena, segment -> unmap(calls, start, length));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static void unmap(Calls calls, long start, long length) {
    try {
      int _ = (int) calls.unmap().invokeExact(start, length);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static Optional<Calls> calls() {
    if (!System.getProperty("os.name").equals("Linux")) {
      return Optional.empty();
    }
    Linker linker = Linker.nativeLinker();
    var lookup = linker.defaultLookup();
    var size = ValueLayout.JAVA_LONG;
    var number = ValueLayout.JAVA_INT;
    return Optional.of(
        new Calls(
            linker.downcallHandle(
                lookup.findOrThrow("mmap"),
                FunctionDescriptor.of(size, size, size, number, number, number, size)),
            linker.downcallHandle(
                lookup.findOrThrow("munmap"), FunctionDescriptor.of(number, size, size)),
            linker.downcallHandle(
                lookup.findOrThrow("madvise"), FunctionDescriptor.of(number, size, size, number))));
  }
}
