package ristretto.symbolic.inspect;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import ristretto.expr.file.AsideFile;
import ristretto.kernels.FileException;
import ristretto.kernels.ShapeException;

/** Writes pictures atomically. */
final class PictureFile {
  private PictureFile() {}

  /**
   * Writes a picture.
   *
   * @param op name of the operation for messages
   * @throws ShapeException if the name does not have the suffix
   * @throws FileException if the file cannot be written
   */
  static void write(String op, Path file, String suffix, byte[] content) {
    if (!file.toString().endsWith(suffix)) {
      throw new ShapeException(
          "[%s] the file name must end in %s; got %s; rename the file."
              .formatted(op, suffix, file));
    }
    try {
      AsideFile.write(file, channel -> AsideFile.writeFully(channel, ByteBuffer.wrap(content)));
    } catch (IOException e) {
      throw new FileException(
          "[%s] the file must be writable; got %s (%s); check the path."
              .formatted(op, file.toAbsolutePath(), e.getMessage()),
          e);
    }
  }
}
