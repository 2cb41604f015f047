package ristretto.expr.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Decoder of an LZ4 frame whose decoded size is known. Blocks may refer to earlier blocks, as those
 * of Arrow's C++ and Python libraries do.
 *
 * <p>Source: "LZ4 Frame Format Description" 1.6.4 and "LZ4 Block Format Description".
 */
final class Lz4Frame {
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int MAGIC = 0x184D2204;
  private static final int VERSION = 0xC0;
  private static final int VERSION_1 = 0x40;
  private static final int BLOCK_CHECKSUM = 0x10;
  private static final int CONTENT_SIZE = 0x08;
  private static final int CONTENT_CHECKSUM = 0x04;
  private static final int DICTIONARY = 0x01;
  private static final int STORED = 1 << 31;
  private static final int SHORTEST_MATCH = 4;
  private static final int LONG = 15;

  private final byte[] from;
  private final byte[] to;
  private int at;
  private int filled;

  private Lz4Frame(byte[] from, byte[] to) {
    this.from = from;
    this.to = to;
  }

  /** Decodes a frame; returns false unless it is valid and fills {@code to}. */
  static boolean decode(byte[] from, byte[] to) {
    try {
      return new Lz4Frame(from, to).frame();
    } catch (IndexOutOfBoundsException | ArithmeticException e) {
      return false;
    }
  }

  private boolean frame() {
    if (integer() != MAGIC) {
      return false;
    }
    int descriptor = at;
    int flags = next();
    if ((flags & VERSION) != VERSION_1 || (flags & DICTIONARY) != 0) {
      return false;
    }
    at += (flags & CONTENT_SIZE) != 0 ? 1 + Long.BYTES : 1;
    int hash = XxHash32.of(from, descriptor, at - descriptor);
    if (next() != (hash >>> 8 & 0xFF)) {
      return false;
    }
    for (int size = integer(); size != 0; size = integer()) {
      int length = size & ~STORED;
      int begin = at;
      int end = Math.addExact(at, length);
      if (end > from.length) {
        return false;
      }
      if ((size & STORED) != 0) {
        copy(length);
      } else if (!block(end)) {
        return false;
      }
      if ((flags & BLOCK_CHECKSUM) != 0 && integer() != XxHash32.of(from, begin, length)) {
        return false;
      }
    }
    return filled == to.length
        && ((flags & CONTENT_CHECKSUM) == 0 || integer() == XxHash32.of(to, 0, filled));
  }

  /** Decodes sequences of literals and a copy of earlier bytes. The last one has literals only. */
  private boolean block(int end) {
    while (at < end) {
      int token = next();
      copy(length(token >> 4));
      if (at >= end) {
        return at == end;
      }
      int offset = next() | next() << 8;
      int length = length(token & LONG) + SHORTEST_MATCH;
      int source = filled - offset;
      if (offset == 0 || source < 0 || length > to.length - filled) {
        return false;
      }
      if (offset >= length) {
        System.arraycopy(to, source, to, filled, length);
      } else {
        // The copy repeats bytes that it wrote.
        for (int k = 0; k < length; k++) {
          to[filled + k] = to[source + k];
        }
      }
      filled += length;
    }
    return at == end;
  }

  private int length(int bits) {
    int length = bits;
    if (bits == LONG) {
      int more;
      do {
        more = next();
        length = Math.addExact(length, more);
      } while (more == 0xFF);
    }
    return length;
  }

  private void copy(int length) {
    System.arraycopy(from, at, to, filled, length);
    at += length;
    filled += length;
  }

  private int next() {
    return from[at++] & 0xFF;
  }

  private int integer() {
    int v = (int) INTS.get(from, at);
    at += Integer.BYTES;
    return v;
  }
}
