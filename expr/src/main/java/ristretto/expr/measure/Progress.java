package ristretto.expr.measure;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Progress bar of a training, with its current measures. */
public final class Progress implements AutoCloseable {
  private static final int WIDTH = 100;
  private static final int MILLIS = 250;

  private final ProgressBar bar;
  private long due = System.nanoTime();

  private Progress(ProgressBar bar) {
    this.bar = bar;
  }

  /**
   * Returns a progress bar on standard error if a terminal is attached; else an invisible one. With
   * {@code -Dristretto.progress=true}, as in notebooks, there is a bar in any case, and it stays at
   * the end.
   */
  public static Progress onTerminal(String task, long steps) {
    if (Boolean.getBoolean("ristretto.progress")) {
      return new Progress(builder(System.err, task, steps).build());
    }
    return onError(task, steps, System.console() != null && System.console().isTerminal());
  }

  /** Returns a progress bar on standard error; an invisible one unless {@code shown}. */
  public static Progress onError(String task, long steps, boolean shown) {
    return shown ? on(System.err, task, steps) : new Progress(null);
  }

  static Progress on(PrintStream out, String task, long steps) {
    return new Progress(builder(out, task, steps).clearDisplayOnFinish().build());
  }

  private static ProgressBarBuilder builder(PrintStream out, String task, long steps) {
    return new ProgressBarBuilder()
        .setTaskName(task)
        .setInitialMax(steps)
        .setStyle(ProgressBarStyle.ASCII)
        .setUpdateIntervalMillis(MILLIS)
        .setConsumer(new ConsoleProgressBarConsumer(out, WIDTH));
  }

  /** Sets the number of steps that an earlier run took. */
  public void begin(int steps) {
    if (bar != null) {
      bar.stepTo(steps);
    }
  }

  /**
   * Advances the bar by one step.
   *
   * @param measures supplier of the text beside the bar; called only when the bar is redrawn,
   *     because reading measures may wait for the device
   */
  public void step(Supplier<String> measures) {
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
