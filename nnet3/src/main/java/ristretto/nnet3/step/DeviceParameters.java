package ristretto.nnet3.step;

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
import ristretto.expr.ProgramTemplate;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.nnet3.Index;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.matrix.Matrix;

/**
 * Tensors that the computations of one context share: parameters, each uploaded once, and index
 * vectors. Parameters are identified by their arrays; later changes of an array's elements are not
 * uploaded.
 */
public final class DeviceParameters {
  /** Minimum number of rows of a matrix for panels. */
  private static final int LEAST_PANEL = 16;

  private final Context context;
  private final Map<Object, Map<String, Tensor<F32>>> parameters = new IdentityHashMap<>();
  private final Map<float[], Tensor<F32>> placed = new IdentityHashMap<>();
  private final Map<Integers, Tensor<I32>> indexes = new HashMap<>();
  private final Tensor<I64> seed;
  private LoweringOptions lowering = LoweringOptions.DEFAULT;

  /** Numbers per row of the template being recorded; null outside of such a recording. */
  private List<PerRow> perRow;

  /**
   * Numbers per row for an unknown number of sequences.
   *
   * @param place placeholder in the template
   * @param values values for a number of sequences
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

  /** Creates an empty set. */
  public DeviceParameters(Context context) {
    this.context = context;
    this.seed = context.tensor(new long[] {0}, 1);
  }

  /** Returns the context of the tensors. */
  public Context context() {
    return context;
  }

  /** Sets the compilation choices of later computations. */
  public void lowering(LoweringOptions how) {
    lowering = how;
  }

  /** Returns the compilation choices. */
  public LoweringOptions lowering() {
    return lowering;
  }

  /** Sets the seed of random numbers. */
  public void seed(long value) {
    context.copy(MemorySegment.ofArray(new long[] {value}), seed);
  }

  /** Returns the seed of random numbers; two runs with the same seed draw the same numbers. */
  public Tensor<I64> seed() {
    return seed;
  }

  /** Returns a parameter matrix in device memory. */
  public Tensor<F32> matrix(Matrix m) {
    return parameter(m.data(), m.rows(), m.cols());
  }

  /** Returns a parameter vector in device memory. */
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
   * Returns the panel width with which products read the transpose of a parameter matrix fastest; 0
   * if panels do not pay off or the parameters may change.
   */
  int panelColumns(Matrix m) {
    return isPlaced(m.data()) || m.rows() < LEAST_PANEL ? 0 : context.panelColumns(m.rows());
  }

  /** Returns columns [from, to) of a parameter matrix, transposed and in panels; cached. */
  PanelMatrix panels(Matrix m, int from, int to, int columns) {
    return new PanelMatrix(
        derived(
            m.data(),
            "panels " + from + " " + to,
            () -> PanelMatrix.of(m, from, to, columns),
            Math.ceilDiv(m.rows(), columns),
            to - from,
            columns));
  }

  /** Registers the device memory of a parameter array, as one row. */
  public void place(float[] v, Tensor<F32> memory) {
    placed.put(v, memory);
  }

  /**
   * Returns true if the parameters may change from run to run, because they are in registered
   * memory that others write.
   */
  boolean isPlaced(float[] v) {
    return placed.containsKey(v);
  }

  /** Returns the tensor of a parameter that was requested before; null otherwise. */
  Tensor<F32> parameter(float[] v) {
    return parameters.getOrDefault(v, Map.of()).get("");
  }

  /**
   * Returns a tensor computed from parameters on the host, such as a scale from statistics; cached.
   */
  public Tensor<F32> derived(Object of, String what, Supplier<float[]> values, long... dims) {
    return parameters
        .computeIfAbsent(of, _ -> new HashMap<>())
        .computeIfAbsent(what, _ -> context.tensor(values.get(), dims));
  }

  /**
   * Returns a number for each row and sequence, {@code [rows, sequences, 1]}.
   *
   * @param numbers the n of each sequence; 0, 1, ... instead if their count is unknown
   */
  Tensor<F32> perRow(
      List<Index> rows, List<Integer> numbers, int count, ToDoubleFunction<Index> value) {
    if (!ProgramTemplate.isKnown(count)) {
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

  /**
   * Starts, with a list, or ends, with null, the recording of a template; numbers per row are added
   * to the list.
   */
  public void collect(List<PerRow> all) {
    perRow = all;
  }

  /** Returns an index vector; cached. */
  public Tensor<I32> indexes(int[] values) {
    return indexes.computeIfAbsent(
        new Integers(values), v -> context.tensor(v.values(), v.values().length));
  }
}
