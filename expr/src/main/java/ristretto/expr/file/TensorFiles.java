package ristretto.expr.file;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.option.TensorFormat;
import ristretto.kernels.FileException;
import ristretto.kernels.ShapeException;

/**
 * Writer of tensor files; {@link TensorFile} is the reader. The extension of the name selects the
 * format. Throws a {@link FileException} if a file cannot be written.
 */
public final class TensorFiles {
  private TensorFiles() {}

  /**
   * Writes a whole file; leaves an existing file unchanged on failure. A .npy file holds one
   * tensor.
   */
  public static void write(Path path, Map<String, HostTensor> tensors) {
    write(path, tensors, Map.of());
  }

  /**
   * Writes a whole file, with strings for the {@code __metadata__} of safetensors; other formats
   * have no metadata.
   */
  public static void write(
      Path path, Map<String, HostTensor> tensors, Map<String, String> metadata) {
    TensorFormat format = Formats.ofOutput(path);
    String name = Excerpt.whole(path.toString());
    check(format, name, "rename it", tensors, metadata);
    replace(path, channel -> write(channel, format, tensors, metadata));
  }

  /**
   * Writes tensors to a stream; does not close it.
   *
   * @throws ShapeException if the format does not hold the tensors, or is read only
   */
  public static void write(
      OutputStream out,
      TensorFormat format,
      Map<String, HostTensor> tensors,
      Map<String, String> metadata) {
    check(format, format + " for a stream", "choose SAFETENSORS", tensors, metadata);
    try {
      write(Channels.newChannel(out), format, tensors, metadata);
      out.flush();
    } catch (IOException e) {
      throw failed("save", "a stream must be writable", e);
    }
  }

  private static void check(
      TensorFormat format,
      String name,
      String remedy,
      Map<String, HostTensor> tensors,
      Map<String, String> metadata) {
    if (format == TensorFormat.PYTORCH) {
      throw new ShapeException(
          "[save] tensors must be saved as NPY, NPZ or SAFETENSORS; got %s; PyTorch reads safetensors"
              .formatted(name));
    }
    if (format != TensorFormat.SAFETENSORS && !metadata.isEmpty()) {
      throw new ShapeException(
          "[save] metadata must go into a .safetensors file; got %s; %s".formatted(name, remedy));
    }
    checkCount(tensors, SafetensorsHeader.MOST_TENSORS, "tensors", name);
    checkCount(metadata, SafetensorsHeader.MOST_STRINGS, "strings", name);
    if (format == TensorFormat.NPY) {
      if (tensors.size() != 1) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[save] a .npy file must have one tensor; got %d for %s; save them as .npz",
                tensors.size(),
                name));
      }
      return;
    }
    tensors.keySet().forEach(TensorFiles::checkText);
    metadata.keySet().forEach(TensorFiles::checkText);
    metadata.values().forEach(TensorFiles::checkText);
    if (format == TensorFormat.NPZ) {
      tensors.forEach(Npz::check);
    }
  }

  private static void write(
      WritableByteChannel channel,
      TensorFormat format,
      Map<String, HostTensor> tensors,
      Map<String, String> metadata)
      throws IOException {
    switch (format) {
      case NPY -> {
        Map.Entry<String, HostTensor> named = tensors.entrySet().iterator().next();
        byte[] header = Npy.header(named.getKey(), named.getValue());
        AsideFile.writeFully(channel, ByteBuffer.wrap(header));
        AsideFile.writeFully(channel, named.getValue().data());
      }
      case NPZ -> Npz.write(channel, tensors);
      case SAFETENSORS -> Safetensors.write(channel, tensors, metadata);
      case PYTORCH -> throw new AssertionError(format);
    }
  }

  /** Enforces the reader's limits, so that every written file can be read back. */
  private static void checkCount(Map<String, ?> names, int most, String what, String file) {
    if (names.size() > most) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[save] a file must have at most %d %s; got %d for %s; save them to several files",
              most,
              what,
              names.size(),
              file));
    }
  }

  /**
   * Rejects unpaired surrogates, which would be encoded as question marks and could make two names
   * equal.
   */
  private static void checkText(String text) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new ShapeException(
          "[save] names and metadata must be text that UTF-8 can hold; got '%s'; rename it"
              .formatted(Excerpt.of(text)));
    }
  }

  /** Exception for a stream that cannot be read or written. */
  static FileException failed(String operation, String rule, IOException cause) {
    return new FileException(
        "[%s] %s; got %s; check where it comes from and goes to".formatted(operation, rule, cause),
        cause);
  }

  private static void replace(Path path, AsideFile.Content content) {
    try {
      AsideFile.write(path, content);
    } catch (IOException e) {
      throw failed("save", "a tensor file must be writable", path, e);
    }
  }

  /** Exception for a file that cannot be read or written, with the reason and the path. */
  public static FileException failed(String operation, String rule, Path path, IOException cause) {
    String why =
        switch (cause) {
          case NoSuchFileException _ -> "no such file";
          case NotDirectoryException _ -> "no such folder";
          case AccessDeniedException _ -> "access denied";
          case FileSystemException f when f.getReason() != null -> f.getReason();
          default -> cause.getMessage();
        };
    return new FileException(
        "[%s] %s; got %s (%s); check the path"
            .formatted(operation, rule, Excerpt.whole(path.toAbsolutePath().toString()), why),
        cause);
  }
}
