package ristretto.expr;

import ristretto.kernels.ShapeException;

/** Checks that an expression can be assigned to a tensor: dtype, shape, layout and context. */
final class TargetRules {
  private TargetRules() {}

  static void check(Context context, Tensor<?> target, Expr<?> expr) {
    if (target.dtype() != (Object) expr.dtype()) {
      throw new ShapeException(
          "[assign] dtypes must be equal; got target "
              + target.label()
              + ", expression "
              + expr.label()
              + "; cast the expression.");
    }
    if (!expr.shape().expandsTo(target.shape())) {
      throw new ShapeException(
          "[assign] the expression must broadcast to the target; got target "
              + target.label()
              + ", expression "
              + expr.label()
              + ". Reshape one of them.");
    }
    if (target.isCopy()) {
      throw new ShapeException(
          "[assign] the target must be a view of memory; got a reshape of "
              + target.label()
              + " that is a copy; assign to the tensor it was made from.");
    }
    IndexMap map = target.layout().map();
    for (int d = 0; d < map.dims.length; d++) {
      if (map.dims[d] > 1 && map.strides[d] == 0) {
        throw new ShapeException(
            "[assign] elements of the target must be distinct; got "
                + target.label()
                + " which repeats along axis "
                + d
                + "; assign to the tensor it was expanded from.");
      }
    }
    if (target.context() != context) {
      throw new ShapeException(
          "[assign] the target must belong to this context; got a tensor of another one; copy it"
              + " over with ctx.tensor(other.toFloatArray(), ...).");
    }
  }
}
