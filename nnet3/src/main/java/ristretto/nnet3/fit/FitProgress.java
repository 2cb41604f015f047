package ristretto.nnet3.fit;

import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Progress bar on standard error; does nothing if not shown. */
final class FitProgress implements AutoCloseable {
  private static final int WIDTH = 100;
  private static final int MILLIS = 250;

  private final ProgressBar bar;

  FitProgress(String task, long steps, boolean shown) {
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

  /** Sets the number of steps taken before. */
  void begin(int steps) {
    if (bar != null) {
      bar.stepTo(steps);
    }
  }

  void step(double objective) {
    if (bar != null) {
      bar.setExtraMessage(String.format(Locale.ROOT, "objective %.4f", objective));
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
