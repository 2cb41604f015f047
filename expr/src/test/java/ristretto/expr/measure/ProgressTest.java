package ristretto.expr.measure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ProgressTest {
  @Test
  void measuresAreShownNowAndThen() {
    var out = new ByteArrayOutputStream();
    var asked = new AtomicInteger();
    try (var progress = Progress.on(new PrintStream(out, true, UTF_8), "epoch 3", 50)) {
      progress.begin(10);
      for (int k = 10; k < 50; k++) {
        progress.step(() -> "accuracy 0." + asked.incrementAndGet());
      }
    }
    assertThat(out.toString(UTF_8)).contains("epoch 3").contains("50/50").contains("accuracy 0.1");
    assertThat(asked.get()).isLessThan(40);
  }

  @Test
  void anInvisibleBarReadsNoMeasures() {
    try (var progress = Progress.onError("epoch 3", 50, false)) {
      progress.begin(10);
      progress.step(() -> {
        throw new AssertionError("measures of an invisible bar");
      });
    }
  }
}
