package ristretto.symbolic.layers.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.automaton.AutomatonInput;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Values;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.OnnxException;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.OnnxOperator;

/**
 * Logarithm of the sum over the paths of automata, {@code [n]}: the weight of a path times the
 * exponentials of the logits of its classes, one per step. Forward and backward probabilities are
 * logarithms, less the logarithm of their sum in each step. A leaky automaton may jump from each
 * state to any other after each step, and at the start, with the coefficient times the weight of
 * starting there.
 *
 * <p>Source: "Purely sequence-trained neural networks for ASR based on lattice-free MMI", Povey et
 * al., 2016.
 */
public final class PathSums<T> extends Operator implements OnnxOperator {
  /** Logarithm of the weight of what is impossible; finite, so that no difference becomes NaN. */
  public static final double NEVER = AutomatonInput.NEVER;

  private final Variable<T> logits;
  private final AutomatonInput<T> automata;
  private final double leaky;
  private final Variable<T> totals;

  /**
   * Creates the operator.
   *
   * @param logits {@code [steps, n, classes]}
   * @param leaky coefficient of jumps; 0 for none
   */
  public PathSums(Variable<T> logits, AutomatonInput<T> automata, double leaky) {
    super("pathSums", inputs(logits, automata));
    this.logits = logits;
    this.automata = automata;
    this.leaky = leaky;
    this.totals =
        output(logits.dtype(), Dims.of(logits.dims().rank() == 3 ? logits.dims().at(1) : -1));
  }

  private static List<Variable<?>> inputs(Variable<?> logits, AutomatonInput<?> automata) {
    List<Variable<?>> all = new ArrayList<>(List.of(logits));
    all.addAll(automata.all());
    return all;
  }

  /** Returns the logarithms of the sums, {@code [n]}. */
  public Variable<T> totals() {
    return totals;
  }

  /** Expressions for the values of one run. */
  private final class Formula {
    final Values x;
    final Expr<T> scores;
    final long steps;
    final long n;
    final long classes;
    final long states;

    Formula(Values x) {
      this.x = x;
      scores = x.get(logits);
      Shape of = scores.shape();
      Shape with = x.get(automata.starts()).shape();
      if (of.rank() != 3 || of.dim(0) < 1 || with.dim(0) != 1 && with.dim(0) != of.dim(1)) {
        throw new ShapeException(
            ("[lfmmi] logits must be [steps, n, classes] with at least one step, and automata n or"
                    + " one; got %s and %s automata; permute the logits, or give an automaton for"
                    + " each sequence.")
                .formatted(of, with.dim(0)));
      }
      steps = of.dim(0);
      n = of.dim(1);
      classes = of.dim(2);
      states = with.dim(1);
    }

    /** Elements of the last axis, by sequence: {@code values[n, m], places[n, ...] -> [n, ...]}. */
    private Expr<T> gathered(Expr<T> values, Expr<I32> places) {
      long[] dims = places.shape().toArray();
      long size = dims[1] * dims[2];
      Expr<T> all =
          dims[0] == 1
              ? Ops.take(values, places.reshape(size), 1)
              : Ops.takeAlongAxis(values, places.reshape(n, size), 1);
      return all.reshape(n, dims[1], dims[2]);
    }

    private Expr<T> scores(long t) {
      return scores.slice(Ops.at(t));
    }

    Expr<T> starts() {
      return x.get(automata.starts()).expand(n, states);
    }

    private Expr<T> jumpWeights() {
      return starts().plus(Math.log(leaky));
    }

    /** Adds the jumps to normalized forward probabilities. */
    Expr<T> withJumps(Expr<T> alpha) {
      return leaky == 0 ? alpha : Ops.logAddExp(alpha, jumpWeights());
    }

    /** Backward probabilities before the jumps, from those after them. */
    Expr<T> beforeJumps(Expr<T> beta) {
      return leaky == 0
          ? beta
          : Ops.logAddExp(beta, logSum(beta.plus(jumpWeights()), 1).unsqueeze(1));
    }

    /** Forward probabilities after a step, not normalized. */
    Expr<T> next(Expr<T> before, long t) {
      Expr<T> terms =
          gathered(before, x.get(automata.sources()))
              .plus(gathered(scores(t), x.get(automata.entering())))
              .plus(x.get(automata.enteringWeights()));
      return logSum(terms, 2);
    }

    /** Logarithms of the weights of what follows each state, by transition. */
    Expr<T> following(Expr<T> after, long t) {
      return gathered(after, x.get(automata.targets()))
          .plus(gathered(scores(t), x.get(automata.leaving())))
          .plus(x.get(automata.leavingWeights()));
    }

    Expr<T> ends(Expr<T> last) {
      return withJumps(last).plus(x.get(automata.ends()));
    }

    /** Sums over the transitions of each class: {@code [n, states, places] -> [n, classes]}. */
    Expr<T> byClass(Expr<T> shares) {
      Expr<I64> row = Ops.coordinate(shares.shape(), 0).times(classes);
      Expr<I64> place = x.get(automata.leaving()).cast(Ops.I64).plus(row);
      long size = shares.shape().size();
      return Ops.scatterAdd(Shape.of(n * classes), 0, place.reshape(size), shares.reshape(size))
          .reshape(n, classes);
    }

