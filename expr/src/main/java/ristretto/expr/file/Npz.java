package ristretto.expr.file;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import ristretto.kernels.ShapeException;

/**
 * NumPy's .npz: a zip archive of .npy files, stored or deflated. Archives are written uncompressed
 * and with a constant timestamp.
 */
final class Npz {
  private static final String SUFFIX = ".npy";
  private static final int CHUNK = 1 << 20;

  /** Maximal length of a name in characters; the format allows 65,535 bytes of UTF-8. */
  private static final int MAX_NAME = 20_000;

  private static final LocalDateTime EPOCH = LocalDateTime.of(1980, 1, 1, 0, 0);

  private Npz() {}

  static Map<String, StoredTensor> read(FileBytes file) {
    Map<String, StoredTensor> tensors = new LinkedHashMap<>();
    List<ZipMember> members =
        ZipDirectory.read(file, ".npz", "save it with NumPy's savez or savez_compressed");
    long total = 0;
    for (ZipMember member : members) {
      total = total > Long.MAX_VALUE - member.size() ? Long.MAX_VALUE : total + member.size();
    }
    Expansion.check("load", total, file.size(), file.name());
    for (ZipMember member : members) {
      String entry = member.name();
      String name =
          entry.endsWith(SUFFIX) ? entry.substring(0, entry.length() - SUFFIX.length()) : entry;
      if (tensors.putIfAbsent(name, tensor(member, file)) != null) {
        throw file.malformed(
            member.header(), "names must differ", "'%s' twice".formatted(Excerpt.of(name)));
      }
    }
    return tensors;
  }

  private static StoredTensor tensor(ZipMember member, FileBytes file) {
    Npy npy;
    try (ZipContent content = member.open(file)) {
      npy = Npy.read(content.bytes());
    }
    return npy.tensor(piece -> {
      try (ZipContent content = member.open(file)) {
        FileBytes bytes = content.bytes();
        // Read from the start, because the checksum covers all bytes.
        bytes.array(0, npy.start(), "header");
        npy.forEach(bytes, piece);
        content.finish();
      }
    });
  }

  /** Throws a ShapeException for a tensor that a .npz file cannot hold. */
  static void check(String name, HostTensor tensor) {
    NpyType.of(tensor.type(), name);
    if (name.chars().anyMatch(c -> c < ' ') || name.length() > MAX_NAME) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[save] a .npz name must have at most %d characters, all printable; got '%s'; rename"
                  + " it",
              MAX_NAME,
              Excerpt.of(name)));
    }
  }

  static void write(WritableByteChannel channel, Map<String, HostTensor> tensors)
      throws IOException {
    OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), CHUNK);
    ZipOutputStream zip = new ZipOutputStream(out);
    for (Map.Entry<String, HostTensor> named : tensors.entrySet()) {
      HostTensor tensor = named.getValue();
      byte[] header = Npy.header(named.getKey(), tensor);
      CRC32 crc = new CRC32();
      crc.update(header);
      Chunks.forEach(tensor.data(), CHUNK, crc::update);
      ZipEntry entry = new ZipEntry(named.getKey() + SUFFIX);
      entry.setMethod(ZipEntry.STORED);
      entry.setSize(header.length + tensor.data().byteSize());
      entry.setCrc(crc.getValue());
      entry.setTimeLocal(EPOCH);
      zip.putNextEntry(entry);
      zip.write(header);
      byte[] chunk = new byte[CHUNK];
      Chunks.forEach(tensor.data(), CHUNK, bytes -> zip.write(chunk, 0, fill(chunk, bytes)));
      zip.closeEntry();
    }
    zip.finish();
    out.flush();
  }

  private static int fill(byte[] chunk, ByteBuffer bytes) {
    int length = bytes.remaining();
    bytes.get(chunk, 0, length);
    return length;
  }
}
