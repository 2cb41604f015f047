package ristretto.nnet3.train;

import static ristretto.expr.Ops.at;

import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.UpdatableComponent;

/** Learning rates, l2 regularization and max-change of the components, in device memory. */
final class LearningRates {
  private final ParameterBuffer buffer;

  /** Index into {@link #learning} of each component, followed by parts of components. */
  private final Map<Component, Integer> places = new IdentityHashMap<>();

  private final Tensor<F32> learning;
  private final Tensor<F32> decay;
  private final Tensor<F32> maxChange;

  LearningRates(Context context, ParameterBuffer buffer) {
    this.buffer = buffer;
    Collection<UpdatableComponent> all = buffer.components().values();
    all.forEach(component -> places.put(component, places.size()));
    all.forEach(
        component -> component.updatableParts().forEach(part -> places.put(part, places.size())));
    int count = all.size();
    learning = context.tensor(new float[places.size()], places.size());
    decay = context.tensor(new float[count], count);
    maxChange = context.tensor(new float[count], count);
    refresh();
  }

  /** Uploads the components' current values. */
  void refresh() {
    List<UpdatableComponent> all = List.copyOf(buffer.components().values());
    float[] rates = new float[places.size()];
    places.forEach(
        (component, place) -> rates[place] = ((UpdatableComponent) component).learningRate());
    float[] decays = new float[all.size()];
    float[] limits = new float[all.size()];
    for (int k = 0; k < limits.length; k++) {
      decays[k] = -2 * rates[k] * all.get(k).l2Regularize();
      limits[k] = all.get(k).maxChange();
    }
    learning.context().copy(MemorySegment.ofArray(rates), learning);
    learning.context().copy(MemorySegment.ofArray(decays), decay);
    learning.context().copy(MemorySegment.ofArray(limits), maxChange);
  }

  /** Returns the learning rate of a component, a scalar. */
  Expr<F32> learning(Component component) {
    return learning.slice(at(places.get(component)));
  }

  /**
   * Returns the l2 decay of each component: the change relative to its parameters, per sequence of
   * a minibatch.
   */
  Tensor<F32> decay() {
    return decay;
  }

  /** Returns the max-change of each component: the largest norm of one change; 0 for no limit. */
  Tensor<F32> maxChange() {
    return maxChange;
  }
}
