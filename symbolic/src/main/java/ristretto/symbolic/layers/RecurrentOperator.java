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
import ristretto.kernels.ShapeException;
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

  /**
   * Products of one step by gate.
   *
   * @param all products of the input, of the shared gates plus those of the previous output
   * @param ofLast products of the previous output for the other gates
   */
  private record Sums<T>(List<Expr<T>> all, List<Expr<T>> ofLast) {}

  /** Returns the width of the products of the shared gates. */
  private long shared() {
    return cell.shared() * hidden;
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
     * Products of the previous outputs for the gates after the shared ones, then their gradients,
     * {@code [steps, n, (gates - shared) * hidden]}; null if all gates are shared.
     */
    final Tensor<T> lastProducts;

    /** Products of one step's previous outputs, {@code [n, gates * hidden]}; null if all shared. */
    final Tensor<T> stepProducts;

    /** Time step numbers, {@code [steps, 1, 1]}; null without lengths. */
    final Tensor<I32> numbers;

    /** States before and after each step: {@code [steps + 1, n, hidden]}. */
    final List<Tensor<T>> states = new ArrayList<>();

    Memory(OperatorContext x) {
      this.x = x;
      Shape shape = x.get(in.input).shape();
      steps = shape.dim(0);
      n = shape.dim(1);
      requireSteps(shape);
      long width = cell.gates() * hidden;
      products = x.workspace("products", in.input.dtype(), steps, n, width);
      long apart = width - shared();
      boolean isSeparate = cell.separate();
      lastProducts =
          isSeparate ? x.workspace("lastProducts", in.input.dtype(), steps, n, apart) : null;
      stepProducts = isSeparate ? x.workspace("stepProducts", in.input.dtype(), n, width) : null;
      numbers = in.lengths.isPresent() ? x.stepNumbers(steps) : null;
      for (int k = 0; k < cell.states(); k++) {
        states.add(x.workspace("state" + k, in.input.dtype(), steps + 1, n, hidden));
      }
    }

    private void requireSteps(Shape shape) {
      if (steps == 0) {
        throw new ShapeException(
            "[%s] sequences must have at least one step; got %s of shape %s; pad them, or leave such batches out."
                .formatted(name(), in.input, shape));
      }
      in.lengths.ifPresent(lengths -> {
        Shape of = x.get(lengths).shape();
        if (of.size() != n) {
          throw new ShapeException(
              "[%s] there must be one length for each sequence; got %s for %s of shape %s; set the lengths of the same batch."
                  .formatted(name(), of, in.input, shape));
        }
      });
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

    /** Parts of each gate. */
    List<Tensor<T>> gates(Tensor<T> of, long t) {
      var parts = new ArrayList<Tensor<T>>();
      for (int g = 0; of != null && g < of.shape().dim(2) / hidden; g++) {
        parts.add(of.slice(Ops.at(t), Ops.all(), gate(g)));
      }
      return parts;
    }

    private Slice gate(int g) {
      return Ops.range(g * hidden, (g + 1) * hidden);
    }

    /**
     * Products of each gate with their bias. Without the products of the first gates, which another
     * tensor has, only their bias.
     */
    private List<Expr<T>> biased(List<? extends Expr<T>> parts, Variable<T> bias) {
      var biased = new ArrayList<Expr<T>>();
      int missing = cell.gates() - parts.size();
      for (int g = 0; g < cell.gates(); g++) {
        Expr<T> own = x.get(bias).slice(gate(g));
        biased.add(g < missing ? own : parts.get(g - missing).plus(own));
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

    /** Adds the stores of a step's products to the pairs, and returns the stored expressions. */
    Sums<T> store(Step step, List<Pair<?>> pairs) {
      var all = new ArrayList<Expr<T>>(step.products);
      var ofLast = new ArrayList<Expr<T>>();
      for (int g = 0; g < cell.gates(); g++) {
        Tensor<T> own = stepProducts.slice(Ops.all(), gate(g));
        if (g < cell.shared()) {
          all.set(g, step.products.get(g).plus(own));
          pairs.add(Pair.of(step.products.get(g), all.get(g)));
        } else {
          ofLast.add(own);
          pairs.add(Pair.of(step.lastProducts.get(g - cell.shared()), own));
        }
      }
      return new Sums<>(all, ofLast);
    }

    /**
     * Gradients of the previous output's products, of shared gates and then of others.
     *
     * @param d gradients of the products, {@code [any, gates * hidden]}
     * @param dLast gradients of the products stored separately
     */
    List<Expr<T>> ofLast(Tensor<T> d, Tensor<T> dLast) {
      if (!cell.separate()) {
        return List.of(d);
      }
      return cell.shared() == 0
          ? List.of(dLast)
          : List.of(d.slice(Ops.all(), Ops.range(0, shared())), dLast);
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
        return next(new Sums<>(List.copyOf(products), List.copyOf(lastProducts)));
      }

      /** Returns the states after this step, as expressions of products not yet stored. */
      List<Expr<T>> next(Sums<T> sums) {
        List<Expr<T>> ofLast =
            cell.separate() ? biased(sums.ofLast, in.lastBias.orElseThrow()) : List.of();
        List<Expr<T>> next = cell.next(biased(sums.all, in.bias), ofLast, List.copyOf(before));
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
    var pairs = new ArrayList<Pair<?>>();
    List<Expr<T>> next;
    if (cell.separate()) {
      // One kernel adds the products of the shared gates, and computes the states from the sums.
      x.write(m.stepProducts, product);
      Memory.Step step = m.step(t);
      next = step.next(m.store(step, pairs));
    } else {
      Tensor<T> both = m.products.slice(Ops.at(t));
      x.write(both, both.plus(product));
      next = m.step(t).next();
    }
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
    x.addGradient(
        in.input, Ops.dot(d, x.get(in.wx).t()).reshape(x.get(in.input).shape().toArray()));
    Expr<T> rows = x.get(in.input).reshape(m.steps * m.n, -1);
    x.addGradient(in.wx, Ops.dot(rows.t(), d));
    Expr<T> before = m.rows(m.all(0, false)).t();
    List<Expr<T>> parts = m.ofLast(d, cell.separate() ? m.rows(m.lastProducts) : d);
    x.addGradient(in.wh, Ops.concat(1, parts.stream().map(p -> Ops.dot(before, p)).toList()));
    x.addGradient(in.bias, Ops.sum(d, 0));
    in.lastBias.ifPresent(
        b -> x.addGradient(b, Ops.concat(0, parts.stream().map(p -> Ops.sum(p, 0)).toList())));
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
    Tensor<T> d = m.products.slice(Ops.at(t));
    Tensor<T> dLast = cell.separate() ? m.lastProducts.slice(Ops.at(t)) : d;
    long from = 0;
    for (Expr<T> part : m.ofLast(d, dLast)) {
      long to = from + part.shape().dim(1);
      Expr<T> wh = x.get(in.wh).slice(Ops.all(), Ops.range(from, to));
      Expr<T> through = Ops.dot(part, wh.t());
      x.write(carried.get(0), direct || from > 0 ? carried.get(0).plus(through) : through);
      from = to;
    }
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
