package ristretto.symbolic.data;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import ristretto.expr.Ops;
import ristretto.expr.Shape;
import ristretto.kernels.FileFormatException;

/**
 * Files of MNIST's format: two zero bytes, the type (8: bytes), the number of axes, big-endian
 * extents, the data.
 */
final class Idx {
  private static final int BYTES = 8;

  private final Path file;
  private final byte[] bytes;
  private final int rank;
  private final int[] extents;

  private Idx(Path file, int wantedRank) {
    this.file = file;
    this.bytes = unpacked(Lines.bytes("idx", file));
    if (bytes.length < 4 || bytes[0] != 0 || bytes[1] != 0) {
      throw malformed("a file must begin with two zero bytes, a type and a number of axes", 0);
    }
    if (bytes[2] != BYTES) {
      throw malformed("elements must be unsigned bytes, which is type 8", 2);
    }
    rank = bytes[3];
    if (rank != wantedRank) {
      throw malformed("there must be " + wantedRank + (wantedRank == 1 ? " axis" : " axes"), 3);
    }
    int start = 4 + 4 * rank;
    if (bytes.length < start) {
      throw malformed("there must be the extents of " + rank + " axes", bytes.length);
    }
    extents = new int[rank];
    long size = 1;
    for (int d = 0; d < rank; d++) {
      extents[d] = ByteBuffer.wrap(bytes).getInt(4 + 4 * d);
      if (extents[d] < 0) {
        throw malformed("extents must be at least 0", 4 + 4 * d);
      }
      size = Math.multiplyHigh(size, extents[d]) == 0 ? size * extents[d] : Long.MAX_VALUE;
    }
    if (size != bytes.length - start) {
      throw new FileFormatException(
          String.format(
                  Locale.ROOT,
                  "[idx] the data must fill the extents %s; got %d bytes instead of %d after byte"
                      + " %d of %s;",
                  Arrays.toString(extents),
                  bytes.length - start,
                  size,
                  start,
                  file)
              + " the file is damaged.");
    }
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

  private byte[] unpacked(byte[] raw) {
    if (raw.length < 2 || raw[0] != 0x1f || raw[1] != (byte) 0x8b) {
      return raw;
    }
    try (var in = new GZIPInputStream(new ByteArrayInputStream(raw))) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new FileFormatException(
          "[idx] a packed file must be whole; got %s (%s); fetch it again."
              .formatted(file, e instanceof EOFException ? "it ends early" : e.getMessage()),
          e);
    }
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
