package ristretto.symbolic.layers;

import java.util.function.UnaryOperator;
import ristretto.symbolic.graph.Variable;

/**
 * Part of a model with one input and one output of the same dtype. A layer with parameters is a
 * value that can be applied several times; all applications share the parameters:
 *
 * <pre>{@code
 * var encoder = new Dense("encoder", 64);
 * Variable<F32> distance = sum(square(encoder.of(a).minus(encoder.of(b))), 1);
 * }</pre>
 *
 * <p>The parameters are created at the first application, when the width and the dtype of the input
 * are known. Functions of {@code Layers} with one argument are layers too: {@code Layers::relu};
 * those with more arguments are made layers by {@link #of(UnaryOperator)}. For layers of your own,
 * implement this interface:
 *
 * <pre>{@code
 * record Residual(Layer inner) implements Layer {
 *   public <T> Variable<T> of(Variable<T> v) {
 *     return inner.of(v).plus(v);
 *   }
 * }
 * }</pre>
 */
@FunctionalInterface
public interface Layer {
  /**
   * Applies the layer to an input.
   *
   * @throws ristretto.kernels.ShapeException if the input does not fit the layer, or needs
   *     parameters of another dtype or shape than those of the first application
   */
  <T> Variable<T> of(Variable<T> v);

  /**
   * Returns a function with further arguments as a layer, for example {@code Layer.of(v ->
   * dropout(v, 0.1))}. A lambda cannot implement this interface, whose method is generic.
   *
   * @param function function of a variable of any dtype, which is called at each application
   */
  @SuppressWarnings("unchecked")
  static Layer of(UnaryOperator<Variable<Object>> function) {
    return new Layer() {
      @Override
      public <T> Variable<T> of(Variable<T> v) {
        return (Variable<T>) function.apply((Variable<Object>) v);
      }
    };
  }
}
