package ristretto.nnet3.step;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.concat;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.uniform;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Index;
import ristretto.nnet3.matrix.Matrix;

/**
 * Forward context of one step of a component: its input, and operations to build its output. Values
 * have three dimensions: rows (t, x), sequences, columns.
 */
public final class ForwardStep {
  /**
   * Offset between the random streams of a component's parts; streams of nodes are numbered below
   * it.
   */
  private static final long PART = 1L << 32;

  private final DeviceParameters deviceParameters;
  private final Supplier<List<Columns>> gathered;
  private final List<Index> inputRows;
  private final List<Index> outputRows;
  private final List<Integer> numbers;
  private final long sequences;
  private final long stream;

  /** Values kept for backward, by name; null in a formula, which keeps none. */
  private final Map<String, Tensor<F32>> kept;

  private NodeConstants node;

  private Map<Index, Integer> places;
  private List<Columns> parts;
  private Expr<F32> x;

  /**
   * Columns of the gathered input.
   *
   * @param dim number of columns
   * @param value {@code [rows, sequences, dim]}; null for zeros
   * @param factor to multiply the value with
   */
  public record Columns(int dim, Expr<F32> value, float factor) {
    /** Returns columns of zeros. */
    public static Columns zeros(int dim) {
      return new Columns(dim, null, 1);
    }

    /** Returns the value times the factor. */
    public Expr<F32> scaled() {
      return factor == 1 ? value : value.times(factor);
    }
  }

  /**
   * Creates the context of a step.
   *
   * @param parts result of the descriptor, from left to right; empty if it gathers no rows
   * @param inputRows rows of the input, without the sequence
   * @param outputRows rows to compute, without the sequence
   * @param numbers the n of each sequence, added to the n of a row
   * @param stream number of the step's random stream
   */
  public ForwardStep(
      DeviceParameters deviceParameters,
      List<Columns> parts,
      List<Index> inputRows,
      List<Index> outputRows,
      List<Integer> numbers,
      long stream) {
    this(deviceParameters, () -> parts, inputRows, outputRows, numbers, stream, new HashMap<>());
  }

  private ForwardStep(
      DeviceParameters deviceParameters,
      Supplier<List<Columns>> gathered,
      List<Index> inputRows,
      List<Index> outputRows,
      List<Integer> numbers,
      long stream,
      Map<String, Tensor<F32>> kept) {
    this.deviceParameters = deviceParameters;
    this.gathered = gathered;
    this.inputRows = inputRows;
    this.outputRows = outputRows;
    this.numbers = numbers;
    this.sequences = numbers.size();
    this.stream = stream;
    this.kept = kept;
    this.node = new NodeConstants(outputRows);
  }

  /** Returns the context of a part of the component, with another input and random stream. */
  public ForwardStep with(Expr<F32> other) {
    List<Columns> all =
        other == null ? List.of() : List.of(new Columns((int) other.shape().dim(2), other, 1));
    return new ForwardStep(
            deviceParameters, () -> all, inputRows, outputRows, numbers, stream + PART, kept)
        .ofNode(node);
  }

  /** Returns a context that recomputes the step, with input that is gathered on first use. */
  public ForwardStep recomputed(Supplier<List<Columns>> other) {
    return new ForwardStep(deviceParameters, other, inputRows, outputRows, numbers, stream, kept)
        .ofNode(node);
  }

  /** Sets the data shared by all steps of the node, and returns this context. */
  public ForwardStep ofNode(NodeConstants all) {
    node = all;
    return this;
  }

  /** Returns the rows of the node in all of its steps, including those of this step. */
  public List<Index> nodeRows() {
    return node.rows();
  }

  /**
   * Returns the step as a differentiable formula: nothing is evaluated while the formula is built,
   * and each part of the input is an expression of its own.
   */
  ForwardStep formula() {
    List<Columns> leaves =
        parts().stream()
            .map(part ->
                part.value == null
                    ? part
                    : new Columns(part.dim, part.scaled().reshape(part.value.shape().toArray()), 1))
            .toList();
    return new ForwardStep(
            deviceParameters, () -> leaves, inputRows, outputRows, numbers, stream, null)
        .ofNode(node);
  }

  /** Returns the value that {@link #keep} computed. */
  public Expr<F32> kept(String name) {
    return kept.get(name);
  }

  /** Returns the gathered input, from left to right. */
  public List<Columns> parts() {
    if (parts == null) {
      parts = gathered.get();
    }
    return parts;
  }

  /** Returns the tensors shared by all steps. */
  DeviceParameters deviceParameters() {
    return deviceParameters;
  }

  /** Returns the context in which the component is computed. */
  public Context context() {
    return deviceParameters.context();
  }

  /** Evaluates a value once, for forward and backward; in a formula, returns the value as it is. */
  public Expr<F32> keep(String name, Supplier<Expr<F32>> value) {
    if (kept == null) {
      return value.get();
    }
    return kept.computeIfAbsent(name, _ -> deviceParameters.context().eval(value.get()));
  }

