package ristretto.nnet3.io;

import java.io.IOException;
import java.io.OutputStream;

/** A command of the shell that reads what is written. */
record PipeOutput(String command, Process process) implements ByteSink.Ending {
  static PipeOutput start(String command) {
    var builder =
        Commands.shell(command)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    try {
      return new PipeOutput(command.strip(), builder.start());
    } catch (IOException e) {
      throw Commands.notStarted(command, e);
    }
  }

  OutputStream stream() {
    return process.getOutputStream();
  }

  /** The command has all, and ends. */
  @Override
  public void commit() throws IOException {
    stream().close();
    int status = Commands.exit(process);
    if (status != 0) {
      throw Commands.failed(command, status);
    }
  }

  @Override
  public void close() {
    process.destroy();
  }
}
