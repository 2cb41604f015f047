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
 * <p>One entry is in memory at a time. What cannot be read is an error, or, with the option {@code
 * p}, left out with a warning: an entry of a script, the rest of an archive. A key that comes twice
 * is a warning, except among examples.
 *
 * @param <T> a value
 */
public final class TableReader<T> implements AutoCloseable {
  private final Entries<T> entries;
  private final RepeatedKeys keys;

  private TableReader(Entries<T> entries, RepeatedKeys keys) {
    this.entries = entries;
    this.keys = keys;
  }

  /** Opens what Kaldi calls an rspecifier, such as {@code ark:file} or {@code scp,p:file}. */
  public static <T> TableReader<T> open(String rspecifier, Holder<T> holder) {
    var table = Rspecifier.of(rspecifier);
    Entries<T> entries =
        table.script() ? new ScriptEntries<>(table, holder) : new ArchiveEntries<>(table, holder);
    return new TableReader<>(
        table.background() ? new BackgroundEntries<>(entries) : entries,
        holder.repeatsKeys() ? null : new RepeatedKeys(rspecifier));
  }

  /** Goes on to the next entry, the first at first; false at the end. */
  public boolean next() {
    boolean more = entries.next();
    if (more && keys != null) {
      keys.add(entries.key());
    }
    return more;
  }

  /** The name of this entry. */
  public String key() {
    String key = entries.key();
    if (key == null) {
      throw new NoSuchElementException(
          "[table] an entry must be there; got none; call next first.");
    }
    return key;
  }

  /** What this entry holds. */
  public T value() {
    key();
    return entries.value();
  }

  @Override
  public void close() {
    entries.close();
  }
}
