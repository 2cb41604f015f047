package ristretto.nnet3.train;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.range;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/**
 * One buffer for all parameters of a network, and one for their changes, so that an update of all
 * parameters takes few kernels. Each component starts at a new block.
 */
final class ParameterBuffer {
  /** Elements per block: few enough for little padding at the end of each component. */
  private static final int BLOCK = 256;

  /** Alignment of arrays in elements: 64 bytes. */
  private static final int ALIGNMENT = 16;

  private final Context context;
  private final Map<String, UpdatableComponent> components = new LinkedHashMap<>();
  private final Map<Component, Integer> numbers = new IdentityHashMap<>();
  private final Map<float[], Long> places = new IdentityHashMap<>();
  private final Tensor<F32> values;
  private final Tensor<F32> change;
  private final Tensor<I32> componentOfBlock;

  /**
   * Creates the buffer of a network that does not share its arrays, and registers the parameters'
   * memory in {@code deviceParameters}.
   */
  ParameterBuffer(DeviceParameters deviceParameters, Nnet nnet) {
    context = deviceParameters.context();
    nnet.components()
        .forEach((name, component) -> {
          if (component instanceof UpdatableComponent updatable && updatable.parameterCount() > 0) {
            numbers.put(component, numbers.size());
            components.put(name, updatable);
          }
        });
    var owners = new ArrayList<Integer>();
    long at = 0;
    for (UpdatableComponent component : components.values()) {
      for (float[] array : component.parameters()) {
        places.put(array, at);
        at += (array.length + ALIGNMENT - 1L) / ALIGNMENT * ALIGNMENT;
      }
      at = (at + BLOCK - 1) / BLOCK * BLOCK;
      owners.addAll(
          Collections.nCopies((int) (at / BLOCK) - owners.size(), numbers.get(component)));
    }
    var all = new float[Math.toIntExact(at)];
    places.forEach(
        (array, place) -> System.arraycopy(array, 0, all, place.intValue(), array.length));
    values = context.tensor(all, owners.size(), BLOCK);
    change = context.zeros(F32, owners.size(), BLOCK);
    componentOfBlock =
        context.tensor(owners.stream().mapToInt(Integer::intValue).toArray(), owners.size());
    places.keySet().forEach(array -> deviceParameters.place(array, value(array)));
  }

  /** Returns the components with parameters, by name. */
  Map<String, UpdatableComponent> components() {
    return components;
  }

  /** Returns the parameters, {@code [blocks, BLOCK]}. */
  Tensor<F32> values() {
    return values;
  }

  /** Returns the changes, {@code [blocks, BLOCK]}, initially zero. */
  Tensor<F32> change() {
    return change;
  }

  /** Returns the component number of each block. */
  Tensor<I32> componentOfBlock() {
    return componentOfBlock;
  }

  /** Returns the device memory of a parameter array. */
  Tensor<F32> value(float[] array) {
    return part(values, array);
  }

  /** Returns the change of a parameter array. */
  Tensor<F32> change(float[] array) {
    return part(change, array);
  }

  private Tensor<F32> part(Tensor<F32> of, float[] array) {
    long at = places.get(array);
    return of.reshape(of.shape().size()).slice(range(at, at + array.length));
  }

  /** Returns the parameter arrays. */
  List<float[]> arrays() {
    return List.copyOf(places.keySet());
  }

  /** Fetches the current values of all parameters, in new arrays, by the original array. */
  Map<float[], float[]> fetch() {
    float[] all = values.toFloatArray();
    var fetched = new IdentityHashMap<float[], float[]>();
    places.forEach((array, place) -> {
      var copy = new float[array.length];
      System.arraycopy(all, place.intValue(), copy, 0, copy.length);
      fetched.put(array, copy);
    });
    return fetched;
  }
}
