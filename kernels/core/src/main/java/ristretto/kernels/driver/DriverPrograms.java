package ristretto.kernels.driver;

import java.util.Map;
import ristretto.kernels.KernelException;
import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.cache.KernelCache;

/**
 * Cache of one device's compiled programs by source text. Programs stay until the process ends, so
 * a device that is opened again starts with warm code; their binaries stay in the user's cache
 * folder.
 *
 * @param <P> the driver's handle of a program
 */
public abstract class DriverPrograms<P> {
  /** Maximum number of cached programs; one takes some ten kilobytes. */
  private static final int CAPACITY = 2048;

  /** Binaries of this and earlier processes. */
  protected final DiskCache disk;

  private final String language;
  private final KernelCache<Key, P> cache = new KernelCache<>(CAPACITY, Key::features);

  /**
   * Cache key of a program.
   *
   * @param source program text; options and compiler are equal for all programs of a device
   * @param features properties that explain a cache miss
   */
  private record Key(String source, Map<String, String> features) {
    @Override
    public boolean equals(Object o) {
      return o instanceof Key k && source.equals(k.source);
    }

    @Override
    public int hashCode() {
      return source.hashCode();
    }
  }

  /**
   * Creates an empty cache.
   *
   * @param language name of the source language, for messages
   */
  protected DriverPrograms(DiskCache disk, String language) {
    this.disk = disk;
    this.language = language;
  }

  /** Loads or compiles a program; {@code name} is the label of the kernel. */
  protected abstract P compile(String source, String name);

  /**
   * Returns the program of a source text; compiles it on a cache miss.
   *
   * @param name label of the kernel
   * @param features properties that explain a cache miss
   */
  public final P get(
      String source, String name, Map<String, String> features, CacheCounters counters) {
    return cache.get(new Key(source, features), name, k -> compile(k.source, name), counters);
  }

  final boolean contains(String source) {
    return cache.contains(new Key(source, Map.of()));
  }

  /**
   * Returns the exception for a program that the compiler rejected with the message {@code log}.
   */
  protected final KernelException rejected(
      String source, String name, String log, Throwable cause) {
    return new KernelException(
        BuildMessage.of(name, language, source, log, disk.keepFailed(source)), cause);
  }
}