  /** Returns the whole input, {@code [input rows, sequences, dim]}. */
  public Expr<F32> x() {
    if (x == null) {
      x = append(parts().stream().map(this::filled).toList());
    }
    return x;
  }

  private Expr<F32> filled(Columns part) {
    return part.value != null ? part.scaled() : fill(F32, 0, inputRows.size(), sequences, part.dim);
  }

  /** Returns columns [from, to) of the input. */
  public Expr<F32> x(long from, long to) {
    long first = 0;
    for (Columns part : parts()) {
      if (first <= from && to <= first + part.dim) {
        return columns(filled(part), from - first, to - first);
      }
      first += part.dim;
    }
    return columns(x(), from, to);
  }

  /** Returns columns [from, to) of a value. */
  public static Expr<F32> columns(Expr<F32> a, long from, long to) {
    return from == 0 && to == a.shape().dim(2) ? a : a.slice(all(), all(), range(from, to));
  }

  /** Concatenates the columns of two values. */
  public static Expr<F32> append(Expr<F32> a, Expr<F32> b) {
    return append(List.of(a, b));
  }

  /** Concatenates the columns of values. */
  public static Expr<F32> append(List<Expr<F32>> parts) {
    return parts.size() == 1 ? parts.get(0) : concat(2, parts);
  }

  /**
   * Returns true if the expression has no products or reductions, so that recomputing it is cheap.
   */
  public static boolean isElementwise(Expr<F32> e) {
    var seen = Collections.newSetFromMap(new IdentityHashMap<Expr<?>, Boolean>());
    var open = new ArrayDeque<Expr<?>>();
    open.add(e);
    while (!open.isEmpty()) {
      Expr<?> next = open.poll();
      if (next.isBarrier()) {
        return false;
      }
      if (!(next instanceof Tensor) && seen.add(next)) {
        open.addAll(next.inputs());
      }
    }
    return true;
  }

  /** Returns the rows to compute, without the sequence. */
  public List<Index> outputRows() {
    return outputRows;
  }

  /** Returns the rows of the input, without the sequence. */
  public List<Index> inputRows() {
    return inputRows;
  }

  /** Returns the number of sequences. */
  public long sequences() {
    return sequences;
  }

  /**
   * Returns a number for each output row and sequence, {@code [output rows, sequences, 1]}.
   *
   * @param name cache key: the steps of the node share the numbers of all rows
   */
  public Expr<F32> perRow(String name, ToDoubleFunction<Index> value) {
    return ofSteps(
        node.constant(
            stream + name, rows -> deviceParameters.perRow(rows, numbers, (int) sequences, value)));
  }

  /** Returns the position of an input row, or -1. */
  public int place(Index row) {
    if (places == null) {
      places = new HashMap<>();
      for (int k = 0; k < inputRows.size(); k++) {
        places.put(inputRows.get(k), k);
      }
    }
    return places.getOrDefault(row, -1);
  }

  /**
   * Gathers, for each output row, the input row that {@code where} returns; zeros if there is no
   * such row.
   */
  public Expr<F32> at(UnaryOperator<Index> where) {
    int[] map = outputRows.stream().mapToInt(row -> place(where.apply(row))).toArray();
    return rows(x(), map);
  }

  /** Transpose of {@link #at}: for each input row, the sum of the output rows that read it. */
  public Expr<F32> spread(Expr<F32> rows, UnaryOperator<Index> where) {
    int[] map = outputRows.stream().mapToInt(row -> place(where.apply(row))).toArray();
    Expr<F32> sums = TransposedGather.read(deviceParameters, rows, map, 0, inputRows.size());
    return sums != null ? sums : fill(F32, 0, inputRows.size(), sequences, rows.shape().dim(2));
  }

  /** Gathers rows of a value; zeros for position -1. */
  public Expr<F32> rows(Expr<F32> a, int[] map) {
    return RowMap.of(map, (int) a.shape().dim(0)).read(deviceParameters, a);
  }

  /** Returns a parameter vector in device memory. */
  public Tensor<F32> vector(float[] v) {
    return deviceParameters.vector(v);
  }

  /**
   * Applies a function to blocks of columns, each block as a row of its own.
   *
   * @param block number of columns per block; divides the dimension of {@code a}
   */
  public Expr<F32> inBlocks(Expr<F32> a, long block, UnaryOperator<Expr<F32>> function) {
    long places = a.shape().dim(0);
    long dim = a.shape().dim(2);
    return dim == block
        ? function.apply(a)
        : function
            .apply(a.reshape(places, sequences, dim / block, block))
            .reshape(places, sequences, dim);
  }

  /** Returns a tensor computed from parameters on the host; cached. */
  public Tensor<F32> derived(Object of, String what, Supplier<float[]> values, long... dims) {
    return deviceParameters.derived(of, what, values, dims);
  }

