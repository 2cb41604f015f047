package ristretto.nnet3.forward;

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
import ristretto.expr.F32;
import ristretto.expr.LExpr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.nnet3.Index;
import ristretto.nnet3.io.Matrix;

/**
 * One step of a component: what it reads, and what its formula is made with. Values have three
 * axes: places (t, x), sequences, columns.
 */
public final class Forward {
  /** Between the random numbers of the parts of a component; nodes are numbered below it. */
  private static final long PART = 1L << 32;

  private final Resident resident;
  private final Supplier<List<Columns>> gathered;
  private final List<Index> inputRows;
  private final List<Index> outputRows;
  private final List<Integer> numbers;
  private final long sequences;
  private final long stream;

  /** What forward leaves for backward, by name; null in a formula, which leaves nothing. */
  private final Map<String, Tensor<F32>> kept;

  private OfNode node;

  private Map<Index, Integer> places;
  private List<Columns> parts;
  private Expr<F32> x;

  /**
   * Some columns of what is gathered.
   *
   * @param dim how many
   * @param value null for zeros
   * @param factor of the value
   */
  public record Columns(int dim, Expr<F32> value, float factor) {
    /** Nothing but zeros. */
    public static Columns zeros(int dim) {
      return new Columns(dim, null, 1);
    }

    /** The value times the factor. */
    public Expr<F32> scaled() {
      return factor == 1 ? value : value.times(factor);
    }
  }

  /**
   * A step.
   *
   * @param parts what the descriptor gathers, from left to right; none if it gathers no rows
   * @param inputRows the places of its rows
   * @param outputRows the places of the rows to compute
   * @param numbers of the sequences: the n of a row is that of its place plus one of these
   * @param stream which random numbers the step draws
   */
  public Forward(
      Resident resident,
      List<Columns> parts,
      List<Index> inputRows,
      List<Index> outputRows,
      List<Integer> numbers,
      long stream) {
    this(resident, () -> parts, inputRows, outputRows, numbers, stream, new HashMap<>());
  }

  private Forward(
      Resident resident,
      Supplier<List<Columns>> gathered,
      List<Index> inputRows,
      List<Index> outputRows,
      List<Integer> numbers,
      long stream,
      Map<String, Tensor<F32>> kept) {
    this.resident = resident;
    this.gathered = gathered;
    this.inputRows = inputRows;
    this.outputRows = outputRows;
    this.numbers = numbers;
    this.sequences = numbers.size();
    this.stream = stream;
    this.kept = kept;
    this.node = new OfNode(outputRows);
  }

  /** The same step with another input, for a part of the component. */
  public Forward with(Expr<F32> other) {
    List<Columns> all =
        other == null ? List.of() : List.of(new Columns((int) other.shape().dim(2), other, 1));
    return new Forward(resident, () -> all, inputRows, outputRows, numbers, stream + PART, kept)
        .ofNode(node);
  }

  /** The same step, to be computed again from what is gathered then, if it is asked for. */
  public Forward again(Supplier<List<Columns>> other) {
    return new Forward(resident, other, inputRows, outputRows, numbers, stream, kept).ofNode(node);
  }

  /** The same step, of a node that has others. */
  public Forward ofNode(OfNode all) {
    node = all;
    return this;
  }

  /** The rows of the node in all its steps: those of this step are some of them. */
  public List<Index> nodeRows() {
    return node.rows();
  }

  /**
   * The same step as a formula of which derivatives can be taken: nothing is computed while it is
   * made, and each part of the input is an expression that stands nowhere else.
   */
  Forward formula() {
    List<Columns> leaves =
        parts().stream()
            .map(part ->
                part.value == null
                    ? part
                    : new Columns(part.dim, part.scaled().reshape(part.value.shape().toArray()), 1))
            .toList();
    return new Forward(resident, () -> leaves, inputRows, outputRows, numbers, stream, null)
        .ofNode(node);
  }

  /** What {@link #keep} computed. */
  public Expr<F32> kept(String name) {
    return kept.get(name);
  }

  /** What is gathered, from left to right. */
  public List<Columns> parts() {
    if (parts == null) {
      parts = gathered.get();
    }
    return parts;
  }

  /** Where everything lies. */
  Resident resident() {
    return resident;
  }

  /** Where a formula is computed. */
  public Context context() {
    return resident.context();
  }

  /** Computes a value now, once, for forward and backward; in a formula it is the value itself. */
  public Expr<F32> keep(String name, Supplier<Expr<F32>> value) {
    if (kept == null) {
      return value.get();
    }
    return kept.computeIfAbsent(name, _ -> resident.context().eval(value.get()));
  }

