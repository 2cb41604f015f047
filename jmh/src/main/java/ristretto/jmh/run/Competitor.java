package ristretto.jmh.run;

import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;

/** Somebody who can do lines: the engine, a hand-written twin, a peer library. */
public interface Competitor extends AutoCloseable {
  /** Column of the table. */
  String name();

  /** Prepares a line, or says why not. */
  Offer prepare(Line line, Dims dims);

  @Override
  default void close() {}

  /** What a competitor answers. */
  sealed interface Offer {}

  record Ready(Job job) implements Offer {}

  /** It does not do this line at all: an empty cell, no message. */
  record NotOffered() implements Offer {}

  /** It would, but cannot here. */
  record Skipped(String reason) implements Offer {}
}
