package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** The full text of every message about selection, statistics and recurrences. */
class SelectionMessagesTest {
  private static final Context ctx = TestDevice.open();
  private static final Tensor<F32> x = ctx.ones(F32, 2, 3);
  private static final Tensor<F32> v = ctx.ones(F32, 3);
  private static final Tensor<I32> i = ctx.ones(I32, 3);
  private static final Tensor<BOOL> b = ctx.tensor(new boolean[] {true, false, true});

  private static DynamicTest message(String text, Runnable body) {
    return DynamicTest.dynamicTest(
        text,
        () -> assertThatThrownBy(body::run).isInstanceOf(ShapeException.class).hasMessage(text));
  }

  @TestFactory
  Stream<DynamicTest> messages() {
    return Stream.of(
        message(
            "[compress] the mask must have the shape of the first axes; got a f32[2,3], mask"
                + " bool[3].",
            () -> ctx.compress(x, b)),
        message(
            "[compress] the mask must have one element per entry of axis 0; got a f32[2,3], mask"
                + " bool[3].",
            () -> ctx.compress(x, b, 0)),
        message(
            "[unique] a result whose shape depends on elements cannot be recorded; compute it"
                + " outside of the recording.",
            () -> ctx.record(() -> ctx.unique(v))),
        message(
            "[assignAt] values must broadcast to [2,3], the shape with axis 1 replaced by the"
                + " indices' axes; got values f32[2], indices i32[3], shape [2,3].",
            () -> ctx.assignAt(x, 1, i, v.slice(range(0, 2)))),
        message(
            "[assignAt] indices must be i32 or i64; got f32[3]; cast them: i.cast(I64).",
            () -> ctx.assignAt(x, 1, v, 1)),
        message(
            "[assignWhere] values must broadcast to the tensor; got t f32[3], values f32[2,3].",
            () -> ctx.assignWhere(v, b, x)),
        message(
            "[scatterMax] values must be numbers; got bool[3]; cast first.",
            () -> scatterMax(Shape.of(4), 0, i, b)),
        message(
            "[segmentSum] there must be one segment number per entry of the first axis; got v"
                + " f32[2,3], ids i32[3].",
            () -> segmentSum(x, i, 3)),
        message("[bincount] n must not be negative; got -1.", () -> bincount(i, -1)),
        message(
            "[bincount] there must be one weight per integer; got ids i32[3], weights f32[2,3].",
            () -> bincount(i, x, 3)),
        message(
            "[searchSorted] the sorted elements must be a vector; got f32[2,3]; flatten it.",
            () -> searchSorted(x, v)),
        message(
            "[searchSorted] the side must be \"left\" or \"right\"; got \"up\".",
            () -> searchSorted(v, v, "up")),
        message(
            "[histogram] edges must be a vector of two or more; got f32[2,3].",
            () -> histogram(v, x)),
        message(
            "[histogram] there must be one weight per element; got x f32[3], weights f32[2,3].",
            () -> histogram(v, v, x)),
        message(
            "[histogram] there must be one bin or more over a finite range; got 3 bins from 1.0 to"
                + " 1.0.",
            () -> histogram(v, 3, 1, 1)),
        message(
            "[interp] xp and fp must be vectors of equal length, not empty; got xp f32[3], fp"
                + " f32[2,3].",
            () -> interp(v, v, x)),
        message("[diff] the order must not be negative; got -1.", () -> diff(v, -1, 0)),
        message(
            "[centralDifferences] the axis must have two elements or more; got axis 0 of f32[1].",
            () -> centralDifferences(v.slice(range(0, 1)), 1, 0)),
        message(
            "[trapezoid] the positions must broadcast to the samples; got y f32[3], x f32[2,3].",
            () -> trapezoid(v, x)),
        message(
            "[cross] the last axes must have three elements; got a f32[2], b f32[3].",
            () -> cross(v.slice(range(0, 2)), v)),
        message("[rot90] the operand must have two axes or more; got f32[3].", () -> rot90(v, 1)),
        message(
            "[quantile] fractions must be from 0 to 1; got 90.0; percentile takes 0 to 100.",
            () -> quantile(v, 90, 0)),
        message(
            "[percentile] percentages must be from 0 to 100; got 101.0.",
            () -> percentile(v, 101, 0)),
        message(
            "[quantile] there must be one fraction or more; got none.",
            () -> quantile(v, new double[0], 0)),
        message(
            "[median] the reduced axes must not be empty; got f32[0]; median of no elements is"
                + " undefined.",
            () -> median(v.slice(range(0, 0)))),
        message(
            "[median] operands must be floating point; got i32[3]; cast first, as in x.cast(F64).",
            () -> median(i)),
        message(
            "[cov] variables must be a vector or the rows of a matrix; got f32[2,3,1]; reshape it.",
            () -> cov(x.unsqueeze(2))),
        message(
            "[scan] the first axis of each input must be the steps; got f32[3], f32[2,3].",
            () -> scan(scalar(F32, 0), v, x, (s, p, q) -> s + p + q)),
        message(
            "[scan] states and steps of the inputs must broadcast; got states f32[2], inputs"
                + " f32[2,3].",
            () -> scan(ctx.ones(F32, 2), x, (s, p) -> s + p)),
        message(
            "[geomspace] both ends must have equal sign and not be 0; got start 0.0, stop 2.0.",
            () -> ctx.geomspace(F32, 0, 2, 3)));
  }
}
