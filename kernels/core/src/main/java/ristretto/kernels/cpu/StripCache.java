package ristretto.kernels.cpu;

import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.cache.KernelCache;
import ristretto.kernels.debug.Trace;

/**
 * Cache of compiled strips and cut tapes of row kernels. Neither depends on a device, so that all
 * devices of the process share them and a context opened later starts with warm code.
 */
final class StripCache {
  static final StripCache SHARED = new StripCache();

  /**
   * Most compiled strips kept. A strip is some kilobytes of code; the largest program seen has some
   * hundred strips.
   */
  private static final int CAPACITY = 2048;

  private final KernelCache<StripKey, StripCode> strips =
      new KernelCache<>(CAPACITY, StripKey::features);
  private final KernelCache<RowStages.Key, RowStages> stages = new KernelCache<>(CAPACITY, null);
  private final CacheCounters stagesCounters = new CacheCounters();

  StripCache() {}

  /** Returns the strip for {@code key}, compiling it if it is not cached. */
  StripCode strip(StripKey key, String name, CacheCounters counters) {
    return strips.get(key, name, k -> compile(k, name), counters);
  }

  boolean contains(StripKey key) {
    return strips.contains(key);
  }

  /** Returns the stages of a row kernel, outside of the counters of compiled kernels. */
  RowStages stages(RowStages.Key key, String name) {
    return stages.get(key, name, RowStages::new, stagesCounters);
  }

  private static StripCode compile(StripKey key, String name) {
    long start = System.nanoTime();
    StripSpec spec = LowerForStrips.apply(key, name);
    var code = new StripCode(StripCompiler.compile(spec, name), spec.lanes());
    Trace.event(name, "compile", start, System.nanoTime() - start);
    return code;
  }
}
