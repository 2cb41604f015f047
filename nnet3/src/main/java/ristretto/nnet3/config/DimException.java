package ristretto.nnet3.config;

import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import ristretto.kernels.RistrettoException;

/** Thrown if operands of a descriptor that must have equal numbers of columns differ. */
public final class DimException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  private DimException(String message) {
    super(message);
  }

  /** Returns the number of columns that all operands have. */
  static int equalDims(Descriptor d, IntUnaryOperator nodeDim) {
    int dim = d.children().get(0).dim(nodeDim);
    for (Descriptor child : d.children()) {
      if (child.dim(nodeDim) != dim) {
        String got =
            d.children().stream()
                .map(c -> c + " (" + c.dim(nodeDim) + ")")
                .collect(Collectors.joining(", "));
        String what = d.getClass().getSimpleName();
        throw new DimException(
            "the operands of " + what + " must have the same dimension; got " + got);
      }
    }
    return dim;
  }
}
