package ristretto.expr.table;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import de.siegmar.fastcsv.writer.QuoteStrategies;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import ristretto.expr.file.AsideFile;
import ristretto.expr.file.TensorFiles;
import ristretto.kernels.FileException;

/** Writer of CSV files with a header, in UTF-8, with line feeds. */
public final class WriteCsv {
  private static final int BUFFER = 1 << 16;

  private WriteCsv() {}

  /**
   * Writes columns of equally many rows; leaves an existing file unchanged on failure.
   *
   * @throws FileException if the file cannot be written
   */
  public static void to(Path file, List<TableColumn> columns, long rows) {
    try {
      AsideFile.write(
          file,
          channel -> {
            // The channel stays open for the commit, so the writer is flushed only.
            Writer out =
                new BufferedWriter(
                    Channels.newWriter(channel, StandardCharsets.UTF_8.newEncoder(), BUFFER),
                    BUFFER);
            write(out, columns, rows);
            out.flush();
          });
    } catch (IOException e) {
      throw TensorFiles.failed("writeCsv", "a CSV file must be writable", file, e);
    }
  }

  private static void write(Writer out, List<TableColumn> columns, long rows) throws IOException {
    // Quotes distinguish an empty text from a blank line.
    CsvWriter csv =
        CsvWriter.builder()
            .lineDelimiter(LineDelimiter.LF)
            .quoteStrategy(columns.size() == 1 ? QuoteStrategies.EMPTY : QuoteStrategies.REQUIRED)
            .build(out);
    String[] row = new String[columns.size()];
    for (int c = 0; c < row.length; c++) {
      row[c] = columns.get(c).name();
    }
    csv.writeRecord(row);
    for (long k = 0; k < rows; k++) {
      for (int c = 0; c < row.length; c++) {
        row[c] = TableText.text(columns.get(c), k);
      }
      csv.writeRecord(row);
    }
    csv.flush();
  }
}
