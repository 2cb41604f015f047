package ristretto.nnet3.compile;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Keeping;

/**
 * What was compiled, by what it was compiled for. The least recently used is forgotten, and each
 * miss is explained by the nearest that is there.
 *
 * @param <V> of what is kept
 */
public final class Kept<V> {
  /** What something was compiled for. */
  public static final class Key {
    private final ComputationRequest request;
    private final Map<String, Object> rest;

    /** Requests have many rows, and are looked up more than once. */
    private final int hash;

    /** Of what something was compiled for. */
    public Key(ComputationRequest request, Map<String, Object> rest) {
      this.request = request;
      this.rest = rest;
      this.hash = 31 * request.hashCode() + rest.hashCode();
    }

    /** Of a request and nothing else. */
    static Key of(ComputationRequest request) {
      return new Key(request, Map.of());
    }

    /** The request. */
    public ComputationRequest request() {
      return request;
    }

    /** By name, what else it depends on. */
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
   * An empty cache.
   *
   * @param what it keeps, in lines about misses
   */
  public Kept(String what, Keeping keeping) {
    this.what = what;
    this.keeping = keeping;
  }

  /** What is kept for a key, or else made. */
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

  /** How often something had to be made. */
  public int misses() {
    return misses;
  }

  /** What there is, the one used longest ago first. */
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
