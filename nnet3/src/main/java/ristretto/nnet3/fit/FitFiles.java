package ristretto.nnet3.fit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import ristretto.expr.file.AsideFile;
import ristretto.kernels.FileException;

/** Files of a training: whole, or not there. */
final class FitFiles {
  private FitFiles() {}

  static void makeFolder(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw wrong(folder, "a folder, or a name for one", e);
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
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      AsideFile.write(file, channel -> AsideFile.writeFully(channel, ByteBuffer.wrap(bytes)));
    } catch (IOException e) {
      throw wrong(file, "a file that can be written", e);
    }
  }

  private static FileException wrong(Path file, String rule, IOException e) {
    return new FileException(
        "[nnet3-fit] %s must be %s; got %s; give another --dir.".formatted(file, rule, e), e);
  }
}
