package ristretto.symbolic.layers.operator;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.OnnxException;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.OnnxOperator;

/**
 * Connectionist temporal classification (Graves et al., 2006): negative log-probability of label
 * sequences, summed over all alignments, by the forward recursion in the log domain. Each time step
 * is one kernel, in both passes.
 */
public final class Ctc<T> extends Operator implements OnnxOperator {
  /** Columns beside the states, so that neighbors of each state are slices. */
  private static final long BESIDE = 2;

  private final Variable<T> logits;
  private final Variable<I32> labels;
  private final Variable<I32> steps;
  private final Variable<I32> lengths;
  private final int blank;
  private final boolean zeroInfinity;
  private final Variable<T> losses;

  /** Creates the operator; see {@link CtcFormula} for its inputs. */
  public Ctc(
      Variable<T> logits,
      Variable<I32> labels,
      Variable<I32> steps,
      Variable<I32> lengths,
      int blank,
      boolean zeroInfinity) {
    super("ctc", List.of(logits, labels, steps, lengths));
    this.logits = logits;
    this.labels = labels;
    this.steps = steps;
    this.lengths = lengths;
    this.blank = blank;
    this.zeroInfinity = zeroInfinity;
    if (logits.dims().rank() == 3 && logits.dims().at(2) != Dims.UNKNOWN) {
      CtcFormula.requireBlank(blank, logits.dims().at(2));
    }
    this.losses =
        output(logits.dtype(), Dims.of(logits.dims().rank() == 3 ? logits.dims().at(1) : -1));
  }

  /** Returns the losses, {@code [n]}. */
  public Variable<T> losses() {
    return losses;
  }

  private CtcFormula<T> formula(OperatorContext x) {
    return new CtcFormula<>(
        x.get(logits), x.get(labels), x.get(steps), x.get(lengths), blank, zeroInfinity);
  }

  /** Memory of one run. */
  private final class Memory {
    final OperatorContext x;
    final CtcFormula<T> formula;
    final long states;

    /** Log-probabilities of the states after each step, between impossible ones. */
    final Tensor<T> alpha;

    /** Log-probabilities of the states' classes in each step, before zeros. */
    final Tensor<T> emitted;

    /** True for states that may follow the state two before them, before false ones. */
    final Tensor<BOOL> skips;

    /** True for the states of each sequence. */
    final Tensor<BOOL> exists;

    final Tensor<I32> numbers;

    Memory(OperatorContext x) {
      this.x = x;
      this.formula = formula(x);
      this.states = formula.states();
      long count = formula.count();
      long n = formula.n();
      alpha = x.workspace("alpha", logits.dtype(), count, n, states + 2 * BESIDE);
      emitted = x.workspace("emitted", logits.dtype(), count, n, states + BESIDE);
      skips = x.workspace("skips", Ops.BOOL, n, states + BESIDE);
      exists = x.workspace("exists", Ops.BOOL, n, states);
      numbers = x.stepNumbers(count);
    }

    private Slice columns(long from) {
      return Ops.range(from, from + states);
    }

    /** Log-probabilities after a step, moved by a number of states. */
    Tensor<T> alpha(long t, long by) {
      return alpha.slice(Ops.at(t), Ops.all(), columns(BESIDE + by));
    }

    Tensor<T> emitted(long t, long by) {
      return emitted.slice(Ops.at(t), Ops.all(), columns(by));
    }

    Tensor<BOOL> skips(long by) {
      return skips.slice(Ops.all(), columns(by));
    }

    /** True for the sequences longer than {@code t} steps, {@code [n, 1]}. */
    Expr<BOOL> runs(long t) {
      return x.get(steps).unsqueeze(1).gt(numbers.slice(Ops.at(t)));
    }
  }

  private void check(OperatorContext x, CtcFormula<T> f) {
    long count = f.count();
    long most = f.most();
    long classes = f.classes();
    x.limit(
        steps,
        step -> step >= 1 && step <= count,
        step ->
            ("[ctc] each sequence must have from 1 step to the number of steps; got %s for %s"
                    + " steps in %s; cut the lengths, or pad the sequences.")
                .formatted(step, count, steps));
    x.limit(
        lengths,
        most,
        length ->
            ("[ctc] each sequence must have from 0 labels to the number of columns; got %s for %s"
                    + " columns in %s; correct the lengths, or pad the labels.")
                .formatted(length, most, lengths));
    x.check(List.of(labels, lengths), all -> requireLabels(all[0], all[1], most, classes));
  }

