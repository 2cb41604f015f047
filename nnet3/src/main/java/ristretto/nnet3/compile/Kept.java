package ristretto.nnet3.compile;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Keeping;

/**
 * Cache of compiled objects with least-recently-used eviction. Each miss is explained by the
 * nearest cached key.
 *
 * @param <V> type of the cached objects
 */
public final class Kept<V> {
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
  private final Keeping keeping;
  private final Map<Key, V> all = new LinkedHashMap<>(16, 0.75f, true);
  private int misses;

  /**
   * Creates an empty cache.
   *
   * @param what kind of the cached objects, in lines about misses
   */
  public Kept(String what, Keeping keeping) {
    this.what = what;
    this.keeping = keeping;
  }

  /** Returns the object cached for a key, making and caching it on a miss. */
  public V get(Key key, Function<Key, V> make) {
    V known = all.get(key);
    if (known != null) {
      return known;
    }
    misses++;
    long start = System.nanoTime();
    V made = make.apply(key);
    double ms = (System.nanoTime() - start) / 1e6;
    keeping.misses().accept(() -> line(key, ms));
    while (all.size() >= keeping.capacity()) {
      all.remove(all.keySet().iterator().next());
    }
    all.put(key, made);
    return made;
  }

  /** Returns the number of cache misses. */
  public int misses() {
    return misses;
  }

  /** Returns the keys, least recently used first. */
  public List<Key> keys() {
    return List.copyOf(all.keySet());
  }

  private String line(Key key, double ms) {
    return String.format(
        Locale.ROOT,
        "Made %s %d in %.1f ms: %s; kept %d of %d.",
        what,
        misses,
        ms,
        ExplainMiss.of(key, all.keySet()),
        Math.min(all.size() + 1, keeping.capacity()),
        keeping.capacity());
  }
}
