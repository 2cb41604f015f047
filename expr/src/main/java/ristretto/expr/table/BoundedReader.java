package ristretto.expr.table;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import ristretto.kernels.FileFormatException;

/** Text with limits on the length of lines and of endless streams, without a byte order mark. */
final class BoundedReader extends Reader {
  private static final char BYTE_ORDER_MARK = '\ufeff';

  private final String format;
  private final Path file;
  private final Reader text;
  private final long most;
  private long count;
  private long line = 1;
  private int length;

  BoundedReader(String format, Path file, Reader text) {
    this.format = format;
    this.file = file;
    this.text = text;
    this.most = Files.isRegularFile(file) ? Long.MAX_VALUE : LineReader.MOST_OF_A_STREAM;
  }

  @Override
  public int read(char[] to, int from, int atMost) throws IOException {
    int start = from;
    int got = text.read(to, from, atMost);
    if (count == 0 && got > 0 && to[from] == BYTE_ORDER_MARK) {
      count++;
      System.arraycopy(to, from + 1, to, from, got - 1);
      got = got == 1 ? text.read(to, from, atMost) : got - 1;
    }
    int begin = start - length;
    for (int k = start; k < start + got; k++) {
      char c = to[k];
      if (c <= '\r' && (c == '\n' || c == '\r')) {
        requireShort(k - begin);
        line += c == '\n' ? 1 : 0;
        begin = k + 1;
      }
    }
    length = start + Math.max(0, got) - begin;
    requireShort(length);
    count += Math.max(0, got);
    if (count > most) {
      throw endless("a device or pipe must end after " + most + " characters");
    }
    return got;
  }

  private void requireShort(int characters) {
    if (characters > LineReader.LONGEST) {
      throw endless("a line must have at most " + LineReader.LONGEST + " characters");
    }
  }

  private FileFormatException endless(String rule) {
    return LineReader.endless(format, rule, "more", line, file);
  }

  @Override
  public void close() throws IOException {
    text.close();
  }
}
