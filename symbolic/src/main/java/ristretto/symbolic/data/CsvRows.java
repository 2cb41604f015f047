package ristretto.symbolic.data;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.CsvRecordHandler;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.RistrettoException;

/**
 * Rows of a CSV file below its header, as RFC 4180 has them: values in quotes may contain
 * separators, quotes and line ends. Spaces around values are dropped.
 */
final class CsvRows {
  private static final int MOST_COLUMNS = 1 << 20;

  /** Limit of blank lines at the end of a file, since a stream of blank lines may be endless. */
  private static final int MOST_BLANK = 1 << 20;

  private final Path file;
  private final char separator;
  private final Receiver receiver;
  private List<String> names;
  private int blank;
  private long firstBlank;
  private long last;

  /** Receiver of the header and of the rows. */
  interface Receiver {
    /** Accepts the names of the columns. */
    void header(List<String> names);

    /**
     * Accepts a row with a value for each column.
     *
     * @param line number of its first line in the file, from 1
     */
    void row(List<String> values, long line);
  }

  private CsvRows(Path file, char separator, Receiver receiver) {
    this.file = file;
    this.separator = separator;
    this.receiver = receiver;
  }

  static void read(Path file, char separator, Receiver receiver) {
    var rows = new CsvRows(file, separator, receiver);
    rows.read();
    if (rows.names == null) {
      throw rows.malformed("the first line must name the columns", "an empty file");
    }
  }

  private void read() {
    try (Reader in =
            new BufferedReader(
                new InputStreamReader(
                    Files.newInputStream(file), StandardCharsets.UTF_8.newDecoder()));
        CsvReader<CsvRecord> records =
            CsvReader.builder()
                .fieldSeparator(separator)
                .skipEmptyLines(false)
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .allowUnclosedQuote(false)
                .allowExtraCharsAfterClosingQuote(false)
                .trimWhitespacesAroundQuotes(true)
                .maxBufferSize(LineReader.LONGEST)
                .build(
                    CsvRecordHandler.builder()
                        .maxFields(MOST_COLUMNS + 1)
                        .maxFieldSize(LineReader.LONGEST)
                        .maxRecordSize(LineReader.LONGEST)
                        .build(),
                    new BoundedReader("csv", file, in))) {
      records.forEach(this::record);
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

  private void record(CsvRecord row) {
    long line = row.getStartingLineNumber();
    last = line;
    List<String> values = row.getFields().stream().map(String::strip).toList();
    if (values.size() == 1 && values.get(0).isEmpty()) {
      firstBlank = blank == 0 ? line : firstBlank;
      if (++blank > MOST_BLANK) {
        throw malformed("at most " + MOST_BLANK + " blank lines may end a file", "more");
      }
      return;
    }
    if (blank > 0) {
      throw malformed(
          names == null ? "the first line must name the columns" : everyLine(),
          "a blank line " + firstBlank);
    }
    if (names == null) {
      header(values);
    } else if (values.size() != names.size()) {
      throw malformed(everyLine(), values.size() + " in line " + line);
    } else {
      receiver.row(values, line);
    }
  }

  private void header(List<String> values) {
    names = values;
    if (names.size() > MOST_COLUMNS) {
      throw malformed("there must be at most " + MOST_COLUMNS + " columns", "" + names.size());
    }
    receiver.header(names);
  }

  private String everyLine() {
    return "every line must have a value for each of the " + names.size() + " columns";
  }

  private FileFormatException malformed(String rule, String got) {
    return malformed(file, rule, got);
  }

  static FileFormatException malformed(Path file, String rule, String got) {
    return new FileFormatException("[csv] %s; got %s of %s.".formatted(rule, got, file));
  }
}
