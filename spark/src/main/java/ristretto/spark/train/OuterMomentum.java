package ristretto.spark.train;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.symbolic.optim.OuterStep;

/**
 * Nesterov momentum of averages (DiLoCo, Douillard et al., 2023): the change of an average from the
 * last one is taken as a gradient. Other tensors than parameters are averaged only.
 */
public final class OuterMomentum {
  private final OuterStep step;
  private final List<int[]> places;
  private float[] velocity;
  private boolean fresh = true;

  /**
   * Creates the momentum, with velocity zero.
   *
   * @param parameters names of the parameters
   */
  public OuterMomentum(OuterStep step, FlatTensors tensors, List<String> parameters) {
    this.step = step;
    this.places = parameters.stream().map(tensors::place).filter(p -> p != null).toList();
    this.velocity = new float[places.stream().mapToInt(p -> p[1] - p[0]).sum()];
  }

  /** Returns the state after a round, given that before and the average. */
  public State apply(State start, State average) {
    fresh = false;
    float[] floats = average.floats().clone();
    int v = 0;
    for (int[] place : places) {
      step.apply(start.floats(), floats, place[0], place[1], velocity, v);
      v += place[1] - place[0];
    }
    return new State(floats, average.counters());
  }

  /** Writes the velocity after an epoch, and removes that of the epoch before the last. */
  public void save(Context ctx, Path folder, int epoch) {
    ctx.saveAll(file(folder, epoch), Map.of("velocity", ctx.tensor(velocity, velocity.length)));
    try {
      Files.deleteIfExists(file(folder, epoch - 2));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads the velocity after an epoch, unless rounds have changed it already or there is none. */
  public void load(Context ctx, Path folder, int epoch) {
    Path file = file(folder, epoch);
    if (fresh && Files.exists(file)) {
      velocity = ctx.loadAll(file).get("velocity").as(Ops.F32).toFloatArray();
    }
  }

  private static Path file(Path folder, int epoch) {
    return folder.resolve("outer-" + epoch + ".safetensors");
  }
}