  /** Checks the labels within the length of each sequence. */
  private void requireLabels(int[] label, int[] length, long most, long classes) {
    for (int k = 0; k < label.length; k++) {
      boolean known = label[k] >= 0 && label[k] < classes && label[k] != blank;
      if (!known && k % most < length[(int) (k / most)]) {
        throw new ShapeException(
            ("[ctc] labels must be classes from 0 to %s, except %s for the blank; got %s in %s;"
                    + " correct the labels, or the number of labels of each sequence.")
                .formatted(classes - 1, blank, label[k], labels));
      }
    }
  }

  @Override
  protected void forward(OperatorContext x) {
    var m = new Memory(x);
    check(x, m.formula);
    CtcFormula<T> f = m.formula;
    long last = f.count() - 1;
    x.write(m.emitted, Ops.pad(f.emitted(), 0, 0, 0, 0, 0, BESIDE));
    x.write(m.exists, f.exists());
    x.write(m.skips, Ops.fill(Ops.BOOL, 0, m.skips.shape().toArray()));
    x.write(m.skips(0), f.skips());
    x.write(m.alpha, Ops.fill(logits.dtype(), CtcFormula.NEVER, m.alpha.shape().toArray()));
    x.write(m.alpha(0, 0), f.first(m.emitted(0, 0)));
    x.repeat(
        last,
        s ->
            x.write(
                m.alpha(s + 1, 0),
                CtcFormula.next(
                    m.alpha(s, 0),
                    m.alpha(s, -1),
                    m.alpha(s, -2),
                    m.emitted(s + 1, 0),
                    m.skips(0),
                    m.exists,
                    m.runs(s + 1))));
    x.assign(losses, f.losses(f.total(m.alpha(last, 0))));
  }

  @Override
  protected void backward(OperatorContext x) {
    if (!x.wantsGradient(logits)) {
      return;
    }
    var m = new Memory(x);
    CtcFormula<T> f = m.formula;
    long last = f.count() - 1;
    Tensor<T> gradients =
        x.workspace("gradients", logits.dtype(), f.count(), f.n(), m.states + BESIDE);
    x.write(gradients, Ops.fill(logits.dtype(), 0, gradients.shape().toArray()));
    Tensor<T> end = m.alpha(last, 0);
    x.write(
        gradients.slice(Ops.at(last), Ops.all(), m.columns(0)),
        f.shares(end, f.total(end)).times(x.gradient(losses).neg().unsqueeze(1)));
    x.repeat(last, s -> backwardStep(m, gradients, last - s));
    Expr<BOOL> counts = x.get(steps).reshape(1, f.n(), 1).gt(m.numbers);
    Expr<T> own = gradients.slice(Ops.all(), Ops.all(), m.columns(0));
    x.addGradients(f.emitted(), Ops.where(counts, own, 0), List.of(logits));
  }

  /** Propagates the gradients of the states after a step to those before it. */
  private void backwardStep(Memory m, Tensor<T> gradients, long t) {
    Tensor<T> before = m.alpha(t - 1, 0);
    Expr<T> sum = null;
    for (int by = 0; by <= BESIDE; by++) {
      Tensor<T> after = m.alpha(t, by);
      Expr<T> share = Ops.exp(before.plus(m.emitted(t, by)).minus(after));
      Expr<BOOL> follows = after.gt(CtcFormula.NEVER / 2);
      Expr<T> d = gradients.slice(Ops.at(t), Ops.all(), m.columns(by));
      Expr<T> part = Ops.where(by == 2 ? follows.and(m.skips(2)) : follows, d.times(share), 0);
      sum = sum == null ? part : sum.plus(part);
    }
    Expr<T> same = gradients.slice(Ops.at(t), Ops.all(), m.columns(0));
    m.x.write(
        gradients.slice(Ops.at(t - 1), Ops.all(), m.columns(0)), Ops.where(m.runs(t), sum, same));
  }

  @Override
  protected void backwardThrough(OperatorContext x) {
    x.addGradients(formula(x).unrolled(x::materialize), x.gradient(losses), List.of(logits));
  }

  @Override
  public void onnx(OnnxGraph graph) {
    throw new OnnxException(
        "[onnx] ONNX has no operator for the loss ctc; export the logits instead.");
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable == logits;
  }
}
