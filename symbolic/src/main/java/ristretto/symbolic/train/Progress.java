package ristretto.symbolic.train;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A bar on standard error while an epoch runs, if somebody is looking. */
final class Progress implements AutoCloseable {
  private static final int WIDTH = 100;
  private static final int MILLIS = 250;

  private final ProgressBar bar;

  Progress(String task, long steps, boolean shown) {
    bar =
        shown
            ? new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(steps)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(MILLIS)
                .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
                .clearDisplayOnFinish()
                .build()
            : null;
  }

  static boolean isTerminal() {
    return System.console() != null && System.console().isTerminal();
  }

  void step(double loss) {
    if (bar != null) {
      bar.setExtraMessage("loss %.4f".formatted(loss));
      bar.step();
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
