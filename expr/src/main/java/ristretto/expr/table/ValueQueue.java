package ristretto.expr.table;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Queue of values between the thread that splits a file into values and a thread that parses them.
 * Values pass in order and in batches of limited size, of which there are few. A file with less
 * than a batch needs no second thread.
 */
final class ValueQueue {
  private static final int CHARACTERS = 1 << 18;
  private static final int VALUES = 1 << 15;

  /** Number of batches: one is filled, one is parsed, and the others wait. */
  private static final int BATCHES = 4;

  /** Receiver of values. */
  interface Receiver {
    void value(int column, char[] text, int at, int length, long line);
  }

  private static final class Batch {
    char[] text = new char[CHARACTERS];
    final int[] columns = new int[VALUES];
    final int[] ends = new int[VALUES];
    final long[] lines = new long[VALUES];
    int characters;
    int values;
    boolean last;
  }

  private final Receiver receiver;
  private final BlockingQueue<Batch> filled = new ArrayBlockingQueue<>(BATCHES);
  private final BlockingQueue<Batch> free = new ArrayBlockingQueue<>(BATCHES);
  private Batch batch = new Batch();
  private Thread parser;
  private volatile Throwable failure;

  ValueQueue(Receiver receiver) {
    this.receiver = receiver;
  }

  /**
   * Appends a value.
   *
   * @throws RuntimeException that the receiver has thrown for an earlier value
   */
  void add(int column, char[] text, int at, int length, long line) {
    Batch b = batch;
    if (b.values == VALUES || b.values > 0 && b.characters + length > b.text.length) {
      pass();
      b = batch;
    }
    if (length > b.text.length) {
      b.text = new char[length];
    }
    System.arraycopy(text, at, b.text, b.characters, length);
    b.characters += length;
    b.columns[b.values] = column;
    b.ends[b.values] = b.characters;
    b.lines[b.values++] = line;
  }

  private void pass() {
    rethrow();
    if (parser == null) {
      for (int k = 1; k < BATCHES; k++) {
        free.add(new Batch());
      }
      parser = Thread.ofPlatform().daemon().name("ristretto-csv").start(this::parse);
    }
    try {
      filled.put(batch);
      batch = free.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the thread that reads a table was interrupted", e);
    }
  }

  /**
   * Waits until the receiver has all values, and ends its thread.
   *
   * @throws RuntimeException that the receiver has thrown
   */
  void finish() {
    if (parser == null) {
      deliver(batch);
      return;
    }
    boolean interrupted = false;
    batch.last = true;
    while (parser.isAlive()) {
      try {
        if (batch != null) {
          filled.put(batch);
          batch = null;
        }
        parser.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    rethrow();
  }

  private void rethrow() {
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(failure);
    }
  }

  private void parse() {
    try {
      boolean last;
      do {
        Batch b = filled.take();
        last = b.last;
        if (failure == null) {
          deliver(b);
        }
        b.characters = 0;
        b.values = 0;
        free.add(b);
      } while (!last);
    } catch (InterruptedException e) {
      failure = new IllegalStateException("the thread that parses a table was interrupted", e);
    }
  }

  private void deliver(Batch b) {
    try {
      int from = 0;
      for (int k = 0; k < b.values; k++) {
        receiver.value(b.columns[k], b.text, from, b.ends[k] - from, b.lines[k]);
        from = b.ends[k];
      }
    } catch (RuntimeException | Error e) {
      if (parser == null) {
        throw e;
      }
      failure = e;
    }
  }
}
