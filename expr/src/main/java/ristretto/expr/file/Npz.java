package ristretto.expr.file;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import ristretto.kernels.ShapeException;

/**
 * NumPy's .npz: a zip archive of .npy files, stored or deflated. Written stored and without the
 * time of day.
 */
final class Npz {
  private static final String SUFFIX = ".npy";
  private static final int CHUNK = 1 << 20;

  /** The format takes 65,535 bytes of UTF-8. */
  private static final int MAX_NAME = 20_000;

  private static final LocalDateTime EPOCH = LocalDateTime.of(1980, 1, 1, 0, 0);

  private Npz() {}

  static Map<String, HostTensor> read(FileBytes file, Arena arena) {
    Map<String, HostTensor> tensors = new LinkedHashMap<>();
    for (ZipMember member : ZipDirectory.read(file)) {
      String entry = member.name();
      String name =
          entry.endsWith(SUFFIX) ? entry.substring(0, entry.length() - SUFFIX.length()) : entry;
      HostTensor tensor = Npy.read(member.content(file, arena), arena);
      if (tensors.putIfAbsent(name, tensor) != null) {
        throw file.malformed(member.header(), "names must differ", "'%s' twice".formatted(name));
      }
    }
    return tensors;
  }

  /** Throws for a tensor that such a file cannot hold. */
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

  static void write(FileChannel channel, Map<String, HostTensor> tensors) throws IOException {
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
