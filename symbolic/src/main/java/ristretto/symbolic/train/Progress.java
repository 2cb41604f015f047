package ristretto.symbolic.train;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Progress bar with current measures, on standard error, during an epoch. */
final class Progress implements AutoCloseable {
  private static final int WIDTH = 100;
  private static final int MILLIS = 250;

  private final ProgressBar bar;
  private long due = System.nanoTime();

  private Progress(ProgressBar bar) {
    this.bar = bar;
  }

  /** Returns a progress bar; an invisible one unless a terminal is attached. */
  static Progress of(String task, long steps) {
    boolean seen = System.console() != null && System.console().isTerminal();
    return seen ? on(System.err, task, steps) : new Progress(null);
  }

  static Progress on(PrintStream out, String task, long steps) {
    return new Progress(
        new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(steps)
            .setStyle(ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(MILLIS)
            .setConsumer(new ConsoleProgressBarConsumer(out, WIDTH))
            .clearDisplayOnFinish()
            .build());
  }

  /**
   * Advances the bar by one step.
   *
   * @param measures supplier of the text beside the bar; called only when the bar is redrawn,
   *     because reading measures waits for the device
   */
  void step(Supplier<String> measures) {
    if (bar == null) {
      return;
    }
    if (System.nanoTime() - due >= 0) {
      bar.setExtraMessage(measures.get());
      due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS);
    }
    bar.step();
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
