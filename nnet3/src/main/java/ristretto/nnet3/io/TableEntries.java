package ristretto.nnet3.io;

/** Sequential access to the entries of a table. */
interface TableEntries<T> extends AutoCloseable {
  /** Advances to the next entry; returns false at the end. */
  boolean next();

  /** Key of the current entry; null before the first one and after the last one. */
  String key();

  /** Value of the current entry. */
  T value();

  @Override
  void close();
}
