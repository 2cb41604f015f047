package ristretto.kernels.cpu;

import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.cache.KernelCache;
import ristretto.kernels.debug.Trace;

/**
 * Compiled strips and cut rows. They depend on nothing of a device, so that all devices of the
 * process share them: a context that is opened later starts with warm code.
 */
final class StripCache {
  static final StripCache SHARED = new StripCache();

  /**
   * Compiled strips kept. A strip is some kilobytes of code; the largest program seen has some
   * hundred.
   */
  private static final int CAPACITY = 2048;

  private final KernelCache<StripKey, StripCode> strips =
      new KernelCache<>(CAPACITY, StripKey::features);
  private final KernelCache<RowStages.Key, RowStages> stages = new KernelCache<>(CAPACITY, null);
  private final CacheCounters stagesCounters = new CacheCounters();

  StripCache() {}

  /** The strip for {@code key}, compiled now if need be. */
  StripCode strip(StripKey key, String name, CacheCounters counters) {
    return strips.get(key, name, k -> compile(k, name), counters);
  }

  boolean contains(StripKey key) {
    return strips.contains(key);
  }

  /** How the rows of {@code key} are cut; no kernel of its own, so not counted. */
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
