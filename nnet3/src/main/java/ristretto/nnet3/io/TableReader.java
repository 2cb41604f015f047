package ristretto.nnet3.io;

import java.util.NoSuchElementException;

/**
 * Reads a table entry by entry:
 *
 * <pre>{@code
 * try (var features = TableReader.open("scp:feats.scp", Holder.MATRIX)) {
 *   while (features.next()) {
 *     use(features.key(), features.value());
 *   }
 * }
 * }</pre>
 *
 * <p>One entry is in memory at a time. Content that cannot be read is an error; with the option
 * {@code p}, the entry of a script or the rest of an archive is left out with a warning. A repeated
 * key causes a warning, except in tables of examples.
 *
 * @param <T> type of a value
 */
public final class TableReader<T> implements AutoCloseable {
  private final TableEntries<T> entries;
  private final RepeatedKeys keys;

  private TableReader(TableEntries<T> entries, RepeatedKeys keys) {
    this.entries = entries;
    this.keys = keys;
  }

  /** Returns true if a name is the rspecifier of a table, and not the name of a file. */
  public static boolean isTable(String name) {
    return Specifier.looksLikeOne(name);
  }

  /** Opens a Kaldi rspecifier, such as {@code ark:file} or {@code scp,p:file}. */
  public static <T> TableReader<T> open(String rspecifier, Holder<T> holder) {
    var table = Rspecifier.of(rspecifier);
    TableEntries<T> entries =
        table.script() ? new ScriptEntries<>(table, holder) : new ArchiveEntries<>(table, holder);
    return new TableReader<>(
        table.background() ? new BackgroundEntries<>(entries) : entries,
        holder.repeatsKeys() ? null : new RepeatedKeys(rspecifier));
  }

  /**
   * Advances to the next entry, or to the first one at the first call; returns false at the end.
   */
  public boolean next() {
    boolean more = entries.next();
    if (more && keys != null) {
      keys.add(entries.key());
    }
    return more;
  }

  /** Key of the current entry. */
  public String key() {
    String key = entries.key();
    if (key == null) {
      throw new NoSuchElementException(
          "[table] the reader must be at an entry; got none; call next first.");
    }
    return key;
  }

  /** Value of the current entry. */
  public T value() {
    key();
    return entries.value();
  }

  @Override
  public void close() {
    entries.close();
  }
}
