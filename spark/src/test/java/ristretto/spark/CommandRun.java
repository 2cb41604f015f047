package ristretto.spark;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import ristretto.nnet3.cli.Command;

/**
 * Run of a command.
 *
 * @param code exit code
 * @param log standard error
 */
record CommandRun(int code, String log) {
  static CommandRun of(List<String> words) {
    var err = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    int code;
    try {
      code = Command.run(words.toArray(String[]::new));
    } finally {
      System.setErr(before);
    }
    return new CommandRun(code, err.toString(StandardCharsets.UTF_8));
  }
}
