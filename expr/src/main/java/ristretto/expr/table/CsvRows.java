package ristretto.expr.table;

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.RistrettoException;

/**
 * Rows of a CSV file, as RFC 4180 has them: values in quotes may contain separators, quotes and
 * line ends. Spaces around values are dropped. Values are slices of a buffer, so that a reader of
 * numbers makes no strings.
 */
public final class CsvRows extends AbstractBaseCsvCallbackHandler<Boolean> {
  private static final int MOST_COLUMNS = 1 << 20;

  /** Limit of blank lines at the end of a file, since a stream of blank lines may be endless. */
  private static final int MOST_BLANK = 1 << 20;

  private static final char[] EMPTY = {};

  private final Path file;
  private final boolean header;
  private final Receiver receiver;
  private final List<String> first = new ArrayList<>();
  private List<String> names;
  private int width;
  private int count;
  private boolean beginsBlank;
  private long recordSize;
  private int blank;
  private long firstBlank;
  private long line;

  /** First line of the last whole row. */
  private long last;

  /** Receiver of the header and of the values, row by row. */
  interface Receiver {
    /** Accepts the names of the columns. */
    void header(List<String> names);

    /**
     * Accepts the value of a column; the buffer is valid during the call only.
     *
     * @param line number of the row's first line in the file, from 1
     */
    void value(int column, char[] text, int at, int length, long line);

    /** Ends a row that had a value for each column. */
    void endRow(long line);
  }

  /** Receiver of the header and of whole rows. */
  public interface RowReceiver {
    /** Accepts the names of the columns. */
    void header(List<String> names);

    /**
     * Accepts a row with a value for each column.
     *
     * @param line number of its first line in the file, from 1
     */
    void row(List<String> values, long line);
  }

  private CsvRows(Path file, boolean header, Receiver receiver) {
    this.file = file;
    this.header = header;
    this.receiver = receiver;
  }

  /** Reads a file with a header, row by row. */
  public static void read(Path file, char separator, RowReceiver rows) {
    var values = new ArrayList<String>();
    read(
        file,
        separator,
        '"',
        true,
        new Receiver() {
          @Override
          public void header(List<String> names) {
            rows.header(names);
          }

          @Override
          public void value(int column, char[] text, int at, int length, long line) {
            values.add(new String(text, at, length));
          }

          @Override
          public void endRow(long line) {
            rows.row(values, line);
            values.clear();
          }
        });
  }

  /**
   * Reads a file.
   *
   * @param header true if the first line names the columns; otherwise they are named 0, 1, ...
   */
  static void read(Path file, char separator, char quote, boolean header, Receiver receiver) {
    var rows = new CsvRows(file, header, receiver);
    rows.read(separator, quote);
    if (rows.names == null) {
      throw rows.malformed(rows.beginning(), "an empty file");
    }
  }

  private String beginning() {
    return header ? "the first line must name the columns" : "the first line must have values";
  }

  private void read(char separator, char quote) {
    try (Reader in =
            new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8.newDecoder());
        CsvReader<Boolean> records =
            CsvReader.builder()
                .fieldSeparator(separator)
                .quoteCharacter(quote)
                .skipEmptyLines(false)
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .allowUnclosedQuote(false)
                .trimWhitespacesAroundQuotes(true)
                .maxBufferSize(LineReader.LONGEST)
                .build(this, new BoundedReader("csv", file, in))) {
      records.forEach(_ -> {});
    } catch (CsvParseException e) {
      throw unparsed(e);
    } catch (UncheckedIOException e) {
      throw unreadable(e.getCause());
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private RuntimeException unparsed(CsvParseException e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    if (root instanceof RistrettoException ours) {
      return ours;
    }
    if (root instanceof IOException io) {
      return unreadable(io);
    }
    return new FileFormatException(
        "[csv] quotes must be closed, and enclose a whole value; got other quotes after line %s of %s."
            .formatted(last, file),
        e);
  }

  private RuntimeException unreadable(IOException e) {
    if (e instanceof CharacterCodingException) {
      return new FileFormatException(
          "[csv] a text must be UTF-8; got other bytes in %s; convert it.".formatted(file), e);
    }
    return LineReader.unreadable("csv", file, e);
  }

  // Calls of the parser

  @Override
  protected void handleBegin(long startingLine) {
    line = startingLine;
    count = 0;
    beginsBlank = false;
    recordSize = 0;
  }

  @Override
  protected void handleEmpty() {
    beginsBlank = true;
  }

  @Override
  protected void handleField(int index, char[] text, int from, int size, boolean quoted) {
    int at = from;
    int end = from + size;
    while (at < end && isSpace(text[at])) {
      at++;
    }
    while (end > at && isSpace(text[end - 1])) {
      end--;
    }
    count = index + 1;
    recordSize += size;
    if (recordSize > LineReader.LONGEST) {
      throw malformed(
          "a row must have at most " + LineReader.LONGEST + " characters", "more in line " + line);
    }
    if (index == 0 && at == end && !quoted) {
      // A blank line, unless another value follows.
      beginsBlank = true;
      return;
    }
    if (blank > 0) {
      throw malformed(names == null ? beginning() : everyLine(), "a blank line " + firstBlank);
    }
    if (beginsBlank && index == 1) {
      accept(0, EMPTY, 0, 0);
    }
    accept(index, text, at, end - at);
  }

  private static boolean isSpace(char c) {
    return c <= ' ' || c > 0x7f && Character.isWhitespace(c);
  }

  private void accept(int index, char[] text, int at, int length) {
    if (names != null) {
      if (index < width) {
        receiver.value(index, text, at, length, line);
      }
    } else if (first.size() <= MOST_COLUMNS) {
      first.add(new String(text, at, length));
    }
  }

  @Override
  protected Boolean buildRecord() {
    last = line;
    if (count <= 1 && beginsBlank) {
      firstBlank = blank == 0 ? line : firstBlank;
      if (++blank > MOST_BLANK) {
        throw malformed("at most " + MOST_BLANK + " blank lines may end a file", "more");
      }
      return true;
    }
    if (names == null) {
      begin();
    } else if (count != width) {
      throw malformed(everyLine(), count + " in line " + line);
    } else {
      receiver.endRow(line);
    }
    return true;
  }

  private void begin() {
    width = count;
    if (width > MOST_COLUMNS) {
      throw malformed("there must be at most " + MOST_COLUMNS + " columns", "" + width);
    }
    names = header ? List.copyOf(first) : new ArrayList<>(width);
    for (int k = 0; !header && k < width; k++) {
      names.add(Integer.toString(k));
    }
    receiver.header(names);
    for (int k = 0; !header && k < width; k++) {
      char[] text = first.get(k).toCharArray();
      receiver.value(k, text, 0, text.length, line);
    }
    if (!header) {
      receiver.endRow(line);
    }
    first.clear();
  }

  private String everyLine() {
    return "every line must have a value for each of the " + width + " columns";
  }

  private FileFormatException malformed(String rule, String got) {
    return malformed(file, rule, got);
  }

  /** Exception for a violated rule, with the actual content. */
  public static FileFormatException malformed(Path file, String rule, String got) {
    return new FileFormatException("[csv] %s; got %s of %s.".formatted(rule, got, file));
  }
}
