package ristretto.nnet3.forward;

import static ristretto.expr.Ops.F32;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import ristretto.expr.Context;
import ristretto.expr.F32;
import ristretto.expr.I32;
import ristretto.expr.I64;
import ristretto.expr.ProgramTemplate;
import ristretto.expr.Tensor;
import ristretto.nnet3.Choices;
import ristretto.nnet3.Index;
import ristretto.nnet3.io.Matrix;

/**
 * What computations of one context keep there: parameters, each uploaded once, and index vectors.
 * Parameters are told apart by the arrays that hold them; an array whose elements change afterwards
 * is uploaded no second time.
 */
public final class Resident {
  /** Rows of a matrix below which it is not worth it. */
  private static final int LEAST_PANEL = 16;

  private final Context context;
  private final Map<Object, Map<String, Tensor<F32>>> parameters = new IdentityHashMap<>();
  private final Map<float[], Tensor<F32>> placed = new IdentityHashMap<>();
  private final Map<Integers, Tensor<I32>> indexes = new HashMap<>();
  private final Tensor<I64> seed;
  private Choices choices = Choices.DEFAULT;

  /** Of a recording for a number of sequences that is not known; null outside of such. */
  private List<PerRow> perRow;

  /**
   * Numbers of rows of a number of sequences that is not known.
   *
   * @param place stands for them
   * @param values of as many sequences
   */
  public record PerRow(Tensor<F32> place, IntFunction<Tensor<F32>> values) {}

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

  /**
   * Columns of panels in which products read the transpose of a matrix of parameters best; 0 if
   * they do not, or if the parameters may change.
   */
  int panelColumns(Matrix m) {
    return isPlaced(m.data()) || m.rows() < LEAST_PANEL ? 0 : context.panelColumns(m.rows());
  }

  /** The transpose of some columns of a matrix of parameters in panels. */
  Panels panels(Matrix m, int from, int to, int columns) {
    return new Panels(
        derived(
            m.data(),
            "panels " + from + " " + to,
            () -> Panels.of(m, from, to, columns),
            Math.ceilDiv(m.rows(), columns),
            to - from,
            columns));
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

  /**
   * A number for each row of each sequence.
   *
   * @param numbers of the sequences; those below {@code count} if that is not known
   */
  Tensor<F32> perRow(
      List<Index> rows, List<Integer> numbers, int count, ToDoubleFunction<Index> value) {
    if (count == ProgramTemplate.STAND_IN) {
      Tensor<F32> place = context.empty(F32, rows.size(), count, 1);
      perRow.add(
          new PerRow(place, n -> perRow(rows, IntStream.range(0, n).boxed().toList(), n, value)));
      return place;
    }
    var values = new float[rows.size() * count];
    int k = 0;
    for (Index row : rows) {
      for (int n : numbers) {
        values[k++] = (float) value.applyAsDouble(new Index(row.n() + n, row.t(), row.x()));
      }
    }
    return context.tensor(values, rows.size(), count, 1);
  }

  /** Begins, with a list, or ends, with null, a recording in which there are such numbers. */
  public void collect(List<PerRow> all) {
    perRow = all;
  }

  /** An index vector. */
  public Tensor<I32> indexes(int[] values) {
    return indexes.computeIfAbsent(
        new Integers(values), v -> context.tensor(v.values(), v.values().length));
  }
}
