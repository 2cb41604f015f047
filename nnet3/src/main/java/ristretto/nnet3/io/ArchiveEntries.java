package ristretto.nnet3.io;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ristretto.kernels.RistrettoException;

/** Entries of an archive, in which keys and values alternate. */
final class ArchiveEntries<T> implements TableEntries<T> {
  private static final Logger LOG = LoggerFactory.getLogger(ArchiveEntries.class);

  private final Holder<T> holder;
  private final boolean permissive;
  private final ByteSource source;
  private final KaldiInput in;
  private String key;
  private T value;

  ArchiveEntries(Rspecifier table, Holder<T> holder) {
    this.holder = holder;
    this.permissive = table.permissive();
    this.source = Rxfilename.of(table.file()).open();
    this.in = new KaldiInput(source);
  }

  @Override
  public boolean next() {
    value = null;
    try {
      return read();
    } catch (RistrettoException e) {
      if (!permissive) {
        throw e;
      }
      // entries have no size, so that those after a damaged one cannot be located
      LOG.warn("skipping the rest of {}: {}", source.name(), e.getMessage());
      key = null;
      return false;
    }
  }

  private boolean read() {
    key = in.text().word();
    if (key.isEmpty()) {
      key = null;
      return false;
    }
    int c = source.peek();
    if (c != ' ' && c != '\t' && c != '\n') {
      throw source.malformed(
          source.offset(), "a space must follow the key " + TextScanner.quoted(key), in.next());
    }
    if (c != '\n') {
      source.read();
    }
    value = value(holder, in);
    return true;
  }

  /**
   * Reads the value at the current offset; unless values are always text, its header sets the mode.
   */
  static <T> T value(Holder<T> holder, KaldiInput in) {
    if (!holder.alwaysText()) {
      in.header();
    }
    return holder.read(in);
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public T value() {
    return value;
  }

  @Override
  public void close() {
    in.close();
  }
}
