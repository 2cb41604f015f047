package ristretto.jmh;

import java.util.Optional;
import ristretto.jmh.report.Fact;
import ristretto.jmh.run.Measurement;

/** Messages of a worker process to the command: one per line, fields separated by tabs. */
sealed interface Message {
  /** Start of the measurement of a line of the table, or of facts. */
  record Started(String what) implements Message {}

  record Measured(String line, String dims, Measurement measurement) implements Message {}

  record Found(Fact fact) implements Message {}

  /** Note for the reader of the table. */
  record Remark(String text) implements Message {}

  default String encode() {
    return switch (this) {
      case Started m -> "started\t" + m.what;
      case Measured m ->
          String.join(
              "\t",
              "measured",
              m.line,
              m.dims,
              m.measurement.competitor(),
              Double.toString(m.measurement.median()),
              Double.toString(m.measurement.least()),
              Double.toString(m.measurement.error()));
      case Found m ->
          String.join(
              "\t",
              "found",
              m.fact.name(),
              m.fact.what(),
              Double.toString(m.fact.value()),
              m.fact.unit(),
              m.fact.target().map(String::valueOf).orElse(""));
      case Remark m -> "remark\t" + m.text.replaceAll("[\t\r\n]+", " ");
    };
  }

  /** Parses a message; empty for any other output, such as a library's. */
  static Optional<Message> decode(String text) {
    String[] f = text.split("\t", -1);
    return switch (f[0]) {
      case "started" -> Optional.of(new Started(f[1]));
      case "measured" ->
          Optional.of(
              new Measured(
                  f[1],
                  f[2],
                  new Measurement(
                      f[3],
                      Double.parseDouble(f[4]),
                      Double.parseDouble(f[5]),
                      Double.parseDouble(f[6]))));
      case "found" ->
          Optional.of(
              new Found(
                  new Fact(
                      f[1],
                      f[2],
                      Double.parseDouble(f[3]),
                      f[4],
                      f[5].isEmpty() ? Optional.empty() : Optional.of(Double.valueOf(f[5])))));
      case "remark" -> Optional.of(new Remark(f[1]));
      default -> Optional.empty();
    };
  }
}
