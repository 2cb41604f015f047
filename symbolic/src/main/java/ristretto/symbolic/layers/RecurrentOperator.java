package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.RightFactors;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.OnnxException;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.OnnxOperator;

/**
 * One layer of a recurrent network over a sequence, in one direction. The products of all inputs
 * are one matrix product; each time step is another matrix product and one kernel, in both passes;
 * the gradient of each weight is one matrix product.
 */
final class RecurrentOperator<T> extends Operator implements OnnxOperator, RightFactors {
  /**
   * Inputs of the layer.
   *
   * @param input {@code [steps, n, in]}
   * @param wx {@code [in, gates * hidden]}
   * @param wh {@code [hidden, gates * hidden]}
   * @param bias bias of the products of the input, {@code [gates * hidden]}
   * @param lastBias bias of the products of the previous output, {@code [gates * hidden]}; empty
   *     unless the cell takes separate products
   * @param lengths sequence lengths, {@code [n]}; empty if all steps count
   * @param initial initial states, {@code [n, hidden]} each; zeros if empty
   */
  record Inputs<T>(
      Variable<T> input,
      Variable<T> wx,
      Variable<T> wh,
      Variable<T> bias,
      Optional<Variable<T>> lastBias,
      Optional<Variable<I32>> lengths,
      List<Variable<T>> initial) {
    List<Variable<?>> all() {
      var all = new ArrayList<Variable<?>>(List.of(input, wx, wh, bias));
      lastBias.ifPresent(all::add);
      lengths.ifPresent(all::add);
      all.addAll(initial);
      return all;
    }
  }

  private final Cell cell;
  private final Inputs<T> in;
  private final boolean reverse;
  private final long hidden;
  private final Variable<T> outputs;
  private final List<Variable<T>> last = new ArrayList<>();

  RecurrentOperator(String name, Cell cell, Inputs<T> in, boolean reverse) {
    super(name, in.all());
    this.cell = cell;
    this.in = in;
    this.reverse = reverse;
    this.hidden = in.wh.dims().at(0);
    Dims dims = in.input.dims();
    outputs = output(in.input.dtype(), Dims.of(dims.at(0), dims.at(1), hidden));
    for (int k = 0; k < cell.states(); k++) {
      last.add(output(in.input.dtype(), Dims.of(dims.at(1), hidden)));
    }
  }

  /** Returns the outputs of all steps, {@code [steps, n, hidden]}. */
  Variable<T> all() {
    return outputs;
  }

  /** Returns the states after the last step, {@code [n, hidden]} each. */
  List<Variable<T>> last() {
    return last;
  }

  @Override
  public List<Variable<?>> rightFactors() {
    return List.of(in.wx, in.wh);
  }

  /** Memory of one run. */
  private final class Memory {
    final OperatorContext x;
    final long steps;
    final long n;

    /**
     * Products of the inputs, then their sum with those of the previous outputs, then the gradients
     * of the sum; {@code [steps, n, gates * hidden]}.
     */
    final Tensor<T> products;

    /**
     * Products of the previous outputs, then their gradients, if stored separately; otherwise null.
     */
    final Tensor<T> lastProducts;

    /** Time step numbers, {@code [steps, 1, 1]}; null without lengths. */
    final Tensor<I32> numbers;

    /** States before and after each step: {@code [steps + 1, n, hidden]}. */
    final List<Tensor<T>> states = new ArrayList<>();

    Memory(OperatorContext x) {
      this.x = x;
      Shape shape = x.get(in.input).shape();
      steps = shape.dim(0);
      n = shape.dim(1);
      long width = cell.gates() * hidden;
      products = x.workspace("products", in.input.dtype(), steps, n, width);
      lastProducts =
          cell.separate() ? x.workspace("lastProducts", in.input.dtype(), steps, n, width) : null;
      numbers = in.lengths.isPresent() ? x.stepNumbers(steps) : null;
      for (int k = 0; k < cell.states(); k++) {
        states.add(x.workspace("state" + k, in.input.dtype(), steps + 1, n, hidden));
      }
    }

    long before(long t) {
      return reverse ? t + 1 : t;
    }

    long after(long t) {
      return reverse ? t : t + 1;
    }

    Tensor<T> state(int k, long at) {
      return states.get(k).slice(Ops.at(at));
    }

    /** Returns the states before or after all steps, {@code [steps, n, hidden]}. */
    Tensor<T> all(int k, boolean after) {
      long from = after == reverse ? 0 : 1;
      return states.get(k).slice(Ops.range(from, from + steps));
    }

