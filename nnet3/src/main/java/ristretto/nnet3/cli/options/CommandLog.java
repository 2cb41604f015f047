package ristretto.nnet3.cli.options;

import java.io.PrintStream;
import java.util.Locale;
import ristretto.expr.file.Excerpt;

/**
 * Log of a command, in lines like Kaldi's.
 *
 * @param command name of the command
 * @param err stream that receives the lines, usually standard error
 */
public record CommandLog(String command, PrintStream err) {
  public void info(String format, Object... values) {
    line("LOG", format, values);
  }

  public void warning(String format, Object... values) {
    line("WARNING", format, values);
  }

  public void error(String message) {
    line("ERROR", "%s", message);
  }

  private void line(String kind, String format, Object... values) {
    String text = Excerpt.lines(String.format(Locale.ROOT, format, values));
    err.printf(Locale.ROOT, "%s (%s) %s%n", kind, command, text);
  }
}
