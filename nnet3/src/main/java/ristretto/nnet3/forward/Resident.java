package ristretto.nnet3.forward;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Supplier;
import ristretto.expr.Context;
import ristretto.expr.F32;
import ristretto.expr.I32;
import ristretto.expr.I64;
import ristretto.expr.Tensor;
import ristretto.nnet3.Choices;
import ristretto.nnet3.io.Matrix;

/**
 * What computations of one context keep there: parameters, each uploaded once, and index vectors.
 * Parameters are told apart by the arrays that hold them; an array whose elements change afterwards
 * is uploaded no second time.
 */
public final class Resident {
  private final Context context;
  private final Map<Object, Map<String, Tensor<F32>>> parameters = new IdentityHashMap<>();
  private final Map<float[], Tensor<F32>> placed = new IdentityHashMap<>();
  private final Map<Integers, Tensor<I32>> indexes = new HashMap<>();
  private final Tensor<I64> seed;
  private Choices choices = Choices.DEFAULT;

  private record Integers(int[] values) {
    @Override
    public boolean equals(Object o) {
      return o instanceof Integers other && Arrays.equals(values, other.values);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(values);
    }
  }

  /** Nothing yet. */
  public Resident(Context context) {
    this.context = context;
    this.seed = context.tensor(new long[] {0}, 1);
  }

  /** Where everything lies. */
  public Context context() {
    return context;
  }

  /** From here on, computations are made so. */
  public void choose(Choices how) {
    choices = how;
  }

  /** How computations are made. */
  public Choices choices() {
    return choices;
  }

  /** From here on, random numbers are those of this seed. */
  public void seed(long value) {
    context.copy(MemorySegment.ofArray(new long[] {value}), seed);
  }

  /** What random numbers come from; one that runs twice with one seed draws the same. */
  public Tensor<I64> seed() {
    return seed;
  }

  /** A matrix of parameters. */
  public Tensor<F32> matrix(Matrix m) {
    return parameter(m.data(), m.rows(), m.cols());
  }

  /** A vector of parameters. */
  public Tensor<F32> vector(float[] v) {
    return parameter(v, v.length);
  }

  private Tensor<F32> parameter(float[] v, long... dims) {
    return parameters
        .computeIfAbsent(v, _ -> new HashMap<>())
        .computeIfAbsent(
            "",
            _ -> {
              Tensor<F32> there = placed.get(v);
              return there == null ? context.tensor(v, dims) : there.reshape(dims);
            });
  }

  /** Says that the parameters of an array lie in memory already, as one row. */
  public void place(float[] v, Tensor<F32> memory) {
    placed.put(v, memory);
  }

  /** Whether parameters may change from run to run: they lie where somebody else writes them. */
  boolean isPlaced(float[] v) {
    return placed.containsKey(v);
  }

  /** A matrix or vector of parameters that was asked for before, or null. */
  Tensor<F32> parameter(float[] v) {
    return parameters.getOrDefault(v, Map.of()).get("");
  }

  /** What is made of parameters on the host, such as a scale of statistics. */
  public Tensor<F32> derived(Object of, String what, Supplier<float[]> values, long... dims) {
    return parameters
        .computeIfAbsent(of, _ -> new HashMap<>())
        .computeIfAbsent(what, _ -> context.tensor(values.get(), dims));
  }

  /** An index vector. */
  public Tensor<I32> indexes(int[] values) {
    return indexes.computeIfAbsent(
        new Integers(values), v -> context.tensor(v.values(), v.values().length));
  }
}
