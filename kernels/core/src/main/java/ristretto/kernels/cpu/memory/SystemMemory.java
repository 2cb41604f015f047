package ristretto.kernels.cpu.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Memory allocated from the operating system. On Linux, large allocations are mapped with huge
 * pages advised, which makes kernels that are bound by memory or the second-level cache up to twice
 * as fast. The first native call of a process costs tens of milliseconds and is made by a
 * background thread. Until then memory comes from the JDK, unless an allocation is large enough to
 * be worth the native call; the JDK's large allocations are moved to huge pages afterwards. Mapped
 * memory costs less than the JDK's, which is cleared byte by byte.
 */
final class SystemMemory implements AutoCloseable {
  static final long HUGE_PAGE = 2 << 20;

  /**
   * Bytes of an allocation that is worth the first native call; twice as many bytes held make any
   * large allocation worth it.
   */
  private static final long WORTH_MAPPING = 24 << 20;

  /**
   * Delay of the native calls at the start of a process, whose first results matter more than huge
   * pages.
   */
  private static final Duration AFTER_START = Duration.ofMillis(600);

  private static final boolean LINUX = System.getProperty("os.name").startsWith("Linux");

  /** Bytes of large allocations from the JDK, by address, until they are moved to huge pages. */
  private static final Map<Long, Long> WAITING = new ConcurrentHashMap<>();

  private static final AtomicBoolean STARTED = new AtomicBoolean();
  private static volatile boolean linked;

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

  /** Links the native calls in the background, once. */
  static void prepare() {
    if (LINUX && STARTED.compareAndSet(false, true)) {
      Thread.ofPlatform().daemon().name("ristretto-memory").start(SystemMemory::link);
    }
  }

  /**
   * Makes the first native calls, then moves the large allocations made until then to huge pages.
   */
  private static void link() {
    try {
      Thread.sleep(AFTER_START);
    } catch (InterruptedException e) {
      return;
    }
    Native.link();
    linked = true;
    WAITING.forEach((address, bytes) -> {
      Native.adviseHugePages(address, bytes);
      Native.collapse(address, bytes);
    });
    WAITING.clear();
  }

  /**
   * Allocates {@code bytes} bytes, aligned to 64; null if there is not enough memory.
   *
   * @param held bytes that are already allocated
   */
  static SystemMemory allocate(long bytes, long held) {
    if (LINUX
        && (linked
            || bytes >= HUGE_PAGE
                && (bytes >= WORTH_MAPPING || held + bytes >= 2 * WORTH_MAPPING))) {
      return map(bytes);
    }
    Arena arena = Arena.ofShared();
    try {
      boolean large = LINUX && bytes >= HUGE_PAGE;
      long address = arena.allocate(bytes, large ? HUGE_PAGE : 64).address();
      if (large) {
        WAITING.put(address, bytes);
      }
      return new SystemMemory(address, arena, 0, 0);
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
      WAITING.remove(address);
      arena.close();
    } else {
      Native.unmap(mapped, mappedBytes);
    }
  }

  /** System calls, in a class that is loaded when the first one is made. */
  private static final class Native {
    private static final int READ_WRITE = 3;
    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final int MADV_HUGEPAGE = 14;
    private static final int MADV_COLLAPSE = 25;
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

    /** Makes a first call of each function. */
    static void link() {
      long page = map(4096);
      if (page != -1) {
        advise(page, 4096, MADV_HUGEPAGE);
        unmap(page, 4096);
      }
    }

    static void adviseHugePages(long address, long bytes) {
      advise(address, bytes & -HUGE_PAGE, MADV_HUGEPAGE);
    }

    /** Moves used memory to huge pages; Linux before 6.1 refuses. */
    static void collapse(long address, long bytes) {
      advise(address, bytes & -HUGE_PAGE, MADV_COLLAPSE);
    }

    private static void advise(long address, long bytes, int advice) {
      try {
        int ignored = (int) MADVISE.invokeExact(address, bytes, advice);
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
