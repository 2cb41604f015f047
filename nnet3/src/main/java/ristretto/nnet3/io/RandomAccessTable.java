package ristretto.nnet3.io;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.RistrettoException;

/**
 * A table whose entries are looked up by key. For a script, its lines and one value are in memory.
 * For an archive, all entries read on the way to a key stay in memory, unless an option says that
 * they are not looked up again: {@code s,cs} that both keys and lookups ascend, {@code o} that each
 * key is looked up at most once.
 *
 * @param <T> type of a value
 */
public final class RandomAccessTable<T> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RandomAccessTable.class);

  private final Rspecifier table;
  private final Map<String, ScriptLine> lines;
  private final ScriptValues<T> scripted;
  private final TableEntries<T> entries;
  private final Map<String, T> seen = new HashMap<>();
  private String last;
  private String asked;
  private boolean ended;

  private RandomAccessTable(Rspecifier table, Holder<T> holder) {
    this.table = table;
    this.scripted = table.script() ? new ScriptValues<>(holder) : null;
    this.lines = table.script() ? index(table) : null;
    this.entries = table.script() ? null : new ArchiveEntries<>(table, holder);
  }

  /** Opens a Kaldi rspecifier, such as {@code scp:file} or {@code ark,s,cs:file}. */
  public static <T> RandomAccessTable<T> open(String rspecifier, Holder<T> holder) {
    return new RandomAccessTable<>(Rspecifier.of(rspecifier), holder);
  }

  private static Map<String, ScriptLine> index(Rspecifier table) {
    List<ScriptLine> all = ScriptLine.readAll(table.file());
    var lines = new HashMap<String, ScriptLine>();
    String before = null;
    for (ScriptLine line : all) {
      if (lines.put(line.key(), line) != null) {
        throw twice(line.key(), table.text());
      }
      if (table.sorted() && before != null && ByteText.compare(before, line.key()) > 0) {
        throw unsorted(before, line.key(), table.text());
      }
      before = line.key();
    }
    return lines;
  }

  /**
   * Returns true if there is an entry; with the option {@code p}, only if its value can be read.
   */
  public boolean has(String key) {
    if (lines == null) {
      return find(key);
    }
    if (!lines.containsKey(key) || !table.permissive()) {
      return lines.containsKey(key);
    }
    if (seen.containsKey(key)) {
      return true;
    }
    seen.clear();
    try {
      seen.put(key, scripted.load(lines.get(key)));
      return true;
    } catch (RistrettoException e) {
      LOG.warn(
          "skipping the entry {} of {}: {}",
          Excerpt.of(key),
          Excerpt.whole(table.text()),
          e.getMessage());
      return false;
    }
  }

  /** Returns the value for a key; a missing entry is an error. */
  public T get(String key) {
    if (!has(key)) {
      throw new FileFormatException(
          "[table] a requested key must be in the table; got %s, which %s lacks; check that the tables belong together."
              .formatted(TextScanner.quoted(key), TextScanner.whole(table.text())));
    }
    if (lines == null) {
      return table.once() ? seen.remove(key) : seen.get(key);
    }
    T value = seen.get(key);
    return value != null ? value : scripted.load(lines.get(key));
  }

  private boolean find(String key) {
    boolean forward = table.sorted() && table.calledSorted();
    if (forward && asked != null && ByteText.compare(asked, key) > 0) {
      throw unsorted(asked, key, "the calls for " + table.text());
    }
    asked = key;
    while (!seen.containsKey(key) && !ended && !(table.sorted() && passed(key))) {
      if (forward) {
        seen.clear();
      }
      read();
    }
    return seen.containsKey(key);
  }

  private boolean passed(String key) {
    return last != null && ByteText.compare(last, key) >= 0;
  }

  private void read() {
    if (!entries.next()) {
      ended = true;
      return;
    }
    String key = entries.key();
    if (table.sorted() && last != null && ByteText.compare(last, key) >= 0) {
      throw last.equals(key) ? twice(key, table.text()) : unsorted(last, key, table.text());
    }
    last = key;
    if (seen.put(key, entries.value()) != null) {
      throw twice(key, table.text());
    }
  }

  private static FileFormatException twice(String key, String table) {
    return new FileFormatException(
        "[table] keys must be unique; got %s twice in %s; rename or leave out one."
            .formatted(TextScanner.quoted(key), TextScanner.whole(table)));
  }

  private static FileFormatException unsorted(String before, String key, String table) {
    return new FileFormatException(
        "[table] keys must ascend with the options s and cs; got %s after %s in %s; sort it (LC_ALL=C), or leave out the option."
            .formatted(
                TextScanner.quoted(key), TextScanner.quoted(before), TextScanner.whole(table)));
  }

  @Override
  public void close() {
    if (entries == null) {
      scripted.close();
    } else {
      entries.close();
    }
  }
}
