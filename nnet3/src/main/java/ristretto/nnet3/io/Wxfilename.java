package ristretto.nnet3.io;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import ristretto.expr.file.AsideFile;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.text.Failures;

/** Parsed name of an output: Kaldi's wxfilename. */
sealed interface Wxfilename {
  /** Standard output. */
  record Standard() implements Wxfilename {}

  /** Input of a shell command. */
  record Pipe(String command) implements Wxfilename {}

  /** A file. */
  record To(Path path) implements Wxfilename {}

  /** Parses a name. */
  static Wxfilename of(String name) {
    if (name.isEmpty() || name.equals("-")) {
      return new Standard();
    }
    if (name.startsWith("|")) {
      return new Pipe(name.substring(1));
    }
    if (!name.equals(TextScanner.strip(name))) {
      throw refused("a file's name must not begin or end with a space", name);
    }
    if (Specifier.looksLikeOne(name)) {
      throw refused("the name must be that of a file, not of a table", name);
    }
    if (name.contains("|")) {
      throw refused("a command to write to must begin with '|'", name);
    }
    int colon = name.lastIndexOf(':');
    if (colon > 0
        && colon < name.length() - 1
        && name.substring(colon + 1).chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw refused("a file to write must not end with an offset", name);
    }
    return new To(Rxfilename.path(name));
  }

  /** Returns true if both names are the same file. */
  default boolean isSameFile(Wxfilename other) {
    return this instanceof To(Path a)
        && other instanceof To(Path b)
        && a.toAbsolutePath().normalize().equals(b.toAbsolutePath().normalize());
  }

  /** Opens the output, empty. */
  default ByteSink open() {
    return switch (this) {
      case Standard() -> new ByteSink("standard output", System.out, new StandardEnding());
      case Pipe(String command) -> {
        var pipe = PipeOutput.start(command);
        yield new ByteSink("the command \"" + command.strip() + "\"", pipe.stream(), pipe);
      }
      case To(Path path) -> openFile(path);
    };
  }

  private static ByteSink openFile(Path path) {
    try {
      if (Files.isDirectory(path)) {
        throw new IOException("a folder");
      }
      if (Files.exists(path) && !Files.isRegularFile(path)) {
        // a device or a named pipe cannot be replaced
        OutputStream to = Files.newOutputStream(path);
        return new ByteSink(path.toString(), to, new StreamEnding(to));
      }
      AsideFile file = AsideFile.open(path);
      return new ByteSink(
          path.toString(), Channels.newOutputStream(file.channel()), new FileEnding(file));
    } catch (IOException e) {
      throw new FileException(
          "[kaldi] a file must be writable; got %s (%s); check the path."
              .formatted(Excerpt.whole(path.toString()), Failures.why(e)),
          e);
    }
  }

  /** Completion of a file, which is renamed. */
  record FileEnding(AsideFile file) implements ByteSink.Ending {
    @Override
    public void commit() throws IOException {
      file.commit();
    }

    @Override
    public void commitWith(ByteSink.Ending index) throws IOException {
      if (index instanceof FileEnding(AsideFile other)) {
        AsideFile.commit(file, other);
      } else {
        ByteSink.Ending.super.commitWith(index);
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /** Completion of a stream, which has received its bytes already. */
  record StreamEnding(OutputStream stream) implements ByteSink.Ending {
    @Override
    public void commit() {}

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }

  /**
   * Completion of standard output, which stays open: detects failed writes, for which the stream
   * throws no exception.
   */
  record StandardEnding() implements ByteSink.Ending {
    @Override
    public void commit() throws IOException {
      if (System.out.checkError()) {
        throw new IOException("its disk is full, or its reader has gone");
      }
    }

    @Override
    public void close() {}
  }

  private static FileFormatException refused(String rule, String name) {
    return new FileFormatException(
        "[kaldi] %s; got %s; write a path, - or \"| command\"."
            .formatted(rule, TextScanner.whole(name)));
  }
}
