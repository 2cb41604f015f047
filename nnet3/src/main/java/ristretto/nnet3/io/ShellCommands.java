package ristretto.nnet3.io;

import java.io.IOException;
import java.util.Locale;
import ristretto.kernels.FileException;

/** Shell commands and exceptions for their failures. */
final class ShellCommands {
  private static final int ASCII = 0x80;

  private ShellCommands() {}

  /**
   * Prepares a shell command that keeps the bytes it had in its file. Java would encode bytes that
   * are not valid text as {@code ?}, a wildcard of the shell; so a command with bytes outside of
   * ASCII is passed as octal numbers, which the shell decodes.
   */
  static ProcessBuilder shell(String command) {
    if (command.chars().allMatch(c -> c < ASCII) || command.indexOf('\0') >= 0) {
      return new ProcessBuilder("/bin/sh", "-c", command);
    }
    var octal = new StringBuilder();
    for (byte b : ByteText.encode(command)) {
      octal.append(String.format(Locale.ROOT, "\\0%03o", b & 0xff));
    }
    return new ProcessBuilder(
        "/bin/sh", "-c", "eval \"$(printf %b \"$1\")\"", "sh", octal.toString());
  }

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
            "[kaldi] a command must succeed; got exit code %d of \"%s\"; see its messages.",
            status,
            command.strip()),
        null);
  }

  /** Waits for the process to end and returns its exit status. */
  static int exit(Process process) {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroy();
      throw new FileException(
          "[kaldi] waiting for a command must not be interrupted; got an interrupt; start again.",
          e);
    }
  }
}
