package ristretto.spark.train;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import ristretto.expr.Context;
import ristretto.expr.type.Shape;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.train.NotFiniteException;

/** Model in a process, which trains on shards. */
public final class Trainee {
  /** Distance of the numbers of steps of shards, so that each has random numbers of its own. */
  private static final long STEPS = 1L << 40;

  private final Executor executor;
  private final Variable<?> loss;
  private final Optimizer optimizer;
  private final FlatTensors tensors;

  /** Creates a trainee. */
  public Trainee(Context ctx, Executor executor, Variable<?> loss, Optimizer optimizer) {
    this.executor = executor;
    this.loss = loss;
    this.optimizer = optimizer;
    this.tensors = new FlatTensors(ctx, executor.trainedTensors(optimizer));
  }

  /**
   * Trains on some batches of a shard.
   *
   * @param start tensors before
   * @param round the batches
   */
  RoundResult train(Shard shard, State start, Round round, Wire wire) {
    long[] counters = start.counters().clone();
    counters[tensors.step()] += shard.number() * STEPS;
    tensors.set(start.floats(), counters);
    int[] order = round.order(shard);
    List<Variable<?>> inputs = executor.inputs();
    long examples = 0;
    double sum = 0;
    for (int batch = round.from(); batch < round.to(); batch++) {
      int from = batch * round.batch();
      int count = Math.min(round.batch(), shard.rows() - from);
      if (count <= 0) {
        break;
      }
      for (int k = 0; k < inputs.size(); k++) {
        give(inputs.get(k), shard, k, order, from, count);
      }
      executor.step(loss, optimizer);
      double value = executor.tensor(loss).item();
      if (!Double.isFinite(value)) {
        throw new NotFiniteException(
            String.format(
                Locale.ROOT,
                "[train] the loss must be finite; got %s in epoch %d, batch %d of shard %d: %s;"
                    + " lower the rate, clip gradients, or correct the data or the operator.",
                value,
                round.epoch() + 1,
                batch + 1,
                shard.number(),
                executor.whyNotFinite(loss)));
      }
      sum += value * count;
      examples += count;
    }
    counters = tensors.counters();
    counters[tensors.step()] -= shard.number() * STEPS;
    byte[] floats = wire.encode(tensors.floats(), start.floats());
    return new RoundResult(shard.number(), examples, sum, floats, counters);
  }

  /** Copies the rows of a batch to an input. */
  private void give(Variable<?> input, Shard shard, int number, int[] order, int from, int count) {
    var rows = MemorySegment.ofArray(shard.inputs().get(number));
    long length = rows.byteSize() / shard.rows();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment batch = arena.allocate(Math.max(1, count * length), 8);
      for (int k = 0; k < count; k++) {
        MemorySegment.copy(rows, order[from + k] * length, batch, k * length, length);
      }
      executor.set(input, batch.asSlice(0, count * length), shape(input, count, length));
    }
  }

  private static Shape shape(Variable<?> input, int count, long bytes) {
    List<Long> extents = new ArrayList<>();
    long rest = bytes / input.dtype().bytes();
    for (int k = 1; k < input.dims().rank(); k++) {
      if (input.dims().at(k) > 0) {
        rest /= input.dims().at(k);
      }
    }
    extents.add((long) count);
    for (int k = 1; k < input.dims().rank(); k++) {
      extents.add(input.dims().at(k) < 0 ? rest : input.dims().at(k));
    }
    return Shape.of(extents.stream().mapToLong(Long::longValue).toArray());
  }
}
