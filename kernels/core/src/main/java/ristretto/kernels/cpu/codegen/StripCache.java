package ristretto.kernels.cpu.codegen;

import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.cache.KernelCache;
import ristretto.kernels.cpu.strip.LowerForStrips;
import ristretto.kernels.cpu.strip.StripCode;
import ristretto.kernels.cpu.strip.StripKey;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.debug.Trace;

/**
 * Cache of compiled strips. They do not depend on a device, so that all devices of the process
 * share them and a context opened later starts with warm code.
 */
public final class StripCache {
  public static final StripCache SHARED = new StripCache();

  /**
   * Most compiled strips kept. A strip is some kilobytes of code; the largest program seen has some
   * hundred strips.
   */
  public static final int CAPACITY = 2048;

  private final KernelCache<StripKey, StripCode> strips =
      new KernelCache<>(CAPACITY, StripKey::features);

  StripCache() {}

  /** Returns the strip for {@code key}, compiling it if it is not cached. */
  public StripCode strip(StripKey key, String name, CacheCounters counters) {
    return strips.get(
        key,
        name,
        k -> {
          long start = System.nanoTime();
          StripSpec spec = LowerForStrips.apply(k, name);
          var code = new StripCode(StripCompiler.compile(spec, name), spec.lanes());
          Trace.event(name, "compile", start, System.nanoTime() - start);
          return code;
        },
        counters);
  }

  public boolean contains(StripKey key) {
    return strips.contains(key);
  }
}
