package ristretto.symbolic.data;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;

/** Reads files of data as a whole. */
final class Lines {
  private Lines() {}

  static List<String> of(String format, Path file) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(java.nio.ByteBuffer.wrap(bytes(format, file)))
          .toString()
          .lines()
          .toList();
    } catch (CharacterCodingException e) {
      throw new FileFormatException(
          "[%s] a text must be UTF-8; got other bytes in %s; convert it.".formatted(format, file),
          e);
    }
  }

  static byte[] bytes(String format, Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      String why = e instanceof NoSuchFileException ? "no such file" : e.getMessage();
      throw new FileException(
          "[%s] the file must be there and readable; got %s (%s); check the path."
              .formatted(format, file.toAbsolutePath(), why),
          e);
    }
  }
}
