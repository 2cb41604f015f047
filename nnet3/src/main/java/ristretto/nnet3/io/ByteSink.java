package ristretto.nnet3.io;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileException;
import ristretto.nnet3.text.Failures;

/** Buffered byte output that counts bytes. */
final class ByteSink implements AutoCloseable {
  private static final int BUFFER = 1 << 16;

  private final String name;
  private final OutputStream out;
  private final Ending ending;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
  private long flushed;

  /**
   * Completion of an output: {@code commit} after the last byte, or {@code close} alone to abandon
   * the output.
   */
  interface Ending {
    void commit() throws IOException;

    /** Commits this output, then an index of byte offsets in it. */
    default void commitWith(Ending index) throws IOException {
      commit();
      index.commit();
    }

    void close() throws IOException;
  }

  ByteSink(String name, OutputStream out, Ending ending) {
    this.name = Excerpt.whole(name);
    this.out = out;
    this.ending = ending;
  }

  static ByteSink inMemory(OutputStream to) {
    return new ByteSink(
        "memory",
        to,
        new Ending() {
          @Override
          public void commit() {}

          @Override
          public void close() {}
        });
  }

  /** Number of bytes put so far. */
  long offset() {
    return flushed + buffer.position();
  }

  void put(int b) {
    room(1);
    buffer.put((byte) b);
  }

  void put(byte[] bytes, int from, int length) {
    for (int done = 0; done < length; ) {
      room(1);
      int n = Math.min(length - done, buffer.remaining());
      buffer.put(bytes, from + done, n);
      done += n;
    }
  }

  void littleEndian(long value, int bytes) {
    for (int k = 0; k < bytes; k++) {
      put((int) (value >> (8 * k)));
    }
  }

  void ints(int[] values) {
    for (int value : values) {
      room(Integer.BYTES);
      buffer.putInt(value);
    }
  }

  void floats(float[] values) {
    for (float value : values) {
      room(Float.BYTES);
      buffer.putFloat(value);
    }
  }

  void doubles(double[] values) {
    for (double value : values) {
      room(Double.BYTES);
      buffer.putDouble(value);
    }
  }

  private void room(int bytes) {
    if (buffer.remaining() < bytes) {
      drain();
    }
  }

  private void drain() {
    try {
      out.write(buffer.array(), 0, buffer.position());
    } catch (IOException e) {
      throw failed(e);
    }
    flushed += buffer.position();
    buffer.clear();
  }

  /** Writes the buffer to the stream and flushes the stream. */
  void flush() {
    drain();
    try {
      out.flush();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Flushes and commits the output; called after the last byte. */
  void commit() {
    flush();
    try {
      ending.commit();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Flushes and commits this output and an index of byte offsets in it. */
  void commitWith(ByteSink index) {
    flush();
    index.flush();
    try {
      ending.commitWith(index.ending);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private FileException failed(IOException e) {
    return new FileException(
        String.format(
            Locale.ROOT,
            "[kaldi] a file must be writable; got %s (%s) at byte %d; check its disk.",
            name,
            Failures.why(e),
            flushed),
        e);
  }

  /** Closes the output; without a commit, an existing file keeps its content. */
  @Override
  public void close() {
    try {
      ending.close();
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
