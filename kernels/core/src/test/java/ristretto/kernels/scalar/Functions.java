package ristretto.kernels.scalar;

import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.I32;

import java.util.List;

/** Functions with loops, for tests. */
public final class Functions {
  private Functions() {}

  /** {@code float r = 1; for (int k = 0; k < n; k++) r *= x; return r;} of (x, n). */
  public static Function power(String name) {
    var start = new TapeBuilder();
    var test = new TapeBuilder();
    var body = new TapeBuilder();
    var end = new TapeBuilder();
    return new Function(
        name,
        List.of(F32, I32),
        List.of(F32, I32, F32, I32),
        F32,
        List.of(
            new Function.Block(
                start.build(start.constant(F32, 1)), List.of(2), new Function.End.Jump(1)),
            new Function.Block(
                test.build(test.apply(Op.LT, test.input(3, I32), test.input(1, I32))),
                List.of(),
                new Function.End.Branch(0, 2, 3)),
            new Function.Block(
                body.build(
                    body.apply(Op.MUL, body.input(2, F32), body.input(0, F32)),
                    body.apply(Op.ADD, body.input(3, I32), body.constant(I32, 1))),
                List.of(2, 3),
                new Function.End.Jump(1)),
            new Function.Block(
                end.build(end.input(2, F32)), List.of(), new Function.End.Return(0))));
  }
}
