package ristretto.nnet3.io;

/**
 * A table looked up through a map of keys, such as one with an entry per speaker that is looked up
 * by utterance.
 *
 * @param <T> type of a value
 */
public final class MappedTable<T> implements AutoCloseable {
  private final RandomAccessTable<T> table;
  private final RandomAccessTable<String> keys;

  private MappedTable(RandomAccessTable<T> table, RandomAccessTable<String> keys) {
    this.table = table;
    this.keys = keys;
  }

  /**
   * Opens the table of values and the map of keys.
   *
   * @param rspecifier rspecifier of the values
   * @param holder holder of the values
   * @param keys rspecifier of the map, a table of tokens such as Kaldi's utt2spk, with the key of
   *     the value for each key that is looked up; empty if both keys are the same
   */
  public static <T> MappedTable<T> open(String rspecifier, Holder<T> holder, String keys) {
    RandomAccessTable<String> map =
        keys.isEmpty() ? null : RandomAccessTable.open(keys, Holder.TOKEN);
    return new MappedTable<>(RandomAccessTable.open(rspecifier, holder), map);
  }

  /** Returns true if there is a value for the key; a key that the map lacks is an error. */
  public boolean has(String key) {
    return table.has(keys == null ? key : keys.get(key));
  }

  /** Returns the value for a key; a missing entry is an error. */
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
