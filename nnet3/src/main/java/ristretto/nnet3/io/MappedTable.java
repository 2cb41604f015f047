package ristretto.nnet3.io;

/**
 * A table whose entries are asked for by other names than its own: those of utterances, where it
 * has an entry for each speaker.
 *
 * @param <T> a value
 */
public final class MappedTable<T> implements AutoCloseable {
  private final RandomAccessTable<T> table;
  private final RandomAccessTable<String> keys;

  private MappedTable(RandomAccessTable<T> table, RandomAccessTable<String> keys) {
    this.table = table;
    this.keys = keys;
  }

  /**
   * Opens both.
   *
   * @param rspecifier of the values
   * @param holder of the values
   * @param keys rspecifier of a table of tokens, Kaldi's utt2spk: the key in the other table for
   *     each that is asked for; empty where they are the same
   */
  public static <T> MappedTable<T> open(String rspecifier, Holder<T> holder, String keys) {
    RandomAccessTable<String> map =
        keys.isEmpty() ? null : RandomAccessTable.open(keys, Holder.TOKEN);
    return new MappedTable<>(RandomAccessTable.open(rspecifier, holder), map);
  }

  /** Whether there is a value; a key that the map does not have is an error. */
  public boolean has(String key) {
    return table.has(keys == null ? key : keys.get(key));
  }

  /** The value of an entry that is there. */
  public T get(String key) {
    return table.get(keys == null ? key : keys.get(key));
  }

  @Override
  public void close() {
    table.close();
    if (keys != null) {
      keys.close();
    }
  }
}
