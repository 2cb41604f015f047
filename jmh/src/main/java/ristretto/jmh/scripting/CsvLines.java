package ristretto.jmh.scripting;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/** Lines about files of comma-separated values, which are written before they are read. */
final class CsvLines {
  private static final long BYTES = 50_000_000;

  /** Least speed in MB/s. */
  private static final double WANTED = 200;

  private CsvLines() {}

  static List<ScriptingLine> all() {
    return List.of(
        line("csv-numbers", "readCsv of 50 MB: 2 columns I64, 6 F64", false),
        line("csv-mixed", "readCsv of 50 MB: I64, 4 F64, date, quoted text", true));
  }

  private static ScriptingLine line(String label, String what, boolean mixed) {
    return new ScriptingLine(
        label,
        what,
        WANTED,
        d -> {
          Path file = written(label, mixed);
          return () -> d.ctx().readCsv(file).column("x", ristretto.expr.Ops.F64);
        },
        Optional.empty(),
        BYTES);
  }

  private static Path written(String label, boolean mixed) {
    var random = new Random(1);
    try {
      Path file = Files.createTempFile("ristretto-" + label, ".csv");
      file.toFile().deleteOnExit();
      try (var out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
        var row = new StringBuilder(mixed ? "id,x,y,z,w,day,name\n" : "id,n,x,y,z,u,v,w\n");
        long written = 0;
        for (int k = 0; written < BYTES; k++) {
          written += row.length();
          out.append(row);
          row.setLength(0);
          row.append(k).append(',');
          if (!mixed) {
            row.append(random.nextInt(1_000_000)).append(',');
          }
          for (int c = 0; c < (mixed ? 4 : 6); c++) {
            row.append(random.nextInt(2000) - 1000).append('.');
            row.append(100_000 + random.nextInt(900_000));
            row.append(c < 5 ? "," : "");
          }
          if (mixed) {
            row.append(
                String.format(Locale.ROOT, "20%02d-%02d-%02d,", k % 30, 1 + k % 12, 1 + k % 28));
            row.append(k % 3 == 0 ? "\"a, quoted text\"" : "word").append(k % 100);
            if (k % 3 == 0) {
              row.setLength(row.length() - (k % 100 < 10 ? 1 : 2));
            }
          }
          row.append('\n');
        }
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
