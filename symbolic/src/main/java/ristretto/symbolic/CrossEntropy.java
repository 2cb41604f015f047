package ristretto.symbolic;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.I32;
import ristretto.expr.Ops;

/**
 * Mean of {@code -log softmax(logits)[label]}: a row kernel and a mean forwards, a row kernel
 * backwards.
 */
final class CrossEntropy<T> extends Operator {
  private final Variable<T> logits;
  private final Variable<I32> labels;
  private final Variable<T> output;

  CrossEntropy(Variable<T> logits, Variable<I32> labels) {
    super("softmaxCrossEntropy", List.of(logits, labels));
    this.logits = logits;
    this.labels = labels;
    this.output = output(logits.dtype(), Probe.infer(name(), this::loss, inputs()));
  }

  Variable<T> output() {
    return output;
  }

  private Expr<T> loss(Values x) {
    return Ops.mean(Ops.sum(Ops.logSoftmax(x.get(logits), 1).times(target(x)), 1)).neg();
  }

  private Expr<T> target(Values x) {
    long classes = x.get(logits).shape().dim(1);
    return Ops.oneHot(logits.dtype(), x.get(labels), classes);
  }

  @Override
  protected void forward(Executor x) {
    x.assign(output, loss(x));
  }

  @Override
  void onnx(OnnxGraph graph) {
    graph.formula(output, this::loss);
  }

  @Override
  protected void backward(Executor x) {
    Expr<T> z = x.get(logits);
    Expr<T> weight = x.gradient(output).div(z.shape().dim(0));
    x.addGradient(logits, Ops.softmax(z, 1).minus(target(x)).times(weight));
  }
}