    /** Totals by expressions unrolled over the steps; {@code stored} stores those of a step. */
    Expr<T> unrolled(UnaryOperator<Expr<T>> stored) {
      Expr<T> alpha = starts();
      Expr<T> total = null;
      for (long t = 0; t <= steps; t++) {
        Expr<T> raw = t == 0 ? alpha : stored.apply(next(withJumps(alpha), t - 1));
        Expr<T> norm = stored.apply(logSum(raw, 1));
        total = total == null ? norm : total.plus(norm);
        alpha = raw.minus(norm.unsqueeze(1));
      }
      return total.plus(logSum(ends(alpha), 1));
    }
  }

  private static <T> Expr<T> logSum(Expr<T> a, int axis) {
    Expr<T> most = Ops.stopGradient(Ops.max(a, axis));
    return most.plus(Ops.log(Ops.sum(Ops.exp(a.minus(most.unsqueeze(axis))), axis)));
  }

  /** Memory of one run. */
  private final class Memory {
    final Formula f;

    /** Normalized forward probabilities before each step, and at the end. */
    final Tensor<T> alpha;

    /** Logarithms by which they were divided. */
    final Tensor<T> norms;

    Memory(OperatorContext x) {
      f = new Formula(x);
      alpha = x.workspace("alpha", logits.dtype(), f.steps + 1, f.n, f.states);
      norms = x.workspace("norms", logits.dtype(), f.steps + 1, f.n);
    }

    Tensor<T> alpha(long t) {
      return alpha.slice(Ops.at(t));
    }

    Tensor<T> norms(long t) {
      return norms.slice(Ops.at(t));
    }
  }

  private void normalize(OperatorContext x, Memory m, long t) {
    x.write(m.norms(t), logSum(m.alpha(t), 1));
    x.write(m.alpha(t), m.alpha(t).minus(m.norms(t).unsqueeze(1)));
  }

  @Override
  protected void forward(OperatorContext x) {
    var m = new Memory(x);
    Formula f = m.f;
    for (Variable<I32> of : List.of(automata.entering(), automata.leaving())) {
      x.limit(
          of,
          f.classes - 1,
          number ->
              "[lfmmi] classes of automata must be columns of the logits, 0 to %s; got %s; use the automata of this network's classes."
                  .formatted(f.classes - 1, number));
    }
    x.write(m.alpha(0), f.starts());
    normalize(x, m, 0);
    x.repeat(
        f.steps,
        t -> {
          x.write(m.alpha(t + 1), f.next(f.withJumps(m.alpha(t)), t));
          normalize(x, m, t + 1);
        });
    x.assign(totals, Ops.sum(m.norms, 0).plus(logSum(f.ends(m.alpha(f.steps)), 1)));
  }

  @Override
  protected void backward(OperatorContext x) {
    if (!x.wantsGradient(logits)) {
      return;
    }
    var m = new Memory(x);
    Formula f = m.f;
    Tensor<T> beta = x.workspace("beta", logits.dtype(), f.steps + 1, f.n, f.states);
    Tensor<T> shares = x.workspace("shares", logits.dtype(), f.steps, f.n, f.classes);
    Expr<T> ends = f.ends(m.alpha(f.steps));
    Expr<T> total = logSum(ends, 1);
    Expr<BOOL> possible = total.plus(Ops.sum(m.norms, 0)).gt(NEVER / 2);
    Expr<T> last = x.get(automata.ends()).minus(total.unsqueeze(1));
    x.write(beta.slice(Ops.at(f.steps)), f.beforeJumps(last));
    x.repeat(
        f.steps,
        s -> {
          long t = f.steps - 1 - s;
          Expr<T> norm = m.norms(t + 1).unsqueeze(1);
          Expr<T> after = f.following(beta.slice(Ops.at(t + 1)), t);
          Expr<T> alpha = f.withJumps(m.alpha(t));
          x.write(
              shares.slice(Ops.at(t)),
              f.byClass(Ops.exp(after.plus(alpha.unsqueeze(2)).minus(norm.unsqueeze(2)))));
          x.write(beta.slice(Ops.at(t)), f.beforeJumps(logSum(after, 2).minus(norm)));
        });
    Expr<T> d = Ops.where(possible, x.gradient(totals), 0).reshape(1, f.n, 1);
    x.addGradient(logits, Ops.where(possible.reshape(1, f.n, 1), shares, 0).times(d));
  }

  @Override
  protected void backwardThrough(OperatorContext x) {
    x.addGradients(new Formula(x).unrolled(x::materialize), x.gradient(totals), List.of(logits));
  }

  @Override
  public void onnx(OnnxGraph graph) {
    throw new OnnxException(
        "[onnx] ONNX has no operator for the loss lfmmi; export the logits instead.");
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable != totals;
  }
}