  /** All that is gathered. */
  public Expr<F32> x() {
    if (x == null) {
      x = append(parts().stream().map(this::filled).toList());
    }
    return x;
  }

  private Expr<F32> filled(Columns part) {
    return part.value != null ? part.scaled() : fill(F32, 0, inputRows.size(), sequences, part.dim);
  }

  /** Columns of what is gathered. */
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

  /** Columns of a value. */
  public static Expr<F32> columns(Expr<F32> a, long from, long to) {
    return from == 0 && to == a.shape().dim(2) ? a : a.slice(all(), all(), range(from, to));
  }

  /** Two values side by side. */
  public static Expr<F32> append(Expr<F32> a, Expr<F32> b) {
    return append(List.of(a, b));
  }

  /** Values side by side. */
  public static Expr<F32> append(List<Expr<F32>> parts) {
    return parts.size() == 1 ? parts.get(0) : concat(2, parts);
  }

  /** Whether computing the value again costs little: it has no products or reductions in it. */
  public static boolean isElementwise(Expr<F32> e) {
    var seen = Collections.newSetFromMap(new IdentityHashMap<Expr<?>, Boolean>());
    var open = new ArrayDeque<Expr<?>>();
    open.add(e);
    while (!open.isEmpty()) {
      Expr<?> next = open.poll();
      if (next instanceof LExpr) {
        return false;
      }
      if (!(next instanceof Tensor) && seen.add(next)) {
        open.addAll(next.inputs());
      }
    }
    return true;
  }

  /** The places of the rows to compute. */
  public List<Index> outputRows() {
    return outputRows;
  }

  /** The places of the rows of the input. */
  public List<Index> inputRows() {
    return inputRows;
  }

  /** How many rows a place has. */
  public long sequences() {
    return sequences;
  }

  /**
   * A number for each output row of each sequence, as a column that broadcasts.
   *
   * @param name of it, for the steps of the node, which share what it is for all rows
   */
  public Expr<F32> perRow(String name, ToDoubleFunction<Index> value) {
    return ofSteps(
        node.constant(
            stream + name, rows -> resident.perRow(rows, numbers, (int) sequences, value)));
  }

  /** The place of an input row, or -1. */
  public int place(Index row) {
    if (places == null) {
      places = new HashMap<>();
      for (int k = 0; k < inputRows.size(); k++) {
        places.put(inputRows.get(k), k);
      }
    }
    return places.getOrDefault(row, -1);
  }

  /** For each output row the input row that {@code where} names, zero if it is not there. */
  public Expr<F32> at(UnaryOperator<Index> where) {
    int[] map = outputRows.stream().mapToInt(row -> place(where.apply(row))).toArray();
    return rows(x(), map);
  }

  /** The same of another value of the input's rows. */
  public Expr<F32> at(Expr<F32> a, UnaryOperator<Index> where) {
    return rows(a, outputRows.stream().mapToInt(row -> place(where.apply(row))).toArray());
  }

  /** The transpose of {@link #at}: for each input row the sum of the output rows that read it. */
  public Expr<F32> spread(Expr<F32> rows, UnaryOperator<Index> where) {
    int[] map = outputRows.stream().mapToInt(row -> place(where.apply(row))).toArray();
    Expr<F32> sums = Transposed.read(resident, rows, map, 0, inputRows.size());
    return sums != null ? sums : fill(F32, 0, inputRows.size(), sequences, rows.shape().dim(2));
  }

  /** Rows of a value; zero for place -1. */
  public Expr<F32> rows(Expr<F32> a, int[] map) {
    return RowMap.of(map, (int) a.shape().dim(0)).read(resident, a);
  }

  /** A vector that stands for the same in each row. */
  public Tensor<F32> vector(float[] v) {
    return resident.vector(v);
  }

  /** A function of rows of {@code block} columns each, of which a row of {@code a} has some. */
  public Expr<F32> inBlocks(Expr<F32> a, long block, UnaryOperator<Expr<F32>> function) {
    long places = a.shape().dim(0);
    long dim = a.shape().dim(2);
    return dim == block
        ? function.apply(a)
        : function
            .apply(a.reshape(places, sequences, dim / block, block))
            .reshape(places, sequences, dim);
  }

  /** What is made of parameters on the host. */
  public Tensor<F32> derived(Object of, String what, Supplier<float[]> values, long... dims) {
    return resident.derived(of, what, values, dims);
  }

