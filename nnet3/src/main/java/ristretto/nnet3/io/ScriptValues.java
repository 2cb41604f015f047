package ristretto.nnet3.io;

/**
 * Loads the values of script entries. The last file stays open, and a value is kept for other
 * ranges of it, because neighbouring entries tend to be in one file.
 */
final class ScriptValues<T> implements AutoCloseable {
  private final Holder<T> holder;
  private Rxfilename.At open;
  private ByteSource source;
  private String whole;
  private T value;

  ScriptValues(Holder<T> holder) {
    this.holder = holder;
  }

  T load(ScriptLine line) {
    if (line.range() == null) {
      whole = null;
      value = null;
      return read(line.file());
    }
    if (!line.file().equals(whole)) {
      whole = null;
      value = read(line.file());
      whole = line.file();
    }
    return holder.part(value, line.range());
  }

  private T read(String file) {
    Rxfilename name = Rxfilename.of(file);
    if (!(name instanceof Rxfilename.At at)) {
      try (ByteSource other = name.open()) {
        return ArchiveEntries.value(holder, new KaldiInput(other));
      }
    }
    if (open == null || !open.path().equals(at.path()) || !source.seek(at.offset())) {
      close();
      source = at.open();
      open = at;
    }
    return ArchiveEntries.value(holder, new KaldiInput(source));
  }

  @Override
  public void close() {
    if (source != null) {
      source.close();
      source = null;
      open = null;
    }
  }
}
