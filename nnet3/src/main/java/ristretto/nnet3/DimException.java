package ristretto.nnet3;

import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import ristretto.kernels.RistrettoException;

/** Parts of a descriptor that must have equally many columns have not. */
public final class DimException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  private DimException(String message) {
    super(message);
  }

  /** The number of columns that all children have. */
  static int equalDims(Descriptor d, IntUnaryOperator nodeDim) {
    int dim = d.children().get(0).dim(nodeDim);
    for (Descriptor child : d.children()) {
      if (child.dim(nodeDim) != dim) {
        String got =
            d.children().stream()
                .map(c -> c + " (" + c.dim(nodeDim) + ")")
                .collect(Collectors.joining(", "));
        String what = d.getClass().getSimpleName();
        throw new DimException("what is in a " + what + " must have one dimension; got " + got);
      }
    }
    return dim;
  }
}
