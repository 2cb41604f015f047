package ristretto.nnet3.compile;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.cache.KernelCache;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.ComputationRequest;

/**
 * Cache of compiled objects by request. Each miss is explained by the nearest cached key.
 *
 * @param <V> type of the cached objects
 */
public final class CompileCache<V> {
  /** Cache key: a request and other settings. */
  public static final class Key {
    private final ComputationRequest request;
    private final Map<String, Object> rest;

    /** Precomputed hash code: requests have many rows and are looked up more than once. */
    private final int hash;

    /** Key of a request and named settings. */
    public Key(ComputationRequest request, Map<String, Object> rest) {
      this.request = request;
      this.rest = rest;
      this.hash = 31 * request.hashCode() + rest.hashCode();
    }

    /** Key of a request alone. */
    static Key of(ComputationRequest request) {
      return new Key(request, Map.of());
    }

    /** Returns the request. */
    public ComputationRequest request() {
      return request;
    }

    /** Returns the other settings, by name. */
    public Map<String, Object> rest() {
      return rest;
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Key other
          && hash == other.hash
          && request.equals(other.request)
          && rest.equals(other.rest);
    }
  }

  private final String what;
  private final CacheSettings cache;
  private final KernelCache<Key, V> all;
  private final CacheCounters counters = new CacheCounters();

  /**
   * Creates an empty cache.
   *
   * @param what kind of the cached objects, in lines about misses
   */
  public CompileCache(String what, CacheSettings cache) {
    this.what = what;
    this.cache = cache;
    this.all = new KernelCache<>(cache.capacity(), null);
  }

  /** Returns the object cached for a key, making and caching it on a miss. */
  public V get(Key key, Function<Key, V> make) {
    return all.get(key, what, wanted -> make(wanted, make), counters);
  }

  private V make(Key key, Function<Key, V> make) {
    long start = System.nanoTime();
    V made = make.apply(key);
    double ms = (System.nanoTime() - start) / 1e6;
    cache.misses().accept(() -> line(key, ms));
    return made;
  }

  /** Returns the number of cache misses. */
  public int misses() {
    return Math.toIntExact(counters.misses());
  }

  /** Returns the keys, least recently used first. */
  public List<Key> keys() {
    return all.keys();
  }

  private String line(Key key, double ms) {
    List<Key> others = keys().stream().filter(other -> other != key).toList();
    return String.format(
        Locale.ROOT,
        "Compiled %s %d in %.1f ms: %s; cached %d of %d.",
        what,
        misses() + 1,
        ms,
        ExplainMiss.of(key, others),
        Math.min(others.size() + 1, cache.capacity()),
        cache.capacity());
  }
}
