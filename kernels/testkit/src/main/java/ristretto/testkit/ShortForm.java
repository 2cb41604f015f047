package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.expr.F32;
import ristretto.expr.Tensor;
import ristretto.kernels.ClosedException;

/** The checks that a user can wait for: every family of operations once or twice. */
final class ShortForm {
  /** Nothing, one, around the lanes of vectors, and primes. */
  private static final long[] LENGTHS = {0, 1, 15, 16, 17, 1031};

  private ShortForm() {}

  static List<Check> checks() {
    var checks = new ArrayList<Check>();
    ElementwiseCases.CASES.forEach(op -> checks.add(elementwise(op, op.dtypes().getFirst())));
    checks.add(Check.of("fusion", ShortForm::fusion));
    checks.add(Check.of("use after closing", ShortForm::closed));
    return checks;
  }

  private static Check elementwise(OpCase op, DType<?> dtype) {
    return new Check(
        op.name() + " of " + dtype,
        dtype == F64,
        ctx ->
            Arrays.stream(LENGTHS)
                .mapToObj(
                    n -> op.check(ctx, dtype, new long[] {n}, List.of(TensorLayout.CONTIGUOUS)))
                .reduce(Worst.NONE, Worst::or));
  }

  private static void fusion(Context ctx) {
    Tensor<F32> x = ctx.ones(F32, 100);
    int kernels = ctx.explain(sigmoid(x.plus(1)).times(x)).kernelCount();
    Check.require(kernels == 1, "kernels of sigmoid(x + 1) * x", kernels, 1);
  }

  private static void closed(Context ctx) {
    Context other = Context.open(ctx.device());
    Tensor<F32> x = other.ones(F32, 3);
    other.close();
    try {
      x.toFloatArray();
    } catch (ClosedException e) {
      return;
    }
    throw new AssertionError("a tensor of a closed context was read");
  }
}
