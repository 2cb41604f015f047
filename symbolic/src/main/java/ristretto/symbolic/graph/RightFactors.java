package ristretto.symbolic.graph;

import java.util.List;

/**
 * Operator that multiplies its input by weights from the right, {@code x w} with {@code w[in,
 * out]}. PyTorch's layers keep these weights as {@code [out, in]}, so that a weight file of PyTorch
 * has them transposed.
 */
public interface RightFactors {
  /** Returns the weights of this layout. */
  List<Variable<?>> rightFactors();
}