    List<Tensor<T>> gates(Tensor<T> of, long t) {
      var parts = new ArrayList<Tensor<T>>();
      for (int g = 0; of != null && g < cell.gates(); g++) {
        parts.add(of.slice(Ops.at(t), Ops.all(), gate(g)));
      }
      return parts;
    }

    private Slice gate(int g) {
      return Ops.range(g * hidden, (g + 1) * hidden);
    }

    private List<Expr<T>> biased(List<Tensor<T>> parts, Variable<T> bias) {
      var biased = new ArrayList<Expr<T>>();
      for (Tensor<T> part : parts) {
        biased.add(part.plus(x.get(bias).slice(gate(biased.size()))));
      }
      return biased;
    }

    List<Tensor<T>> statesAt(long at) {
      var all = new ArrayList<Tensor<T>>();
      for (int k = 0; k < cell.states(); k++) {
        all.add(state(k, at));
      }
      return all;
    }

    Tensor<T> rows(Tensor<T> sequence) {
      return sequence.reshape(steps * n, sequence.shape().dim(2));
    }

    /** Mask of the sequences longer than {@code t} steps, {@code [n, 1]}. */
    Expr<BOOL> counts(long t) {
      return x.get(in.lengths.orElseThrow()).reshape(n, 1).gt(numbers.slice(Ops.at(t)));
    }

    /** Mask of the steps within the lengths, {@code [steps, n, 1]}. */
    Expr<BOOL> counting() {
      return x.get(in.lengths.orElseThrow()).reshape(1, n, 1).gt(numbers);
    }

    Step step(long t) {
      return new Step(t, gates(products, t), gates(lastProducts, t), statesAt(before(t)));
    }

    /** Operands of time step {@code t}. */
    private final class Step {
      final long t;
      final List<Tensor<T>> products;
      final List<Tensor<T>> lastProducts;
      final List<Tensor<T>> before;

      Step(long t, List<Tensor<T>> products, List<Tensor<T>> lastProducts, List<Tensor<T>> before) {
        this.t = t;
        this.products = products;
        this.lastProducts = lastProducts;
        this.before = before;
      }

      /** Returns the states after this step, as expressions of its operands. */
      List<Expr<T>> next() {
        List<Expr<T>> ofLast =
            cell.separate() ? biased(lastProducts, in.lastBias.orElseThrow()) : List.of();
        List<Expr<T>> next = cell.next(biased(products, in.bias), ofLast, List.copyOf(before));
        if (in.lengths.isEmpty()) {
          return next;
        }
        var masked = new ArrayList<Expr<T>>();
        for (int k = 0; k < next.size(); k++) {
          masked.add(Ops.where(counts(t), next.get(k), before.get(k)));
        }
        return masked;
      }
    }
  }

  @Override
  protected void forward(OperatorContext x) {
    var m = new Memory(x);
    Expr<T> rows = x.get(in.input).reshape(m.steps * m.n, -1);
    x.write(m.rows(m.products), Ops.dot(rows, x.get(in.wx)));
    in.lengths.ifPresent(lengths -> x.limit(lengths, m.steps));
    long first = m.before(reverse ? m.steps - 1 : 0);
    for (int k = 0; k < cell.states(); k++) {
      Expr<T> start =
          in.initial.isEmpty()
              ? Ops.fill(in.input.dtype(), 0, m.n, hidden)
              : x.get(in.initial.get(k));
      x.write(m.state(k, first), start);
    }
    x.repeat(m.steps, s -> forwardStep(x, m, reverse ? m.steps - 1 - s : s));
    Expr<T> all = m.all(0, true);
    x.assign(outputs, in.lengths.isEmpty() ? all : Ops.where(m.counting(), all, 0));
    for (int k = 0; k < last.size(); k++) {
      x.assign(last.get(k), m.state(k, m.after(reverse ? 0 : m.steps - 1)));
    }
  }

  private void forwardStep(OperatorContext x, Memory m, long t) {
    Expr<T> product = Ops.dot(m.state(0, m.before(t)), x.get(in.wh));
    if (cell.separate()) {
      x.write(m.lastProducts.slice(Ops.at(t)), product);
    } else {
      Tensor<T> both = m.products.slice(Ops.at(t));
      x.write(both, both.plus(product));
    }
    List<Expr<T>> next = m.step(t).next();
    var pairs = new ArrayList<Pair<?>>();
    for (int k = 0; k < next.size(); k++) {
      pairs.add(Pair.of(m.state(k, m.after(t)), next.get(k)));
    }
    x.writeAll(pairs);
  }

