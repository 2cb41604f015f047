package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;

import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;

class TensorAsTest {

  @Test
  void theDtypeIsCheckedAndNothingIsCopied() {
    try (Context ctx = TestDevice.open()) {
      Tensor<?> unknown = ctx.zeros(F32, 2, 3);
      Tensor<F32> known = unknown.as(F32);
      assertThat(known).isSameAs(unknown);
      assertThatThrownBy(() -> unknown.as(F64))
          .isInstanceOf(ShapeException.class)
          .hasMessage("[as] the tensor must have that dtype; got f32[2,3] as f64; cast it.");
    }
  }
}
