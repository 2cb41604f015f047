package ristretto.expr.file;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import ristretto.kernels.DeviceException;
import ristretto.kernels.scalar.ScalarType;

/**
 * NumPy's .npy, format versions 1 to 3: magic, version, header length, header, data. Big-endian and
 * Fortran-ordered data are converted.
 *
 * @param start byte offset of the data
 */
record Npy(NpyHeader.Fields fields, long start) {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int MAX_HEADER = 1 << 16;
  private static final int ALIGNMENT = 64;

  static boolean looksLike(FileBytes file) {
    return file.startsWith(MAGIC);
  }

  /** Reads the header and checks the length of the data. */
  static Npy read(FileBytes file) {
    if (!looksLike(file)) {
      throw file.malformed(0, "a .npy file must begin with \\x93NUMPY", file.start());
    }
    int major = file.u8(6, "version");
    int minor = file.u8(7, "version");
    if (major < 1 || major > 3 || minor != 0) {
      throw file.malformed(6, ".npy version must be 1.0, 2.0 or 3.0", major + "." + minor);
    }
    int lengthBytes = major == 1 ? 2 : 4;
    long length = major == 1 ? file.u16(8, "header length") : file.u32(8, "header length");
    long start = 8 + lengthBytes;
    if (length > MAX_HEADER) {
      throw file.malformed(
          8, "a .npy header must have at most " + MAX_HEADER + " bytes", Long.toString(length));
    }
    byte[] header = file.array(start, length, "header");
    NpyHeader.Fields fields = NpyHeader.parse(file, start, text(file, start, major, header));
    return new Npy(fields, start + length).checked(file);
  }

  private static String text(FileBytes file, long start, int major, byte[] header) {
    if (major < 3) {
      return new String(header, StandardCharsets.ISO_8859_1);
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(header)).toString();
    } catch (CharacterCodingException e) {
      throw file.malformed(start, "the header of version 3.0 must be UTF-8", "other bytes");
    }
  }

  private Npy checked(FileBytes file) {
    ScalarType type = fields.type().type();
    long bytes = HostTensor.bytes(type, fields.shape());
    long held = file.size() - start;
    if (bytes != held) {
      throw file.malformed(
          start,
          "data must fit the header, which says " + HostTensor.described(type, fields.shape()),
          held + " bytes",
          held < bytes || bytes < 0
              ? "the file is truncated or damaged"
              : "the file is damaged or holds more than one array");
    }
    return this;
  }

  /** Tensor with the header's type and shape and the given elements. */
  StoredTensor tensor(StoredTensor.Elements elements) {
    return new StoredTensor(fields.type().type(), fields.shape(), elements);
  }

  void forEach(FileBytes file, StoredTensor.Piece piece) {
    ScalarType type = fields.type().type();
    long bytes = HostTensor.bytes(type, fields.shape());
    boolean bigEndian = fields.type().bigEndian();
    if (!fields.fortranOrder() || fields.shape().size() < 2 || bytes == 0) {
      Elements.forEach(file, start, bytes, type, bigEndian, piece);
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment columns = allocate(file, arena, bytes);
      Elements.forEach(
          file, start, bytes, type, bigEndian, (at, part) -> columns.asSlice(at).copyFrom(part));
      MemorySegment rows = allocate(file, arena, bytes);
      piece.accept(0, Reorder.fromFortran(columns, fields.shape(), type.bytes(), rows));
    }
  }

  private static MemorySegment allocate(FileBytes file, Arena arena, long size) {
    try {
      return arena.allocate(size, 64);
    } catch (OutOfMemoryError e) {
      throw new DeviceException(
          String.format(
              Locale.ROOT,
              "[load] tensors in Fortran order must fit in memory twice; got %s, which takes %d"
                  + " bytes; save it in C order, with NumPy's ascontiguousarray",
              file.name(),
              size),
          e);
    }
  }

  /** Bytes before the data, in format version 1.0, whose header is long enough for any shape. */
  static byte[] header(String name, HostTensor tensor) {
    String text = NpyHeader.format(NpyType.of(tensor.type(), name), tensor.shape());
    int unpadded = 10 + text.length() + 1;
    int size = (unpadded + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    byte[] header = Arrays.copyOf(MAGIC, size);
    header[6] = 1;
    header[8] = (byte) (size - 10);
    header[9] = (byte) ((size - 10) >>> 8);
    Arrays.fill(header, 10, size, (byte) ' ');
    byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(ascii, 0, header, 10, ascii.length);
    header[size - 1] = '\n';
    return header;
  }
}
