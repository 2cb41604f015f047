package ristretto.symbolic.data;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import ristretto.expr.file.AsideFile;
import ristretto.expr.file.Excerpt;
import ristretto.expr.table.LineReader;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;

/**
 * Sequence of token numbers for language models, in memory or in memory-mapped files, which may be
 * larger than memory. A file has nothing but the numbers, little-endian, each of 2 bytes (unsigned)
 * or 4 bytes.
 *
 * <pre>{@code
 * Tokens.write(Path.of("train.bin"), words);                  // 2 bytes each if all fit
 * Dataset data = Tokens.map(2, Path.of("train.bin")).windows(128);
 * }</pre>
 */
public final class Tokens {
  private static final int SHORT = 2;
  private static final int MOST_SHORT = 0xffff;
  private static final int CHUNK = 1 << 16;

  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt I32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final List<MemorySegment> parts;
  private final int width;

  /** First token of each part, and the number of all tokens. */
  private final long[] starts;

  private Tokens(List<MemorySegment> parts, int width) {
    this.parts = parts;
    this.width = width;
    this.starts = new long[parts.size() + 1];
    for (int p = 0; p < parts.size(); p++) {
      starts[p + 1] = starts[p] + parts.get(p).byteSize() / width;
    }
  }

  /** Returns a copy of token numbers in memory. */
  public static Tokens of(int... numbers) {
    MemorySegment copy = MemorySegment.ofArray(new byte[Math.multiplyExact(4, numbers.length)]);
    MemorySegment.copy(numbers, 0, copy, I32, 0, numbers.length);
    return new Tokens(List.of(copy), Integer.BYTES);
  }

  /**
   * Maps files, the shards of one sequence in order, into memory. The files must not be shortened
   * while they are in use.
   *
   * @param width bytes of a token: 2 (unsigned, as of NumPy's {@code uint16}) or 4 ({@code int32})
   * @throws FileFormatException if the size of a file is no multiple of the width
   * @throws FileException if a file cannot be read
   */
  public static Tokens map(int width, Path... files) {
    if (width != SHORT && width != Integer.BYTES) {
      throw new ShapeException("[tokens] tokens must have 2 or 4 bytes; got " + width + ".");
    }
    if (files.length == 0) {
      throw new ShapeException("[tokens] there must be a file; got none.");
    }
    var parts = new ArrayList<MemorySegment>();
    for (Path file : files) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        if (!Files.isRegularFile(file)) {
          throw new IOException("not a regular file");
        }
        long bytes = channel.size();
        if (bytes % width != 0) {
          throw new FileFormatException(
              String.format(
                  Locale.ROOT,
                  "[tokens] a file must have %d bytes for each token; got %d bytes in %s; check the"
                      + " width, or fetch the file again.",
                  width,
                  bytes,
                  Excerpt.whole(file.toString())));
        }
        parts.add(channel.map(FileChannel.MapMode.READ_ONLY, 0, bytes, Arena.ofAuto()));
      } catch (IOException e) {
        throw LineReader.unreadable("tokens", file, e);
      }
    }
    return new Tokens(List.copyOf(parts), width);
  }

  /**
   * Writes token numbers to a file, written aside and then renamed.
   *
   * @return width: 2 bytes if all numbers are below 65536, else 4
   * @throws FileException if the file cannot be written
   */
  public static int write(Path file, int... numbers) {
    int most = 0;
    for (int n : numbers) {
      if (n < 0) {
        throw new ShapeException("[tokens] tokens must be at least 0; got " + n + ".");
      }
      most = Math.max(most, n);
    }
    int width = most <= MOST_SHORT ? SHORT : Integer.BYTES;
    try {
      AsideFile.write(file, channel -> write(channel, numbers, width));
    } catch (IOException e) {
      throw new FileException(
          "[tokens] the file must be writable; got %s (%s); check the path."
              .formatted(file.toAbsolutePath(), e.getMessage()),
          e);
    }
    return width;
  }

  private static void write(FileChannel channel, int[] numbers, int width) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(CHUNK * width).order(ByteOrder.LITTLE_ENDIAN);
    for (int from = 0; from < numbers.length; from += CHUNK) {
      buffer.clear();
      for (int k = from; k < Math.min(numbers.length, from + CHUNK); k++) {
        if (width == SHORT) {
          buffer.putShort((short) numbers[k]);
        } else {
          buffer.putInt(numbers[k]);
        }
      }
      AsideFile.writeFully(channel, buffer.flip());
    }
  }

  /** Returns the number of tokens. */
  public long size() {
    return starts[parts.size()];
  }

  /** Returns a token. */
  public int get(long index) {
    int[] one = new int[1];
    copy(index, one);
    return one[0];
  }

  /** Copies consecutive tokens, which may lie in several parts. */
  void copy(long from, int[] to) {
    if (from < 0 || from > size() - to.length) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[tokens] tokens must be in the sequence; got %d to %d of %d.",
              from,
              from + to.length,
              size()));
    }
    int p = 0;
    while (starts[p + 1] <= from && p < parts.size() - 1) {
      p++;
    }
    long at = from;
    for (int k = 0; k < to.length; k++, at++) {
      while (at >= starts[p + 1]) {
        p++;
      }
      long offset = (at - starts[p]) * width;
      MemorySegment part = parts.get(p);
      to[k] = width == SHORT ? part.get(U16, offset) & MOST_SHORT : part.get(I32, offset);
    }
  }

  /**
   * Returns consecutive windows of the sequence as examples: field {@code words}, I32 {@code
   * [steps]}, and field {@code next}, the token after each of them.
   */
  public Dataset windows(int steps) {
    return windows(steps, steps);
  }

  /**
   * Returns windows of the sequence that begin every {@code stride} tokens: field {@code words},
   * I32 {@code [steps]}, and field {@code next}, the token after each of them.
   */
  public Dataset windows(int steps, int stride) {
    return new TokenWindows(this, steps, stride);
  }

  /** Returns text like {@code 1000 tokens of 2 bytes}. */
  @Override
  public String toString() {
    return size() + " tokens of " + width + " bytes";
  }
}
