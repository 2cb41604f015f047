package ristretto.llm.command;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import ristretto.kernels.RistrettoException;

/** Start of a command. */
final class Commands {
  private Commands() {}

  /** Runs a command and ends the process: 0 success, 1 failure, 2 wrong usage. */
  static void run(Callable<Integer> command, String... args) {
    var line = new CommandLine(command);
    line.setExecutionExceptionHandler((e, _, _) -> {
      if (!(e instanceof RistrettoException) && !(e instanceof IOException)) {
        throw e;
      }
      System.err.println("ristretto: " + e.getMessage());
      return 1;
    });
    System.exit(line.execute(args));
  }
}