  /**
   * Returns a parameter matrix reshaped to {@code dims}, with dimensions permuted to {@code axes};
   * computed once if parameters are constant, else at each run.
   */
  public Tensor<F32> permuted(Matrix m, long[] dims, int... axes) {
    Expr<F32> value = matrix(m).reshape(dims).permute(axes);
    return deviceParameters.isPlaced(m.data())
        ? context().eval(value)
        : derived(
            m.data(),
            Arrays.toString(dims) + Arrays.toString(axes),
            () -> HostArrays.of(m.data(), dims, axes),
            value.shape().toArray());
  }

  /**
   * Returns a parameter vector repeated {@code times} times; computed once if parameters are
   * constant, else at each run.
   */
  public Tensor<F32> repeated(float[] v, int times) {
    Expr<F32> value =
        vector(v).unsqueeze(0).expand(times, v.length).reshape((long) times * v.length);
    return deviceParameters.isPlaced(v)
        ? context().eval(value)
        : derived(
            v, "times " + times, () -> HostArrays.repeated(v, times), value.shape().toArray());
  }

  /** Returns a parameter matrix in device memory. */
  public Tensor<F32> matrix(Matrix m) {
    return deviceParameters.matrix(m);
  }

  /** Returns a constant that depends on rows only, not on sequences. */
  public Tensor<F32> constant(float[] values, long... dims) {
    return deviceParameters.context().tensor(values, dims);
  }

  /**
   * Returns {@code a w'}, {@code a[rows, sequences, d], w[k, d] -> [rows, sequences, k]}, evaluated
   * except in a formula.
   */
  public Expr<F32> product(Expr<F32> a, Expr<F32> w) {
    long places = a.shape().dim(0);
    Expr<F32> rows = a.reshape(places * sequences, a.shape().dim(2));
    Expr<F32> product = dot(rows, w.t());
    Expr<F32> y = kept == null ? product : deviceParameters.context().eval(product);
    return y.reshape(places, sequences, w.shape().dim(0));
  }

  /** Returns {@code x w' + bias}, with x the input. */
  public Expr<F32> affine(Matrix w, float[] bias) {
    return affine(parts(), w, bias);
  }

  /** Returns {@code a w' + bias}, with a the concatenated columns. */
  public Expr<F32> affine(List<Columns> a, Matrix w, float[] bias) {
    if (kept == null) {
      return affine(append(a.stream().map(this::filled).toList()), w, bias);
    }
    ColumnProducts products =
        ColumnProducts.of(deviceParameters, w, outputRows.size() * sequences, a);
    long columns = products.columns();
    Tensor<F32> y = deviceParameters.context().empty(F32, outputRows.size() * sequences, columns);
    products.assign(y, a);
    Expr<F32> value = columns(y.reshape(outputRows.size(), sequences, columns), 0, w.rows());
    return bias.length == 0 ? value : value.plus(vector(bias));
  }

  /** Returns {@code a w' + bias}. */
  public Expr<F32> affine(Expr<F32> a, Matrix w, float[] bias) {
    Expr<F32> y = product(a, matrix(w));
    return bias.length == 0 ? y : y.plus(vector(bias));
  }

  /** Gathers columns of the input by number. */
  public Expr<F32> takeColumns(int[] map) {
    return take(x(), map, 2);
  }

  /** Gathers elements by number, along a dimension. */
  public Expr<F32> take(Expr<F32> a, int[] map, int axis) {
    return Ops.take(a, deviceParameters.indexes(map), axis);
  }

  /** Broadcasts one row to {@code [output rows, sequences, dim]}. */
  public Expr<F32> everywhere(Expr<F32> row) {
    long dim = row.shape().dim(row.shape().rank() - 1);
    return row.reshape(1, 1, dim).expand(outputRows.size(), sequences, dim);
  }

  /**
   * Returns random numbers in [0, 1), different ones at each run. All steps of the node draw the
   * same numbers, in backward as well.
   */
  public Expr<F32> random(long... dims) {
    return uniform(F32, deviceParameters.seed().plus(stream * 0x9E3779B97F4A7C15L).reshape(), dims);
  }

  /**
   * Returns random numbers in [0, 1) for each output row and sequence, independent of the split
   * into steps.
   */
  public Expr<F32> randomRows(long columns) {
    return ofSteps(random(nodeRows().size(), sequences, columns));
  }

  /** Selects this step's rows from a value with all rows of the node. */
  public Expr<F32> ofSteps(Expr<F32> all) {
    return nodeRows() == outputRows || nodeRows().equals(outputRows)
        ? all
        : rows(all, node.places(outputRows));
  }

  @Override
  public String toString() {
    return "Forward[" + inputRows.size() + " -> " + outputRows.size() + ", " + sequences + "]";
  }

  /** Sums input rows: for each output row, the rows that {@code use} lists. */
  public Expr<F32> sums(Expr<F32> a, List<int[]> use) {
    return RowSums.of(deviceParameters, a, use);
  }

  /** Returns a number for each output row, as a column that broadcasts. */
  public Expr<F32> perRow(float[] values) {
    return constant(Arrays.copyOf(values, values.length), values.length, 1, 1);
  }
}
