package ristretto.nnet3.io;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.Locale;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;

/**
 * Buffered byte input with offsets. Memory for arrays grows with the bytes present in the file,
 * never with the counts claimed in it.
 */
final class ByteSource implements AutoCloseable {
  static final String DAMAGED = "the file is damaged or of another kind";

  private static final int BUFFER = 1 << 16;

  /** Initial array length, in elements, for an input of unknown length. */
  private static final int FIRST = 1 << 14;

  private static final Elements<byte[]> BYTES =
      new Elements<>(1, byte[]::new, Arrays::copyOf, (from, to, at, n) -> from.get(to, at, n));
  private static final Elements<int[]> INTS =
      new Elements<>(
          Integer.BYTES,
          int[]::new,
          Arrays::copyOf,
          (from, to, at, n) -> from.asIntBuffer().get(to, at, n));
  private static final Elements<float[]> FLOATS =
      new Elements<>(
          Float.BYTES,
          float[]::new,
          Arrays::copyOf,
          (from, to, at, n) -> from.asFloatBuffer().get(to, at, n));
  private static final Elements<double[]> DOUBLES =
      new Elements<>(
          Double.BYTES,
          double[]::new,
          Arrays::copyOf,
          (from, to, at, n) -> from.asDoubleBuffer().get(to, at, n));

  private final String name;
  private final InputStream in;
  private final FileChannel channel;
  private final long length;
  private final byte[] buffer = new byte[BUFFER];
  private int next;
  private int limit;
  private long start;

  /** Operations on arrays of one element type; {@code size} is that of an element in bytes. */
  private record Elements<A>(int size, Maker<A> maker, Grower<A> grower, Filler<A> filler) {
    interface Maker<A> {
      A make(int length);
    }

    interface Grower<A> {
      A grow(A array, int length);
    }

    interface Filler<A> {
      void fill(ByteBuffer from, A to, int at, int n);
    }
  }

  private ByteSource(String name, InputStream in, FileChannel channel, long length, long start) {
    this.name = Excerpt.whole(name);
    this.in = in;
    this.channel = channel;
    this.length = length;
    this.start = start;
  }

  /** Input of unknown length, such as a pipe; {@code start} is the offset of its first byte. */
  ByteSource(String name, InputStream in, long start) {
    this(name, in, null, -1, start);
  }

  /** Input from a file, starting at offset {@code start}. */
  ByteSource(String name, FileChannel channel, long length, long start) throws IOException {
    this(name, Channels.newInputStream(channel.position(start)), channel, length, start);
  }

  /** Input from bytes in memory. */
  ByteSource(String name, byte[] bytes) {
    this(name, new ByteArrayInputStream(bytes), null, bytes.length, 0);
  }

  String name() {
    return name;
  }

  /** Offset of the next byte. */
  long offset() {
    return start + next;
  }

  /** Moves to an offset; returns false if the input is no file or is shorter than the offset. */
  boolean seek(long offset) {
    if (channel == null || offset > length) {
      return false;
    }
    if (offset >= start && offset <= start + limit) {
      next = (int) (offset - start);
      return true;
    }
    try {
      channel.position(offset);
    } catch (IOException e) {
      throw unreadable(e);
    }
    start = offset;
    next = 0;
    limit = 0;
    return true;
  }

  /** Returns the next byte without taking it, or -1 at the end. */
  int peek() {
    return next < limit || fill(1) ? buffer[next] & 0xff : -1;
  }

  /** Returns the byte after the next one without taking it, or -1 at the end. */
  int peekSecond() {
    return fill(2) ? buffer[next + 1] & 0xff : -1;
  }

  /** Takes the next byte, or returns -1 at the end. */
  int read() {
    return next < limit || fill(1) ? buffer[next++] & 0xff : -1;
  }

  /**
   * Takes a little-endian integer of {@code bytes} bytes, without sign extension; {@code what}
   * names the integer in messages.
   */
  long littleEndian(int bytes, String what) {
    need(bytes, what);
    if (!fill(bytes)) {
      throw ended(what);
    }
    long value = 0;
    for (int k = 0; k < bytes; k++) {
      value |= (buffer[next + k] & 0xffL) << (8 * k);
    }
    next += bytes;
    return value;
  }

  byte[] bytes(int count, String what) {
    return array(count, what, BYTES);
  }

  int[] ints(int count, String what) {
    return array(count, what, INTS);
  }

  float[] floats(int count, String what) {
    return array(count, what, FLOATS);
  }

  double[] doubles(int count, String what) {
    return array(count, what, DOUBLES);
  }

  private <A> A array(int count, String what, Elements<A> elements) {
    need((long) count * elements.size, what);
    int room = length < 0 ? Math.min(count, FIRST) : count;
    A array = elements.maker.make(room);
    for (int done = 0; done < count; ) {
      if (!fill(elements.size)) {
        throw ended(what);
      }
      int n = Math.min(count - done, (limit - next) / elements.size);
      if (done + n > room) {
        room = (int) Math.min(count, Math.max(2L * room, done + n));
        array = elements.grower.grow(array, room);
      }
      var view =
          ByteBuffer.wrap(buffer, next, n * elements.size).slice().order(ByteOrder.LITTLE_ENDIAN);
      elements.filler.fill(view, array, done, n);
      next += n * elements.size;
      done += n;
    }
    return array;
  }

  /** Refuses a size that exceeds the rest of the file or the maximum heap of this process. */
  void need(long bytes, String what) {
    long left = length < 0 ? Long.MAX_VALUE : Math.max(0, length - offset());
    if (bytes > left) {
      throw malformed(
          offset(),
          String.format(Locale.ROOT, "%s must have %d bytes", what, bytes),
          String.format(Locale.ROOT, "%d bytes up to the end", left));
    }
    long memory = Runtime.getRuntime().maxMemory();
    if (bytes > memory) {
      throw new FileFormatException(
          String.format(
              Locale.ROOT,
              "[kaldi] %s must fit into memory; got %d bytes at byte %d of %s, and %d bytes of"
                  + " memory; %s.",
              what,
              bytes,
              offset(),
              name,
              memory,
              DAMAGED + ", or give Java more memory with -Xmx"));
    }
  }

  /** Exception for an input that ends within {@code what}. */
  FileFormatException ended(String what) {
    return malformed(
        length < 0 ? start + limit : Math.max(offset(), start + limit),
        what + " must be complete",
        "the end");
  }

  /**
   * Exception for content at an offset that violates the format.
   *
   * @param rule the violated rule
   * @param got the content found
   */
  FileFormatException malformed(long at, String rule, String got) {
    return new FileFormatException(
        String.format(
            Locale.ROOT, "[kaldi] %s; got %s at byte %d of %s; %s.", rule, got, at, name, DAMAGED));
  }

  /**
   * Reads until the buffer has {@code bytes} unread bytes; returns false if the input ends before.
   */
  private boolean fill(int bytes) {
    while (limit - next < bytes) {
      if (next > 0) {
        System.arraycopy(buffer, next, buffer, 0, limit - next);
        start += next;
        limit -= next;
        next = 0;
      }
      try {
        int n = in.read(buffer, limit, buffer.length - limit);
        if (n < 0) {
          return false;
        }
        limit += n;
      } catch (IOException e) {
        throw unreadable(e);
      }
    }
    return true;
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private FileException unreadable(IOException e) {
    return new FileException(
        String.format(
            Locale.ROOT,
            "[kaldi] a file must be readable; got %s (%s) at byte %d; check the file and its disk.",
            name,
            e.getMessage(),
            start + limit),
        e);
  }
}
