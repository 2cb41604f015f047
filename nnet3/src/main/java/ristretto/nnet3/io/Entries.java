package ristretto.nnet3.io;

/** What a table is read from, entry by entry. */
interface Entries<T> extends AutoCloseable {
  /** Goes on to the next entry, or returns false at the end. */
  boolean next();

  /** Of the entry it is at. */
  String key();

  /** Of the entry it is at. */
  T value();

  @Override
  void close();
}
