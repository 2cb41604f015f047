package ristretto.nnet3.io;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.text.Failures;

/** Parsed name of an input: Kaldi's rxfilename. */
sealed interface Rxfilename {
  /** Standard input. */
  record Standard() implements Rxfilename {}

  /** Output of a shell command. */
  record Pipe(String command) implements Rxfilename {}

  /** A file, read from a byte offset. */
  record At(Path path, long offset) implements Rxfilename {}

  /** Parses a name. */
  static Rxfilename of(String name) {
    if (name.isEmpty() || name.equals("-")) {
      return new Standard();
    }
    if (name.startsWith("|")) {
      throw refused("a command to read from must end with '|', not begin with it", name);
    }
    if (name.endsWith("|")) {
      return new Pipe(name.substring(0, name.length() - 1));
    }
    if (!name.equals(TextScanner.strip(name))) {
      throw refused("a file's name must not begin or end with a space", name);
    }
    if (Specifier.looksLikeOne(name)) {
      throw refused("the name must be that of a file, not of a table", name);
    }
    if (name.contains("|")) {
      throw refused("a command to read from must end with '|'", name);
    }
    int colon = name.lastIndexOf(':');
    if (colon > 0 && colon < name.length() - 1) {
      String digits = name.substring(colon + 1);
      if (digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
        if (digits.length() > 18) {
          throw refused("an offset must have at most 18 digits", name);
        }
        return new At(path(name.substring(0, colon)), Long.parseLong(digits));
      }
    }
    return new At(path(name), 0);
  }

  /** Converts a name to a path; refuses names that the system cannot encode. */
  static Path path(String name) {
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw new FileFormatException(
          "[kaldi] the name of a file must be text that the system can encode; got %s (%s); rename the file, or set LC_ALL to a locale of UTF-8, such as C.UTF-8."
              .formatted(TextScanner.whole(name), e.getReason()));
    }
  }

  /** Opens the input at its first byte, or at the offset in the name. */
  default ByteSource open() {
    return switch (this) {
      case Standard() -> new ByteSource("standard input", System.in, 0);
      case Pipe(String command) -> {
        var stream = PipeInput.start(command);
        yield new ByteSource("the command \"" + command.strip() + "\"", stream, 0);
      }
      case At(Path path, long offset) -> openFile(path, offset);
    };
  }

  private static ByteSource openFile(Path path, long offset) {
    try {
      if (!Files.isRegularFile(path)) {
        if (!Files.exists(path)) {
          throw new NoSuchFileException(path.toString());
        }
        if (Files.isDirectory(path)) {
          throw new IOException("a folder");
        }
        InputStream in = Files.newInputStream(path);
        in.skipNBytes(offset);
        return new ByteSource(path.toString(), in, offset);
      }
      FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
      long length = channel.size();
      if (offset > length) {
        channel.close();
        throw new FileFormatException(
            String.format(
                Locale.ROOT,
                "[kaldi] an offset must lie within the file; got %d of %d bytes of %s; write the"
                    + " script again with the archive.",
                offset,
                length,
                Excerpt.whole(path.toString())));
      }
      return new ByteSource(path.toString(), channel, length, offset);
    } catch (IOException e) {
      throw new FileException(
          "[kaldi] a file to read must exist; got %s (%s); check the path."
              .formatted(Excerpt.whole(path.toString()), Failures.why(e)),
          e);
    }
  }

  private static FileFormatException refused(String rule, String name) {
    return new FileFormatException(
        "[kaldi] %s; got %s; write a path, path:offset, - or \"command |\"."
            .formatted(rule, TextScanner.whole(name)));
  }
}