  @Override
  protected void backward(OperatorContext x) {
    var m = new Memory(x);
    Expr<T> dy = x.materialize(x.gradient(outputs));
    var carried = new ArrayList<Tensor<T>>();
    for (int k = 0; k < cell.states(); k++) {
      Tensor<T> d = x.workspace("gradient" + k, in.input.dtype(), m.n, hidden);
      x.write(d, x.gradient(last.get(k)));
      carried.add(d);
    }
    x.repeat(m.steps, s -> backwardStep(x, m, reverse ? s : m.steps - 1 - s, dy, carried));
    for (int k = 0; k < in.initial.size(); k++) {
      x.addGradient(in.initial.get(k), carried.get(k));
    }
    Tensor<T> d = m.rows(m.products);
    Tensor<T> dLast = cell.separate() ? m.rows(m.lastProducts) : d;
    x.addGradient(
        in.input, Ops.dot(d, x.get(in.wx).t()).reshape(x.get(in.input).shape().toArray()));
    Expr<T> rows = x.get(in.input).reshape(m.steps * m.n, -1);
    x.addGradient(in.wx, Ops.dot(rows.t(), d));
    x.addGradient(in.wh, Ops.dot(m.rows(m.all(0, false)).t(), dLast));
    x.addGradient(in.bias, Ops.sum(d, 0));
    in.lastBias.ifPresent(b -> x.addGradient(b, Ops.sum(dLast, 0)));
  }

  @Override
  protected void backwardThrough(OperatorContext x) {
    var formula = new RecurrentFormula<>(x, cell, in, reverse);
    if (x.isCrossed(outputs)) {
      x.addGradients(formula.all(), x.gradient(outputs), inputs());
    }
    for (int k = 0; k < last.size(); k++) {
      if (x.isCrossed(last.get(k))) {
        x.addGradients(formula.last(k, reverse), x.gradient(last.get(k)), inputs());
      }
    }
  }

  /**
   * Overwrites the products of a step with their gradients, and propagates the gradients of the
   * states to the previous step.
   */
  private void backwardStep(
      OperatorContext x, Memory m, long t, Expr<T> dy, List<Tensor<T>> carried) {
    Memory.Step step = m.step(t);
    var products = new ArrayList<Tensor<T>>(step.products);
    products.addAll(step.lastProducts);
    List<Tensor<T>> before = step.before;
    var wanted = new ArrayList<Tensor<T>>(products);
    wanted.addAll(before);
    List<Expr<T>> next = step.next();
    // Differentiates the weighted sum of all states at once, since they share subexpressions.
    Expr<T> weighted = null;
    for (int k = 0; k < next.size(); k++) {
      Expr<T> d = carried.get(k);
      if (k == 0) {
        Expr<T> here = dy.slice(Ops.at(t));
        d = d.plus(in.lengths.isEmpty() ? here : Ops.where(m.counts(t), here, 0));
      }
      Expr<T> part = next.get(k).times(d);
      weighted = weighted == null ? part : weighted.plus(part);
    }
    Expr<T> one = Ops.fill(weighted.dtype(), 1, weighted.shape().toArray());
    @SuppressWarnings("unchecked")
    var sums = (List<Expr<T>>) (List<?>) Gradients.partial(weighted, one, wanted);
    var pairs = new ArrayList<Pair<?>>();
    for (int i = 0; i < products.size(); i++) {
      pairs.add(Pair.of(products.get(i), sums.get(i)));
    }
    boolean direct = !sums.get(products.size()).inputs().isEmpty();
    for (int k = direct ? 0 : 1; k < before.size(); k++) {
      pairs.add(Pair.of(carried.get(k), sums.get(products.size() + k)));
    }
    x.writeAll(pairs);
    Tensor<T> d = cell.separate() ? m.lastProducts : m.products;
    Expr<T> through = Ops.dot(d.slice(Ops.at(t)), x.get(in.wh).t());
    x.write(carried.get(0), direct ? carried.get(0).plus(through) : through);
  }

  @Override
  public void onnx(OnnxGraph graph) {
    OnnxCellType known =
        cell.onnx()
            .orElseThrow(() ->
                new OnnxException(
                    "[onnx] a cell must be built in; got "
                        + name()
                        + ", which uses a user-defined class; export the variables before it."));
    new OnnxRecurrent<>(graph, known, in, reverse).put(outputs, last);
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable == in.input || variable == in.wx || variable == in.wh;
  }
}
