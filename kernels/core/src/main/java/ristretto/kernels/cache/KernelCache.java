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
  private long hits;
  private long misses;
  private long evictions;
  private long compileNanos;

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
   * A snapshot of the counters.
   *
   * @param hits found compiled
   * @param misses compiled
   * @param evictions dropped because the cache was full
   * @param compileNanos time spent compiling
   * @param size entries now held
   */
  public record Counters(long hits, long misses, long evictions, long compileNanos, int size) {}

  /** The code for {@code key}, compiled now if it is not there; {@code name} is its label. */
  public V get(K key, String name, Function<K, V> compile) {
    Entry<V> entry;
    synchronized (this) {
      entry = entries.get(key);
      if (entry != null && entry.value != null) {
        hits++;
        return entry.value;
      }
      if (entry == null) {
        if (features != null && Debug.on(Debug.FUSION, name)) {
          System.err.println("[cache] " + explainMiss(key, name));
        }
        entry = new Entry<>(name);
        entries.put(key, entry);
        evict();
      }
    }
    synchronized (entry) {
      if (entry.value == null) {
        compile(key, entry, compile);
      } else {
        synchronized (this) {
          hits++;
        }
      }
      return entry.value;
    }
  }

  private void compile(K key, Entry<V> entry, Function<K, V> compile) {
    long start = System.nanoTime();
    V value = null;
    try {
      value = compile.apply(key);
    } finally {
      long nanos = System.nanoTime() - start;
      synchronized (this) {
        entry.value = value;
        misses++;
        compileNanos += nanos;
        if (value == null) {
          entries.remove(key, entry);
        }
      }
    }
  }

  private void evict() {
    if (entries.size() > capacity) {
      var eldest = entries.entrySet().iterator();
      eldest.next();
      eldest.remove();
      evictions++;
    }
  }

  public synchronized boolean contains(K key) {
    Entry<V> entry = entries.get(key);
    return entry != null && entry.value != null;
  }

  public synchronized Counters counters() {
    return new Counters(hits, misses, evictions, compileNanos, entries.size());
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
