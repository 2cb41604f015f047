package ristretto.kernels.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import ristretto.kernels.debug.Debug;

/**
 * A bounded map from a key (everything that changes the code) to compiled code. The least recently
 * used entry goes first. Each key is compiled once, however many threads ask for it at the same
 * time; a failed compilation is not kept. Safe for use by several threads.
 *
 * @param <K> a value class
 * @param <V> what is compiled
 */
public final class KernelCache<K, V> {
  /** Longer ones are not spelled out. */
  private static final int LONGEST_DIFFERENCE = 80;

  private final int capacity;
  private final Function<K, Map<String, String>> features;
  private final LinkedHashMap<K, Entry<V>> entries = new LinkedHashMap<>(64, 0.75f, true);

  /**
   * @param features named properties of a key in words, by which a miss is explained; null where
   *     misses are not worth a word
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
   * The code for {@code key}, compiled now if it is not there.
   *
   * @param name its label
   * @param counters of the one who asks
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
        evict(counters);
      }
    }
    synchronized (entry) {
      if (entry.value == null) {
        compile(key, entry, compile, counters);
      } else {
        counters.hit();
      }
      return entry.value;
    }
  }

  private void compile(K key, Entry<V> entry, Function<K, V> compile, CacheCounters counters) {
    long start = System.nanoTime();
    V value = null;
    try {
      value = compile.apply(key);
    } finally {
      counters.miss(System.nanoTime() - start);
      synchronized (this) {
        entry.value = value;
        if (value == null) {
          entries.remove(key, entry);
        }
      }
    }
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

  private static String difference(String feature, String had, String wanted) {
    return had.length() + wanted.length() > LONGEST_DIFFERENCE
        ? "other " + feature
        : feature + " " + had + " to " + wanted;
  }

  /** Why {@code key} needs new code: the nearest entry and what differs from it. */
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
      return "new kernel " + name + ": nothing like it among " + entries.size() + " kernels";
    }
    return "new kernel " + name + ": " + difference + ", the rest equals " + nearest;
  }
}
