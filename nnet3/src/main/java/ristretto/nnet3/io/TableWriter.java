package ristretto.nnet3.io;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import ristretto.kernels.FileFormatException;

/**
 * Writes a table entry by entry. Archives and their scripts replace existing files at {@link
 * #commit}; without it, {@link #close} keeps the existing files.
 *
 * <pre>{@code
 * try (var out = TableWriter.open("ark,scp:out.ark,out.scp", Holder.MATRIX)) {
 *   out.write("utterance", matrix);
 *   out.commit();
 * }
 * }</pre>
 *
 * @param <T> type of a value
 */
public final class TableWriter<T> implements AutoCloseable {
  private final Wspecifier table;
  private final Holder<T> holder;
  private final ByteSink archive;
  private final ByteSink script;
  private final Map<String, String> files;

  private TableWriter(Wspecifier table, Holder<T> holder) {
    this.table = table;
    this.holder = holder;
    if (table.archive() == null) {
      archive = null;
      script = null;
      files = new HashMap<>();
      for (ScriptLine line : ScriptLine.readAll(table.script())) {
        if (line.range() != null || files.put(line.key(), line.file()) != null) {
          throw new FileFormatException(
              "[table] an output script must have whole files and each key once; got %s in %s; write, for example, \"key file\"."
                  .formatted(TextScanner.whole(line.key()), table.script()));
        }
      }
      return;
    }
    files = null;
    Wxfilename name = Wxfilename.of(table.archive());
    if (table.script() != null && !(name instanceof Wxfilename.To)) {
      throw new FileFormatException(
          "[table] an archive with a script must be a file; got %s; write, for example, ark,scp:a.ark,a.scp."
              .formatted(TextScanner.whole(table.archive())));
    }
    Wxfilename index = table.script() == null ? null : Wxfilename.of(table.script());
    if (index != null && name.isSameFile(index)) {
      throw new FileFormatException(
          "[table] an archive and its script must be two files; got %s for both; write, for example, ark,scp:a.ark,a.scp."
              .formatted(TextScanner.whole(table.archive())));
    }
    archive = name.open();
    script = index == null ? null : index.open();
  }

  /** Opens a Kaldi wspecifier, such as {@code ark,t:file}. */
  public static <T> TableWriter<T> open(String wspecifier, Holder<T> holder) {
    return new TableWriter<>(Wspecifier.of(wspecifier), holder);
  }

  /** Refuses a key that would not be read back as one word. */
  static void checkKey(String key) {
    if (key.isEmpty() || key.chars().anyMatch(c -> TextScanner.isSpace(c) || c < ' ')) {
      throw new FileFormatException(
          "[table] a key must have characters and no white space; got %s; rename it."
              .formatted(TextScanner.whole(key)));
    }
  }

  /** Writes an entry. */
  public void write(String key, T value) {
    checkKey(key);
    if (archive == null) {
      writeAlone(key, value);
      return;
    }
    var out = new KaldiOutput(archive);
    out.writeText(key + " ");
    if (script != null) {
      var line = new KaldiOutput(script);
      line.writeText(
          String.format(Locale.ROOT, "%s %s:%d\n", key, table.archive(), archive.offset()));
    }
    out.header(table.binary() && !holder.alwaysText(), !holder.ownHeader());
    holder.write(out, value);
    if (table.flush()) {
      flush();
    }
  }

  private void writeAlone(String key, T value) {
    String file = files.get(key);
    if (file != null) {
      holder.save(file, table.binary(), value);
    } else if (!table.permissive()) {
      throw new FileFormatException(
          "[table] an output script must list each key; got %s, which %s lacks; add it, or the option p."
              .formatted(TextScanner.quoted(key), table.script()));
    }
  }

  /** Flushes the archive and script, so that the reader of a pipe receives all entries written. */
  public void flush() {
    if (archive != null) {
      archive.flush();
    }
    if (script != null) {
      script.flush();
    }
  }

  /**
   * Commits the files; called after the last entry. With an archive and a script, the old script is
   * removed before the archive is replaced and the new script is added last, so that a script never
   * has the offsets of another archive.
   */
  public void commit() {
    if (script != null) {
      archive.commitWith(script);
    } else if (archive != null) {
      archive.commit();
    }
  }

  @Override
  public void close() {
    if (archive != null) {
      archive.close();
    }
    if (script != null) {
      script.close();
    }
  }
}
