package ristretto.nnet3;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * How long computations are kept, and who hears about them.
 *
 * @param capacity how many are kept; the one used longest ago is forgotten
 * @param shortcut whether requests that differ in the number of their sequences are recorded once
 * @param misses gets a line about each that was not there
 * @param debug gets the text of each that was made
 */
public record Keeping(
    int capacity,
    boolean shortcut,
    Consumer<Supplier<String>> misses,
    Consumer<Supplier<String>> debug) {
  /** As many as Kaldi keeps, and nobody hears. */
  public static final Keeping DEFAULT = quietly(64);

  /** Nobody hears. */
  public static Keeping quietly(int capacity) {
    return new Keeping(capacity, true, _ -> {}, _ -> {});
  }
}
