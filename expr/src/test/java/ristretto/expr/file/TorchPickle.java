package ristretto.expr.file;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writer of PyTorch files by hand, opcode by opcode. */
final class TorchPickle {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** Begins a pickle of protocol 2. */
  TorchPickle() {
    op(0x80, 2);
  }

  TorchPickle op(int... codes) {
    for (int code : codes) {
      bytes.write(code);
    }
    return this;
  }

  TorchPickle global(String module, String name) {
    return op('c').ascii(module + "\n" + name + "\n");
  }

  TorchPickle text(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    op('X').little(4, utf8.length);
    bytes.writeBytes(utf8);
    return this;
  }

  /** Adds an integer of 64 bits. */
  TorchPickle whole(long value) {
    return op(0x8a, 8).little(8, value);
  }

  TorchPickle wholes(long... values) {
    op('(');
    for (long value : values) {
      whole(value);
    }
    return op('t');
  }

  /** Adds a storage of F32. */
  TorchPickle storage(String key, long count) {
    op('(').text("storage").global("torch", "FloatStorage").text(key).text("cpu").whole(count);
    return op('t', 'Q');
  }

  /** Adds a tensor of F32. */
  TorchPickle tensor(String key, long count, long offset, long[] size, long... strides) {
    global("torch._utils", "_rebuild_tensor_v2").op('(').storage(key, count).whole(offset);
    wholes(size).wholes(strides).op(0x89);
    return global("collections", "OrderedDict").op(')', 'R', 't', 'R');
  }

  TorchPickle little(int size, long value) {
    byte[] all = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
    bytes.write(all, 0, size);
    return this;
  }

  private TorchPickle ascii(String text) {
    bytes.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    return this;
  }

  byte[] end() {
    return op('.').bytes.toByteArray();
  }

  /** Returns a file with this pickle, which must have ended, and one storage of 24 bytes. */
  static byte[] file(byte[] pickle) {
    var entries = new LinkedHashMap<String, byte[]>();
    entries.put("m/data.pkl", pickle);
    ByteBuffer six = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
    for (int k = 0; k < 6; k++) {
      six.putFloat(k);
    }
    entries.put("m/data/0", six.array());
    return zip(entries, ZipEntry.STORED);
  }

  static byte[] zip(Map<String, byte[]> entries, int method) {
    var out = new ByteArrayOutputStream();
    try (var zip = new ZipOutputStream(out)) {
      for (Map.Entry<String, byte[]> named : entries.entrySet()) {
        var entry = new ZipEntry(named.getKey());
        entry.setMethod(method);
        entry.setSize(named.getValue().length);
        var crc = new CRC32();
        crc.update(named.getValue());
        entry.setCrc(crc.getValue());
        zip.putNextEntry(entry);
        zip.write(named.getValue());
        zip.closeEntry();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }
}
