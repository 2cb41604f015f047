package ristretto.expr.table;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;

/** Line-by-line reader of text files that never holds the whole text. */
public final class LineReader {
  /** Largest number of characters in a line. */
  static final int LONGEST = 1 << 24;

  /** Largest number of characters from a pipe or a device, which may be endless. */
  static final long MOST_OF_A_STREAM = 1L << 31;

  private final String format;
  private final Path file;
  private final Reader reader;
  private final long most;
  private final StringBuilder line = new StringBuilder();
  private long count;
  private long number;
  private int next;

  private LineReader(String format, Path file, Reader reader, long mostOfAStream)
      throws IOException {
    this.format = format;
    this.file = file;
    this.reader = reader;
    this.most = Files.isRegularFile(file) ? Long.MAX_VALUE : mostOfAStream;
    this.next = reader.read();
  }

  /** Receiver of lines. */
  @FunctionalInterface
  public interface Line {
    /**
     * Accepts a line without its terminator.
     *
     * @param number line number, from 1
     */
    void accept(String text, long number);
  }

  public static void forEach(String format, Path file, Line each) {
    forEach(format, file, MOST_OF_A_STREAM, each);
  }

  /**
   * Passes on each line of a file.
   *
   * @param mostOfAStream largest number of characters if the path is not a regular file
   */
  public static void forEach(String format, Path file, long mostOfAStream, Line each) {
    try (Reader reader =
        new BufferedReader(
            new InputStreamReader(
                Files.newInputStream(file), StandardCharsets.UTF_8.newDecoder()))) {
      var lines = new LineReader(format, file, reader, mostOfAStream);
      while (lines.next >= 0) {
        each.accept(lines.line(), lines.number);
      }
    } catch (CharacterCodingException e) {
      throw new FileFormatException(
          "[%s] a text must be UTF-8; got other bytes in %s; convert it.".formatted(format, file),
          e);
    } catch (IOException e) {
      throw unreadable(format, file, e);
    }
  }

  public static FileException unreadable(String format, Path file, IOException e) {
    String why = e instanceof NoSuchFileException ? "no such file" : e.getMessage();
    return new FileException(
        "[%s] the file must exist and be readable; got %s (%s); check the path."
            .formatted(format, file.toAbsolutePath(), why),
        e);
  }

  private String line() throws IOException {
    line.setLength(0);
    number++;
    while (next >= 0 && next != '\n' && next != '\r') {
      if (line.length() == LONGEST) {
        throw endless("a line must have at most " + LONGEST + " characters", "more");
      }
      line.append((char) next);
      advance();
    }
    int end = next;
    advance();
    if (end == '\r' && next == '\n') {
      advance();
    }
    return line.toString();
  }

  private void advance() throws IOException {
    next = reader.read();
    if (++count > most) {
      throw endless("a device or pipe must end after " + most + " characters", "more");
    }
  }

  private FileFormatException endless(String rule, String got) {
    return endless(format, rule, got, number, file);
  }

  public static FileFormatException endless(
      String format, String rule, String got, long line, Path file) {
    return new FileFormatException(
        String.format(
            Locale.ROOT,
            "[%s] %s; got %s in line %d of %s; it is another kind of file, or damaged.",
            format,
            rule,
            got,
            line,
            file));
  }
}
