package ristretto.symbolic.data;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import ristretto.expr.Ops;
import ristretto.expr.file.Expansion;
import ristretto.expr.table.LineReader;
import ristretto.expr.type.Shape;
import ristretto.kernels.DeviceException;
import ristretto.kernels.FileFormatException;

/**
 * Reader of MNIST's file format: two zero bytes, the type (8: bytes), the number of axes,
 * big-endian dimensions, the data.
 */
final class Idx {
  private static final int BYTES = 8;

  private static final int LARGEST = Integer.MAX_VALUE - 8;

  private final Path file;
  private final int[] extents;

  /** Content of the file, up to the first flaw found. */
  private byte[] bytes = {};

  private Idx(Path file, int rank) {
    this.file = file;
    this.extents = new int[rank];
    try (var raw = new BufferedInputStream(Files.newInputStream(file))) {
      raw.mark(2);
      boolean packed = raw.read() == 0x1f && raw.read() == 0x8b;
      raw.reset();
      read(packed ? unpacking(raw) : raw, packed);
    } catch (ZipException | EOFException e) {
      throw new FileFormatException(
          "[idx] a packed file must be whole; got %s (%s); fetch it again."
              .formatted(file, e instanceof EOFException ? "it ends early" : e.getMessage()),
          e);
    } catch (IOException e) {
      throw LineReader.unreadable("idx", file, e);
    }
  }

  private static InputStream unpacking(InputStream raw) throws IOException {
    return new GZIPInputStream(raw, 1 << 16);
  }

  private void read(InputStream in, boolean packed) throws IOException {
    int rank = extents.length;
    bytes = in.readNBytes(4);
    if (bytes.length < 4 || bytes[0] != 0 || bytes[1] != 0) {
      throw malformed("a file must begin with two zero bytes, a type and a number of axes", 0);
    }
    if (bytes[2] != BYTES) {
      throw malformed("elements must be unsigned bytes, which is type 8", 2);
    }
    if (bytes[3] != rank) {
      throw malformed("there must be " + rank + (rank == 1 ? " axis" : " axes"), 3);
    }
    int start = 4 + 4 * rank;
    append(in.readNBytes(4 * rank));
    if (bytes.length < start) {
      throw malformed("there must be the extents of " + rank + " axes", bytes.length);
    }
    long size = 1;
    for (int d = 0; d < rank; d++) {
      extents[d] = ByteBuffer.wrap(bytes).getInt(4 + 4 * d);
      if (extents[d] < 0) {
        throw malformed("extents must be at least 0", 4 + 4 * d);
      }
      size = Math.multiplyHigh(size, extents[d]) == 0 ? size * extents[d] : Long.MAX_VALUE;
    }
    data(in, start, size, packed);
  }

  /** Reads the data. Allocates memory only after checking that the file is large enough. */
  private void data(InputStream in, int start, long size, boolean packed) throws IOException {
    long length = Files.size(file);
    if (packed) {
      Expansion.check("idx", size, length, file.toString());
      if (size / Expansion.BEST_RATIO > length) {
        throw unfilled(start, size, "at most " + length * Expansion.BEST_RATIO + " bytes");
      }
    } else if (Files.isRegularFile(file) && size != length - start) {
      throw unfilled(start, size, (length - start) + " bytes");
    }
    if (size > LARGEST - start) {
      throw unfilled(start, size, "more than an array holds");
    }
    int held = start;
    try {
      bytes = Arrays.copyOf(bytes, start + (int) size);
    } catch (OutOfMemoryError e) {
      throw new DeviceException(
          String.format(
              Locale.ROOT,
              "[idx] the data must fit in memory; got %d bytes in %s; give the JVM more memory"
                  + " with -Xmx.",
              size,
              file),
          e);
    }
    held += in.readNBytes(bytes, start, (int) size);
    if (held < bytes.length) {
      throw unfilled(start, size, String.format(Locale.ROOT, "%d bytes", held - start));
    }
    if (in.read() >= 0) {
      throw unfilled(start, size, "more bytes");
    }
  }

  private void append(byte[] more) {
    int length = bytes.length;
    bytes = Arrays.copyOf(bytes, length + more.length);
    System.arraycopy(more, 0, bytes, length, more.length);
  }

  private FileFormatException unfilled(int start, long size, String got) {
    return new FileFormatException(
        String.format(
            Locale.ROOT,
            "[idx] the data must fill the extents %s; got %s instead of %d after byte %d of %s; the"
                + " file is damaged.",
            Arrays.toString(extents),
            got,
            size,
            start,
            file));
  }

  static Dataset read(Path images, Path labels) {
    var x = new Idx(images, 3);
    var y = new Idx(labels, 1);
    int[] classes = new int[y.extents[0]];
    for (int k = 0; k < classes.length; k++) {
      classes[k] = y.bytes[8 + k] & 0xff;
    }
    var field = new Dataset.Field("images", Ops.F32, Shape.of(x.extents[1], x.extents[2]));
    return new HostDataset(
        images + " and " + labels,
        List.of(
            new HostDataset.Column(field, MemorySegment.ofArray(x.bytes).asSlice(16), true),
            HostDataset.column(
                "labels", Ops.I32, Shape.of(classes.length), MemorySegment.ofArray(classes))));
  }

  private FileFormatException malformed(String rule, int at) {
    String got =
        at < bytes.length
            ? String.format(Locale.ROOT, "byte %d", bytes[at] & 0xff)
            : "the end of the file";
    return new FileFormatException(
        String.format(
            Locale.ROOT,
            "[idx] %s; got %s at byte %d of %s; it is another kind of file, or damaged.",
            rule,
            got,
            at,
            file));
  }
}
