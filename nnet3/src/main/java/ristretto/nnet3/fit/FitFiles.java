package ristretto.nnet3.fit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import ristretto.expr.file.AsideFile;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileException;
import ristretto.nnet3.text.Failures;

/** File operations of a training; written files are complete or absent. */
final class FitFiles {
  private FitFiles() {}

  static void makeFolder(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw wrong(folder, "a folder, or the path of a new one", e);
    }
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw wrong(file, "a file that can be read", e);
    }
  }

  static void write(Path file, String text) {
    write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Copies a file. */
  static void copy(Path from, Path to) {
    try {
      write(to, Files.readAllBytes(from));
    } catch (IOException e) {
      throw wrong(from, "a file that can be read", e);
    }
  }

  private static void write(Path file, byte[] bytes) {
    try {
      AsideFile.write(file, channel -> AsideFile.writeFully(channel, ByteBuffer.wrap(bytes)));
    } catch (IOException e) {
      throw wrong(file, "a file that can be written", e);
    }
  }

  /** Removes a file, if it exists. */
  static void remove(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw wrong(file, "a file that can be removed", e);
    }
  }

  /** Removes a folder with all files in it, if it exists. */
  static void removeFolder(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.list(folder)) {
      files.forEach(FitFiles::remove);
    } catch (IOException e) {
      throw wrong(folder, "a folder that can be removed", e);
    }
    remove(folder);
  }

  /** Replaces a file by a symbolic link to a file of the parent folder. */
  static void link(Path at, String name) {
    try {
      Files.deleteIfExists(at);
      Files.createSymbolicLink(at, Path.of("..", name));
    } catch (IOException e) {
      throw wrong(at, "a link that can be made", e);
    }
  }

  private static FileException wrong(Path file, String rule, IOException e) {
    return new FileException(
        "[nnet3-fit] %s must be %s; got %s; give another --dir."
            .formatted(Excerpt.whole(file.toString()), rule, Failures.why(e)),
        e);
  }
}
