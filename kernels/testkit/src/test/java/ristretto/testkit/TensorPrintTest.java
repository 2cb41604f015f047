package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.I64;

import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.I64;

class TensorPrintTest {

  @Test
  void largeTensorsAreReadAtTheirEndsWithAllDigits() {
    try (Context ctx = TestDevice.open()) {
      long n = (1 << 20) + 1;
      Tensor<I64> t = ctx.eval(ctx.arange(I64, n).plus(9007199254740993L));
      assertThat(t.toString())
          .isEqualTo(
              """
              i64[1048577]
              [9007199254740993 9007199254740994 9007199254740995 ... 9007199255789567
               9007199255789568 9007199255789569]\
              """);
    }
  }
}
