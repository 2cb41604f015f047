package ristretto.nnet3.io;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.RistrettoException;

/**
 * Entries of a script. Values are loaded on demand; with the option {@code p}, by {@link #next}.
 */
final class ScriptEntries<T> implements TableEntries<T> {
  private static final Logger LOG = LoggerFactory.getLogger(ScriptEntries.class);

  private final boolean permissive;
  private final KaldiInput script;
  private final ScriptValues<T> values;
  private ScriptLine line;
  private T value;

  ScriptEntries(Rspecifier table, Holder<T> holder) {
    this.permissive = table.permissive();
    this.script = ScriptLine.open(table.file());
    this.values = new ScriptValues<>(holder);
  }

  @Override
  public boolean next() {
    while (true) {
      value = null;
      line = ScriptLine.read(script);
      if (line == null || !permissive) {
        return line != null;
      }
      try {
        value();
        return true;
      } catch (RistrettoException e) {
        LOG.warn(
            "skipping the entry {} of {}: {}",
            Excerpt.of(line.key()),
            script.name(),
            e.getMessage());
      }
    }
  }

  @Override
  public String key() {
    return line == null ? null : line.key();
  }

  @Override
  public T value() {
    if (value == null && line != null) {
      value = values.load(line);
    }
    return value;
  }

  @Override
  public void close() {
    script.close();
    values.close();
  }
}
