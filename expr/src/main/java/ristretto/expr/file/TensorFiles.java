package ristretto.expr.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;

/**
 * Reads and writes files of tensors; the name's ending says which format. A flaw in a file is a
 * {@link FileFormatException}, a file that is not there or cannot be read or written a {@link
 * FileException}.
 */
public final class TensorFiles {
  private TensorFiles() {}

  private enum Format {
    NPY,
    NPZ,
    SAFETENSORS;

    static Format of(Path path, String operation) {
      Path file = path.getFileName();
      String name = file == null ? "" : file.toString().toLowerCase(Locale.ROOT);
      for (Format format : values()) {
        if (name.endsWith("." + format.name().toLowerCase(Locale.ROOT))) {
          return format;
        }
      }
      throw new FileFormatException(
          "[%s] a tensor file must be named .npy, .npz or .safetensors; got %s; rename it"
              .formatted(operation, path));
    }
  }

  /** Like {@link #read(Path, Arena)}; the memory lives as long as the tensors are reachable. */
  public static Map<String, HostTensor> read(Path path) {
    return read(path, Arena.ofAuto());
  }

  /**
   * All tensors of a file by name, in the file's order; the one of a .npy file is named "". The
   * file is mapped, and what needs converting or unpacking is allocated; both live as long as
   * {@code arena}.
   */
  public static Map<String, HostTensor> read(Path path, Arena arena) {
    Format format = Format.of(path, "load");
    FileBytes file = map(path, arena);
    return switch (format) {
      case NPY -> Map.of("", Npy.read(file, arena));
      case NPZ -> Npz.read(file, arena);
      case SAFETENSORS -> Safetensors.read(file);
    };
  }

  /** The strings in a safetensors file's {@code __metadata__}; other formats have none. */
  public static Map<String, String> readMetadata(Path path) {
    if (Format.of(path, "load") != Format.SAFETENSORS) {
      return Map.of();
    }
    try (Arena arena = Arena.ofConfined()) {
      return Safetensors.metadata(map(path, arena));
    }
  }

  /**
   * Replaces the file as a whole or, where anything fails, leaves it as it is. A .npy file takes
   * one tensor.
   */
  public static void write(Path path, Map<String, HostTensor> tensors) {
    write(path, tensors, Map.of());
  }

  /** With strings for {@code __metadata__}, which only safetensors has. */
  public static void write(
      Path path, Map<String, HostTensor> tensors, Map<String, String> metadata) {
    Format format = Format.of(path, "save");
    if (format != Format.SAFETENSORS && !metadata.isEmpty()) {
      throw new ShapeException(
          "[save] metadata must go into a .safetensors file; got %s; rename it".formatted(path));
    }
    switch (format) {
      case NPY -> {
        if (tensors.size() != 1) {
          throw new ShapeException(
              String.format(
                  Locale.ROOT,
                  "[save] a .npy file must have one tensor; got %d for %s; save them as .npz",
                  tensors.size(),
                  path));
        }
        Map.Entry<String, HostTensor> named = tensors.entrySet().iterator().next();
        byte[] header = Npy.header(named.getKey(), named.getValue());
        replace(
            path,
            channel -> {
              AsideFile.writeFully(channel, ByteBuffer.wrap(header));
              AsideFile.writeFully(channel, named.getValue().data());
            });
      }
      case NPZ -> {
        tensors.forEach(Npz::check);
        replace(path, channel -> Npz.write(channel, tensors));
      }
      case SAFETENSORS -> replace(path, channel -> Safetensors.write(channel, tensors, metadata));
    }
  }

  private static FileBytes map(Path path, Arena arena) {
    try {
      if (Files.exists(path) && !Files.isRegularFile(path)) {
        throw new IOException("not a regular file");
      }
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
        long size = channel.size();
        return new FileBytes(
            path.toString(), channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena));
      }
    } catch (IOException e) {
      throw failed("load", "a tensor file must be there and readable", path, e);
    }
  }

  private static void replace(Path path, AsideFile.Content content) {
    try {
      AsideFile.write(path, content);
    } catch (IOException e) {
      throw failed("save", "a tensor file must be writable", path, e);
    }
  }

  private static FileException failed(String operation, String rule, Path path, IOException cause) {
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
            .formatted(operation, rule, path.toAbsolutePath(), why),
        cause);
  }
}
