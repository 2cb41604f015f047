package ristretto.nnet3.io;

import java.io.IOException;
import java.util.Locale;
import ristretto.kernels.FileException;

/** Commands of the shell, and how they fail. */
final class Commands {
  private Commands() {}

  static FileException notStarted(String command, IOException e) {
    return new FileException(
        "[kaldi] a command must start; got \"%s\" (%s); /bin/sh runs it."
            .formatted(command.strip(), e.getMessage()),
        e);
  }

  static FileException failed(String command, int status) {
    return new FileException(
        String.format(
            Locale.ROOT,
            "[kaldi] a command must succeed; got exit code %d of \"%s\"; see what it says.",
            status,
            command.strip()),
        null);
  }

  /** Waits for the end. */
  static int exit(Process process) {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroy();
      throw new FileException("[kaldi] a command must end; got an interruption; start again.", e);
    }
  }
}
