package ristretto.nnet3.train;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.ChainStep;
import ristretto.nnet3.compile.ForwardBackward;
import ristretto.nnet3.egs.NnetIo;

/** Chain objectives of outputs, and cross-entropies of their twins. */
final class ChainObjectives implements StepObjectives<ChainExample> {
  private final Context context;
  private final ForwardBackward pass;
  private final boolean xent;
  private final Map<ChainExample.Output, ChainStep> steps = new LinkedHashMap<>();

  ChainObjectives(
      Context context, ForwardBackward pass, ChainExample like, ChainSteps make, boolean xent) {
    this.context = context;
    this.pass = pass;
    this.xent = xent;
    for (ChainExample.Output output : like.outputs()) {
      steps.put(output, make.step(output, pass.outputDim(output.name())));
    }
    supply(like);
  }

  /** Makes the steps of outputs. */
  @FunctionalInterface
  interface ChainSteps {
    /** Returns the step of an output of so many pdfs. */
    ChainStep step(ChainExample.Output output, int pdfs);
  }

  private void supply(ChainExample minibatch) {
    for (NnetIo input : minibatch.inputs()) {
      Tensor<F32> to = pass.inputs().get(input.name());
      MinibatchTensors.check(input, to.shape());
      context.copy(MemorySegment.ofArray(input.features().toMatrix().data()), to);
    }
  }

  @Override
  public void set(ChainExample minibatch) {
    supply(minibatch);
    int k = 0;
    for (ChainStep step : steps.values()) {
      step.set(minibatch.outputs().get(k++));
    }
  }

  @Override
  public Iterable<String> outputs() {
    List<String> names = new ArrayList<>();
    for (ChainExample.Output output : steps.keySet()) {
      names.add(output.name());
      if (xent) {
        names.add(output.xentName());
      }
    }
    return names;
  }

  @Override
  public boolean usesHost() {
    return true;
  }

  @Override
  public void compute(ObjectiveTotals totals, String suffix) {
    steps.forEach((output, step) -> {
      Tensor<F32> twin = xent ? pass.outputs().get(output.xentName()) : null;
      ChainStep.Values v = step.compute(pass.outputs().get(output.name()), twin);
      totals.add(
          output.name() + suffix, new ObjectiveTotals.Value(v.weight(), v.objective(), v.l2Term()));
      if (xent) {
        totals.add(output.xentName() + suffix, new ObjectiveTotals.Value(v.weight(), v.xent(), 0));
      }
    });
  }

  @Override
  public void assign(ObjectiveTotals totals, String suffix) {
    steps.forEach((output, step) -> {
      pass.derivative(output.name(), step.derivative(pass.outputs().get(output.name())));
      if (xent) {
        pass.derivative(output.xentName(), step.xentDerivative());
      }
    });
  }
}