  /**
   * A matrix of parameters as an array of these extents, its axes in this order; arranged once if
   * nobody changes the parameters, else at each run.
   */
  public Tensor<F32> permuted(Matrix m, long[] dims, int... axes) {
    Expr<F32> value = matrix(m).reshape(dims).permute(axes);
    return resident.isPlaced(m.data())
        ? context().eval(value)
        : derived(
            m.data(),
            Arrays.toString(dims) + Arrays.toString(axes),
            () -> Permuted.of(m.data(), dims, axes),
            value.shape().toArray());
  }

  /** A vector of parameters several times over; made once if nobody changes the parameters. */
  public Tensor<F32> repeated(float[] v, int times) {
    Expr<F32> value =
        vector(v).unsqueeze(0).expand(times, v.length).reshape((long) times * v.length);
    return resident.isPlaced(v)
        ? context().eval(value)
        : derived(v, "times " + times, () -> Permuted.repeated(v, times), value.shape().toArray());
  }

  /** A matrix of parameters. */
  public Tensor<F32> matrix(Matrix m) {
    return resident.matrix(m);
  }

  /** A constant that depends on places only. */
  public Tensor<F32> constant(float[] values, long... dims) {
    return resident.context().tensor(values, dims);
  }

  /** {@code a w'}, in memory. */
  public Expr<F32> product(Expr<F32> a, Expr<F32> w) {
    long places = a.shape().dim(0);
    Expr<F32> rows = a.reshape(places * sequences, a.shape().dim(2));
    Expr<F32> product = dot(rows, w.t());
    Expr<F32> y = kept == null ? product : resident.context().eval(product);
    return y.reshape(places, sequences, w.shape().dim(0));
  }

  /** {@code x w' + bias}. */
  public Expr<F32> affine(Matrix w, float[] bias) {
    return affine(parts(), w, bias);
  }

  /** {@code a w' + bias}, where a is columns side by side. */
  public Expr<F32> affine(List<Columns> a, Matrix w, float[] bias) {
    if (kept == null) {
      return affine(append(a.stream().map(this::filled).toList()), w, bias);
    }
    Products products = Products.of(resident, w, outputRows.size() * sequences, a);
    long columns = products.columns();
    Tensor<F32> y = resident.context().empty(F32, outputRows.size() * sequences, columns);
    products.assign(y, a);
    Expr<F32> value = columns(y.reshape(outputRows.size(), sequences, columns), 0, w.rows());
    return bias.length == 0 ? value : value.plus(vector(bias));
  }

  /** {@code a w' + bias}. */
  public Expr<F32> affine(Expr<F32> a, Matrix w, float[] bias) {
    Expr<F32> y = product(a, matrix(w));
    return bias.length == 0 ? y : y.plus(vector(bias));
  }

  /** Columns of the input by number. */
  public Expr<F32> takeColumns(int[] map) {
    return take(x(), map, 2);
  }

  /** Elements by number, along an axis. */
  public Expr<F32> take(Expr<F32> a, int[] map, int axis) {
    return Ops.take(a, resident.indexes(map), axis);
  }

  /** A value of one row for each place and sequence. */
  public Expr<F32> everywhere(Expr<F32> row) {
    long dim = row.shape().dim(row.shape().rank() - 1);
    return row.reshape(1, 1, dim).expand(outputRows.size(), sequences, dim);
  }

  /**
   * Random numbers in [0, 1), others at each run of a computation. All steps of the node draw the
   * same, backwards too.
   */
  public Expr<F32> random(long... dims) {
    return uniform(F32, resident.seed().plus(stream * 0x9E3779B97F4A7C15L).reshape(), dims);
  }

  /** Random numbers for each output row and sequence, whatever the step. */
  public Expr<F32> randomRows(long columns) {
    return ofSteps(random(nodeRows().size(), sequences, columns));
  }

  /** Of a value for all rows of the node, the rows of this step. */
  public Expr<F32> ofSteps(Expr<F32> all) {
    return nodeRows() == outputRows || nodeRows().equals(outputRows)
        ? all
        : rows(all, node.places(outputRows));
  }

  @Override
  public String toString() {
    return "Forward[" + inputRows.size() + " -> " + outputRows.size() + ", " + sequences + "]";
  }

  /** Sums of input rows: for each output row those that {@code use} names. */
  public Expr<F32> sums(Expr<F32> a, List<int[]> use) {
    return RowSums.of(resident, a, use);
  }

  /** A number for each output row, as a column that broadcasts. */
  public Expr<F32> perRow(float[] values) {
    return constant(Arrays.copyOf(values, values.length), values.length, 1, 1);
  }
}
