package ristretto.nnet3.fit;

import java.nio.FloatBuffer;
import java.util.function.UnaryOperator;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.network.Nnet;

/** All parameters of a network as one array, in the order of its file. */
public final class FlatParameters {
  private FlatParameters() {}

  /** Returns a copy of the parameters. */
  public static float[] of(Nnet nnet) {
    var all = FloatBuffer.allocate(Math.toIntExact(nnet.parameterCount()));
    map(
        nnet,
        array -> {
          all.put(array);
          return array;
        });
    return all.array();
  }

  /**
   * Replaces the parameters.
   *
   * @throws ShapeException if their number is not that of the network
   */
  public static void replace(Nnet nnet, float[] parameters) {
    if (parameters.length != nnet.parameterCount()) {
      throw new ShapeException(
          "[nnet] replaced parameters must be as many as the network has; got %s for %s; give those of the same network."
              .formatted(
                  Integer.toString(parameters.length), Long.toString(nnet.parameterCount())));
    }
    var all = FloatBuffer.wrap(parameters);
    map(
        nnet,
        array -> {
          var replaced = new float[array.length];
          all.get(replaced);
          return replaced;
        });
  }

  private static void map(Nnet nnet, UnaryOperator<float[]> f) {
    for (Component component : nnet.components().values()) {
      if (component instanceof UpdatableComponent updatable) {
        updatable.mapParameters(f);
      }
    }
  }
}
