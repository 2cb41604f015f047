package ristretto.spark;

import java.io.Serializable;

/**
 * Builds a symbolic model, in each process that needs it: variables cannot be sent. A lambda that
 * captures serializable values only, such as sizes.
 *
 * <pre>{@code
 * ModelBuilder builder = () -> {
 *   Variable<F32> x = Variable.input("x", F32, -1, 784);
 *   Variable<I32> label = Variable.input("label", I32, -1);
 *   Variable<F32> scores = dense("out", relu(dense("hidden", x, 128)), 10);
 *   return Network.of(softmaxCrossEntropy(scores, label), scores);
 * };
 * }</pre>
 */
@FunctionalInterface
public interface ModelBuilder extends Serializable {
  /** Builds the model; the same one each time. */
  Network build();
}
