package ristretto.nnet3.io;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import ristretto.kernels.FileException;

/** Reads entries ahead on a background thread while the caller processes the current one. */
final class BackgroundEntries<T> implements TableEntries<T> {
  private final TableEntries<T> entries;
  private final BlockingQueue<Read<T>> read = new ArrayBlockingQueue<>(1);
  private final Thread thread;
  private Read<T> current;

  /** Result of a read: an entry, the end of the table (null key), or a failure. */
  private record Read<T>(String key, T value, RuntimeException failure) {}

  BackgroundEntries(TableEntries<T> entries) {
    this.entries = entries;
    this.thread = Thread.ofPlatform().daemon().name("table reader").start(this::run);
  }

  private void run() {
    try {
      try {
        while (entries.next()) {
          read.put(new Read<>(entries.key(), entries.value(), null));
        }
        read.put(new Read<>(null, null, null));
      } catch (RuntimeException e) {
        read.put(new Read<>(null, null, e));
      }
    } catch (InterruptedException e) {
      // closed before the end
    }
  }

  @Override
  public boolean next() {
    if (current != null && current.key == null) {
      return false;
    }
    try {
      current = read.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FileException(
          "[table] reading must not be interrupted; got an interrupt; start again.", e);
    }
    if (current.failure != null) {
      throw current.failure;
    }
    return current.key != null;
  }

  @Override
  public String key() {
    return current == null ? null : current.key;
  }

  @Override
  public T value() {
    return current == null ? null : current.value;
  }

  @Override
  public void close() {
    thread.interrupt();
    entries.close();
  }
}
