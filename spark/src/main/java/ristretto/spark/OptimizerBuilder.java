package ristretto.spark;

import java.io.Serializable;
import ristretto.symbolic.optim.Optimizer;

/** Creates the optimizer in each process: {@code () -> Optimizer.adam(0.001)}. */
@FunctionalInterface
public interface OptimizerBuilder extends Serializable {
  /** Creates an optimizer; an equal one each time. */
  Optimizer build();
}
