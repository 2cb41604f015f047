package ristretto.symbolic.layers;

import java.util.List;
import ristretto.symbolic.graph.Variable;

/**
 * Layers that are applied one after the other.
 *
 * <pre>{@code
 * var encoder = Sequential.of(new Dense("first", 64), Layers::relu, new Dense("second", 10));
 * Variable<F32> y = encoder.of(x);
 * }</pre>
 */
public final class Sequential implements Layer {
  private final List<Layer> layers;

  private Sequential(List<Layer> layers) {
    this.layers = layers;
  }

  /** Chain of layers, the first of which is applied first. */
  public static Sequential of(Layer... layers) {
    return of(List.of(layers));
  }

  /** Chain of the layers of a list, the first of which is applied first. */
  public static Sequential of(List<? extends Layer> layers) {
    return new Sequential(List.copyOf(layers));
  }

  /** Returns the layers in order. */
  public List<Layer> layers() {
    return layers;
  }

  @Override
  public <T> Variable<T> of(Variable<T> v) {
    Variable<T> last = v;
    for (Layer layer : layers) {
      last = layer.of(last);
    }
    return last;
  }
}
