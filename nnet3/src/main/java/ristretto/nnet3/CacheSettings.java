package ristretto.nnet3;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Settings of the cache of compiled computations.
 *
 * @param capacity maximum number of entries; the least recently used one is evicted
 * @param shortcut true if requests that differ only in the number of sequences share a recording
 * @param misses receives one line for each cache miss
 * @param debug receives the text of each new computation
 */
public record CacheSettings(
    int capacity,
    boolean shortcut,
    Consumer<Supplier<String>> misses,
    Consumer<Supplier<String>> debug) {
  /** Kaldi's default capacity (64), without logging. */
  public static final CacheSettings DEFAULT = quietly(64);

  /** Returns settings with a capacity and without logging. */
  public static CacheSettings quietly(int capacity) {
    return new CacheSettings(capacity, true, _ -> {}, _ -> {});
  }
}
