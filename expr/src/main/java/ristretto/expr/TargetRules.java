package ristretto.expr;

import ristretto.expr.index.IndexMap;
import ristretto.kernels.ShapeException;

/** Checks that an expression can be assigned to a tensor: dtype, shape, layout and context. */
final class TargetRules {
  private TargetRules() {}

  static void check(Context context, Tensor<?> target, Expr<?> expr) {
    if (target.dtype() != (Object) expr.dtype()) {
      throw new ShapeException(
          "[assign] dtypes must be equal; got target %s, expression %s; cast the expression."
              .formatted(target.label(), expr.label()));
    }
    if (!expr.shape().expandsTo(target.shape())) {
      throw new ShapeException(
          ("[assign] the expression must broadcast to the target; got target %s, expression %s."
                  + " Reshape one of them.")
              .formatted(target.label(), expr.label()));
    }
    if (target.isCopy()) {
      throw new ShapeException(
          "[assign] the target must be a view of memory; got a reshape of "
              + target.label()
              + " that is a copy; assign to the tensor it was made from.");
    }
    IndexMap map = target.memory().map();
    for (int d = 0; d < map.dims.length; d++) {
      // An empty target has no elements; the strides of its axes may be 0.
      if (target.shape().size() > 0 && map.dims[d] > 1 && map.strides[d] == 0) {
        throw new ShapeException(
            ("[assign] elements of the target must be distinct; got %s which repeats along axis %s;"
                    + " assign to the tensor it was expanded from.")
                .formatted(target.label(), d));
      }
    }
    if (target.context() != context) {
      throw new ShapeException(
          "[assign] the target must belong to this context; got a tensor of another one; copy it"
              + " over with ctx.tensor(other.toFloatArray(), ...).");
    }
  }
}
