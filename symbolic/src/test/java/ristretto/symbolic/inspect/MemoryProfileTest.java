package ristretto.symbolic.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.mean;
import static ristretto.symbolic.Layers.square;
import static ristretto.symbolic.Layers.tanh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.inspect.MemoryProfile.Launch;
import ristretto.symbolic.inspect.MemoryProfile.Temporary;
import ristretto.symbolic.optim.Optimizer;

class MemoryProfileTest {
  private static final Variable<F32> X = Variable.input("x", F32, -1, 40);
  private static final Variable<F32> LOSS =
      mean(square(dense("out", tanh(dense("in", tanh(dense("first", X, 50)), 30)), 1)));

  private static MemoryProfile byHand() {
    return new MemoryProfile(
        Map.of("parameters", 400L),
        List.of(
            new Launch("in", "forward", "gemm_f32"),
            new Launch("out", "forward", "map_mul"),
            new Launch("in", "backward", "map_add")),
        List.of(
            new Temporary("in", "forward", "f32", Shape.of(25), 100, 0, 2),
            new Temporary("out", "forward", "f32", Shape.of(75), 300, 1, 2),
            new Temporary("in", "backward", "f32", Shape.of(5), 20, 2, 2)));
  }

  @Test
  void temporariesAreThoseOfTheProgram() {
    try (var ctx = Context.open("cpu")) {
      var executor = new Executor(ctx, LOSS);
      for (int rows : new int[] {64, 1, 301}) {
        executor.set(X, Ops.uniform(F32, 3, rows, 40));
        Optimizer optimizer = Optimizer.momentum(r -> r.plus(0.01), 0.9, false);
        executor.step(LOSS, optimizer);
        MemoryProfile memory = executor.memory();
        long weights = 4 * (40 * 50 + 50 + 50 * 30 + 30 + 30 + 1);
        assertThat(memory.persistent())
            .containsEntry("parameters", weights)
            .containsEntry("states", 0L)
            .containsEntry("inputs", 4L * rows * 40);
        // Gradient and momentum of each parameter, the loss, and the number of steps.
        assertThat(memory.persistent().get("others")).isBetween(2 * weights + 4, 2 * weights + 100);
        assertThat(memory.launches()).hasSize(executor.explain().kernelCount());
        // Two activations are needed in the backward pass.
        assertThat(memory.peakBytes()).isBetween(4L * rows * (50 + 30), executor.temporaryBytes());
        assertThat(memory.peakByLayer().values().stream().mapToLong(v -> v).sum())
            .isEqualTo(memory.peakBytes());
        for (int k = 0; k < memory.launches().size(); k++) {
          assertThat(memory.liveBytes(k)).isLessThanOrEqualTo(memory.peakBytes());
        }
      }
    }
  }

  @Test
  void text() {
    MemoryProfile memory = byHand();
    assertThat(memory.peakLaunch()).isEqualTo(2);
    assertThat(memory.toString())
        .isEqualTo(
            """
            parameters  400 B
            persistent  400 B

            Most temporaries in kernel 3 of 3, map_add (in, backward):
            out          300 B  71.4 %
            in           120 B  28.6 %
            temporaries  420 B
            """);
    assertThat(new MemoryProfile(Map.of(), List.of(), List.of()).toString())
        .isEqualTo(
            """
            persistent  0 B
            temporaries  0 B
            """);
  }

  @Test
  void picture(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("memory.png");
    byHand().picture(file);
    try (var in = Files.newInputStream(file)) {
      var image = ImageIO.read(in);
      // The area of "in" is coloured below that of "out", and nothing is drawn above both.
      int x = image.getWidth() / 2;
      var colours = new java.util.LinkedHashSet<Integer>();
      for (int y = image.getHeight() * 3 / 4; y > image.getHeight() / 5; y--) {
        colours.add(image.getRGB(x, y));
      }
      assertThat(colours).hasSizeGreaterThan(2);
    }
    assertThatThrownBy(() -> byHand().picture(folder.resolve("memory.svg")))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[memory] the file name must end in .png; got "
                + folder.resolve("memory.svg")
                + "; rename the file.");
  }

  @Test
  void message() {
    try (var ctx = Context.open("cpu")) {
      var executor = new Executor(ctx, LOSS);
      assertThatThrownBy(executor::memory)
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[memory] the executor must have run before; got no run; call forward() or step.");
    }
  }
}
