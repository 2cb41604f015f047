package ristretto.symbolic.decode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.MultiHeadAttention;

/**
 * Generation of a sequence by a language model with causal attention, symbol by symbol, with the
 * keys and values of earlier symbols in caches; see {@link MultiHeadAttention#step}.
 */
public final class Generation {
  private final Executor writer;
  private final Variable<I32> symbols;
  private final Variable<I32> position;
  private final Variable<F32> scores;
  private final List<MultiHeadAttention.Step<F32>> steps;
  private final double temperature;
  private final int top;

  /**
   * Creates a generation that samples from the model's probabilities.
   *
   * @param trained executor that owns the parameters
   * @param symbols input of the new symbols, {@code [1, any]}
   * @param position input of the number of earlier symbols, {@code [1]}
   * @param scores logits of the symbols that follow, {@code [1, any, vocabulary]}
   * @param steps applications of the attention layers
   */
  public Generation(
      Executor trained,
      Variable<I32> symbols,
      Variable<I32> position,
      Variable<F32> scores,
      List<MultiHeadAttention.Step<F32>> steps) {
    this(writer(trained, scores, steps), symbols, position, scores, List.copyOf(steps), 1, 0);
  }

  private Generation(
      Executor writer,
      Variable<I32> symbols,
      Variable<I32> position,
      Variable<F32> scores,
      List<MultiHeadAttention.Step<F32>> steps,
      double temperature,
      int top) {
    this.writer = writer;
    this.symbols = symbols;
    this.position = position;
    this.scores = scores;
    this.steps = steps;
    this.temperature = temperature;
    this.top = top;
  }

  private static Executor writer(
      Executor trained, Variable<F32> scores, List<MultiHeadAttention.Step<F32>> steps) {
    var outputs = new ArrayList<Variable<?>>(List.of(scores));
    steps.forEach(step -> outputs.addAll(step.next()));
    return trained.sharing(outputs.toArray(Variable<?>[]::new));
  }

  /**
   * Returns a generation that divides the logits by a temperature; 0 always takes the most probable
   * symbol.
   */
  public Generation temperature(double temperature) {
    if (!(temperature >= 0 && temperature < Double.POSITIVE_INFINITY)) {
      throw new ShapeException(
          "[generate] the temperature must be finite and at least 0; got " + temperature + ".");
    }
    return new Generation(writer, symbols, position, scores, steps, temperature, top);
  }

  /** Returns a generation that samples from the {@code count} most probable symbols only. */
  public Generation top(int count) {
    if (count < 1) {
      throw new ShapeException(
          "[generate] there must be at least 1 symbol to sample from; got " + count + ".");
    }
    return new Generation(writer, symbols, position, scores, steps, temperature, count);
  }

  /**
   * Generates symbols that follow a prompt.
   *
   * @param prompt at least one symbol
   * @param seed seed of the random numbers; the same seed yields the same symbols
   * @return the new symbols, without the prompt
   * @throws ShapeException if the caches have no room for the prompt and {@code count} symbols
   */
  public int[] sample(int[] prompt, int count, long seed) {
    long longest =
        steps.stream().mapToLong(step -> step.keys().dims().at(2)).min().orElse(Long.MAX_VALUE);
    if (prompt.length < 1 || count < 0 || prompt.length + (long) count > longest) {
      throw new ShapeException(
          ("[generate] the prompt must have a symbol, and the caches room for it and the new"
                  + " symbols; got %s and %s symbols for room for %s; enlarge the caches in step.")
              .formatted(prompt.length, count, longest));
    }
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    Context ctx = writer.tensor(writer.parameters().getFirst()).context();
    for (var step : steps) {
      step.cache().forEach(in -> clear(ctx, in));
    }
    var written = new int[count];
    int[] next = prompt;
    int at = 0;
    for (int k = 0; k < count; k++) {
      writer.set(symbols, ctx.tensor(next, 1, next.length));
      writer.set(position, ctx.tensor(new int[] {at}));
      writer.forward();
      for (var step : steps) {
        writer.set(step.keys(), writer.tensor(step.nextKeys()));
        writer.set(step.values(), writer.tensor(step.nextValues()));
      }
      at += next.length;
      written[k] = chosen(lastRow(next.length), random);
      next = new int[] {written[k]};
    }
    return written;
  }

  private void clear(Context ctx, Variable<F32> cache) {
    var dims = cache.dims();
    writer.set(cache, ctx.zeros(cache.dtype(), 1, dims.at(1), dims.at(2), dims.at(3)));
  }

  private float[] lastRow(int rows) {
    Tensor<F32> all = writer.tensor(scores);
    int width = (int) all.shape().dim(-1);
    return all.reshape(rows, width).slice(Ops.at(rows - 1)).toFloatArray();
  }

  private int chosen(float[] logits, RandomGenerator random) {
    Integer[] order = new Integer[logits.length];
    Arrays.setAll(order, k -> k);
    Arrays.sort(order, (a, b) -> Float.compare(logits[b], logits[a]));
    if (temperature == 0) {
      return order[0];
    }
    int candidates = top == 0 ? order.length : Math.min(top, order.length);
    var weights = new double[candidates];
    double sum = 0;
    for (int k = 0; k < candidates; k++) {
      weights[k] = Math.exp(((double) logits[order[k]] - logits[order[0]]) / temperature);
      sum += weights[k];
    }
    double left = random.nextDouble() * sum;
    for (int k = 0; k < candidates; k++) {
      left -= weights[k];
      if (left < 0) {
        return order[k];
      }
    }
    return order[0];
  }
}
