package ristretto.jmh.run;

import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;

/** Implementation of lines: the engine, a hand-written twin, or a peer library. */
public interface Competitor extends AutoCloseable {
  /** Name of the table's column. */
  String name();

  /** Prepares a line, or answers why it cannot. */
  Offer prepare(Line line, Dims dims);

  @Override
  default void close() {}

  /** Answer of a competitor to a line. */
  sealed interface Offer {}

  record Ready(Job job) implements Offer {}

  /** The competitor does not implement this line: an empty cell, no message. */
  record NotOffered() implements Offer {}

  /** The competitor implements this line, but cannot run here. */
  record Skipped(String reason) implements Offer {}
}
