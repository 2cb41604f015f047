package ristretto.nnet3.io;

import java.io.IOException;
import java.io.OutputStream;

/** A shell command that reads the bytes written. */
record PipeOutput(String command, Process process) implements ByteSink.Ending {
  static PipeOutput start(String command) {
    var builder =
        ShellCommands.shell(command)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    try {
      return new PipeOutput(command.strip(), builder.start());
    } catch (IOException e) {
      throw ShellCommands.notStarted(command, e);
    }
  }

  OutputStream stream() {
    return process.getOutputStream();
  }

  /** Closes the command's input and waits for the command, which must succeed. */
  @Override
  public void commit() throws IOException {
    stream().close();
    int status = ShellCommands.exit(process);
    if (status != 0) {
      throw ShellCommands.failed(command, status);
    }
  }

  @Override
  public void close() {
    process.destroy();
  }
}
