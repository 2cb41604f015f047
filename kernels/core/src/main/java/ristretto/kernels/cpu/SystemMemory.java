package ristretto.kernels.cpu;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Memory of the operating system. Large pieces on Linux are mapped with huge pages advised, which
 * halves the time of memory-bound kernels; everything else comes from the JDK, because the first
 * native call of a process costs tens of milliseconds.
 */
final class SystemMemory implements AutoCloseable {
  static final long HUGE_PAGE = 2 << 20;

  /**
   * A piece of this size, or any large one once this much is held, is worth the first native call.
   */
  private static final long WORTH_MAPPING = 24 << 20;

  private static final boolean LINUX = System.getProperty("os.name").startsWith("Linux");

  private final long address;
  private final Arena arena;
  private final long mapped;
  private final long mappedBytes;

  private SystemMemory(long address, Arena arena, long mapped, long mappedBytes) {
    this.address = address;
    this.arena = arena;
    this.mapped = mapped;
    this.mappedBytes = mappedBytes;
  }

  long address() {
    return address;
  }

  /**
   * Memory of {@code bytes} bytes, aligned to 64, or null if there is none. @param held bytes
   * already taken
   */
  static SystemMemory allocate(long bytes, long held) {
    if (LINUX
        && bytes >= HUGE_PAGE
        && (bytes >= WORTH_MAPPING || held + bytes >= 2 * WORTH_MAPPING)) {
      return map(bytes);
    }
    Arena arena = Arena.ofShared();
    try {
      return new SystemMemory(arena.allocate(bytes, 64).address(), arena, 0, 0);
    } catch (OutOfMemoryError | IllegalArgumentException _) {
      arena.close();
      return LINUX ? map(bytes) : null;
    }
  }

  private static SystemMemory map(long bytes) {
    if (bytes > Long.MAX_VALUE - 2 * HUGE_PAGE) {
      return null;
    }
    long whole = ((bytes + 4095) & -4096L) + HUGE_PAGE;
    long start = Native.map(whole);
    if (start == -1) {
      return null;
    }
    long aligned = (start + HUGE_PAGE - 1) & -HUGE_PAGE;
    Native.adviseHugePages(aligned, bytes);
    return new SystemMemory(aligned, null, start, whole);
  }

  @Override
  public void close() {
    if (arena != null) {
      arena.close();
    } else {
      Native.unmap(mapped, mappedBytes);
    }
  }

  /** The three system calls; its class is loaded when the first is made. */
  private static final class Native {
    private static final int READ_WRITE = 3;
    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final int MADV_HUGEPAGE = 14;
    private static final MethodHandle MMAP =
        handle(
            "mmap",
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG));
    private static final MethodHandle MUNMAP =
        handle(
            "munmap",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    private static final MethodHandle MADVISE =
        handle(
            "madvise",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT));

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
      Linker linker = Linker.nativeLinker();
      MemorySegment symbol = linker.defaultLookup().find(name).orElseThrow();
      return linker.downcallHandle(symbol, descriptor);
    }

    static long map(long bytes) {
      try {
        return (long) MMAP.invokeExact(0L, bytes, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    }

    static void unmap(long address, long bytes) {
      try {
        int ignored = (int) MUNMAP.invokeExact(address, bytes);
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    }

    static void adviseHugePages(long address, long bytes) {
      try {
        int ignored = (int) MADVISE.invokeExact(address, bytes & -HUGE_PAGE, MADV_HUGEPAGE);
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
