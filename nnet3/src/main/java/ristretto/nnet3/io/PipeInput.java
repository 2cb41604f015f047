package ristretto.nnet3.io;

import java.io.FilterInputStream;
import java.io.IOException;

/**
 * Output of a shell command. A failure of the command is detected at the end of the stream; if the
 * stream is closed earlier, the command is asked to stop and its exit status is ignored.
 */
final class PipeInput extends FilterInputStream {
  private final String command;
  private final Process process;
  private boolean ended;

  private PipeInput(String command, Process process) {
    super(process.getInputStream());
    this.command = command;
    this.process = process;
  }

  static PipeInput start(String command) {
    var builder =
        ShellCommands.shell(command)
            .redirectInput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    try {
      return new PipeInput(command.strip(), builder.start());
    } catch (IOException e) {
      throw ShellCommands.notStarted(command, e);
    }
  }

  @Override
  public int read() throws IOException {
    int c = super.read();
    if (c < 0) {
      end();
    }
    return c;
  }

  @Override
  public int read(byte[] to, int from, int length) throws IOException {
    int n = super.read(to, from, length);
    if (n < 0) {
      end();
    }
    return n;
  }

  private void end() {
    if (ended) {
      return;
    }
    ended = true;
    int status = ShellCommands.exit(process);
    if (status != 0) {
      throw ShellCommands.failed(command, status);
    }
  }

  @Override
  public void close() throws IOException {
    super.close();
    process.destroy();
  }
}
