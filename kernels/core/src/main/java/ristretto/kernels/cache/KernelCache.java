package ristretto.kernels.cache;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import ristretto.kernels.debug.Debug;

/**
 * Bounded map from a cache key (everything that changes the code) to compiled code. The least
 * recently used entry is evicted first. Each key is compiled once, even if several threads request
 * it concurrently; a failed compilation is not cached. Thread-safe.
 *
 * @param <K> key with equality by value
 * @param <V> compiled code
 */
public final class KernelCache<K, V> {
  /** Limit on the length of a difference that is printed in full, in characters. */
  private static final int LONGEST_DIFFERENCE = 80;

  private final int capacity;
  private final Function<K, Map<String, String>> features;
  private final LinkedHashMap<K, Entry<V>> entries = new LinkedHashMap<>(64, 0.75f, true);

  /**
   * Creates an empty cache.
   *
   * @param features returns the named properties of a key, by which misses are explained; null if
   *     misses are not explained
   */
  public KernelCache(int capacity, Function<K, Map<String, String>> features) {
    this.capacity = capacity;
    this.features = features;
  }

  private static final class Entry<V> {
    final String name;
    V value;

    Entry(String name) {
      this.name = name;
    }
  }

  /**
   * Returns the code for {@code key}, compiling it if it is not cached.
   *
   * @param name label of the kernel
   * @param counters counters of the caller
   */
  public V get(K key, String name, Function<K, V> compile, CacheCounters counters) {
    Entry<V> entry;
    synchronized (this) {
      entry = entries.get(key);
      if (entry != null && entry.value != null) {
        counters.hit();
        return entry.value;
      }
      if (entry == null) {
        if (features != null && Debug.on(Debug.FUSION, name)) {
          System.err.println("[cache] " + explainMiss(key, name));
        }
        entry = new Entry<>(name);
        entries.put(key, entry);
      }
    }
    synchronized (entry) {
      if (entry.value != null) {
        counters.hit();
        return entry.value;
      }
      long start = System.nanoTime();
      V value = null;
      try {
        value = compile.apply(key);
      } finally {
        compiled(key, entry, value, counters, System.nanoTime() - start);
      }
      return value;
    }
  }

  /** Ends a compilation; {@code value} is null if it failed. */
  private synchronized void compiled(
      K key, Entry<V> entry, V value, CacheCounters counters, long nanos) {
    counters.miss(nanos);
    entry.value = value;
    if (value == null) {
      entries.remove(key, entry);
    }
    evict(counters);
  }

  private void evict(CacheCounters counters) {
    if (entries.size() > capacity) {
      var eldest = entries.entrySet().iterator();
      eldest.next();
      eldest.remove();
      counters.eviction();
    }
  }

  public synchronized boolean contains(K key) {
    Entry<V> entry = entries.get(key);
    return entry != null && entry.value != null;
  }

  /** Returns the keys, least recently used first, among them those being compiled. */
  public synchronized List<K> keys() {
    return List.copyOf(entries.keySet());
  }

  private static String difference(String feature, String had, String wanted) {
    return had.length() + wanted.length() > LONGEST_DIFFERENCE
        ? "other " + feature
        : feature + " " + had + " to " + wanted;
  }

  /** Explains why {@code key} needs new code: the most similar entry and the differences. */
  public synchronized String explainMiss(K key, String name) {
    Map<String, String> wanted = features.apply(key);
    String nearest = null;
    String difference = "";
    int fewest = Integer.MAX_VALUE;
    for (var e : entries.entrySet()) {
      Map<String, String> other = features.apply(e.getKey());
      int count = 0;
      var text = new StringBuilder();
      for (var feature : wanted.entrySet()) {
        String had = other.getOrDefault(feature.getKey(), "none");
        if (!had.equals(feature.getValue())) {
          count++;
          text.append(text.isEmpty() ? "" : ", ");
          text.append(difference(feature.getKey(), had, feature.getValue()));
        }
      }
      if (count < fewest) {
        fewest = count;
        nearest = e.getValue().name;
        difference = text.toString();
      }
    }
    if (nearest == null) {
      return "new kernel " + name + ": the cache is empty";
    }
    if (fewest == wanted.size()) {
      return "new kernel " + name + ": no similar one among " + entries.size() + " kernels";
    }
    return "new kernel " + name + ": " + difference + ", the rest equals " + nearest;
  }
}
