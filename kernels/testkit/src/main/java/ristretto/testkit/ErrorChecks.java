package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ClosedException;
import ristretto.kernels.DeviceException;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;

/** Checks of errors and the text of their messages. */
final class ErrorChecks {
  private static final String KNOWN = "check the indices or the axis they select ";

  private ErrorChecks() {}

  static List<Check> checks() {
    return List.of(
        Check.of("an index out of range of take", ErrorChecks::indexOfTake),
        Check.of("an index out of range of scatterAdd", ErrorChecks::indexOfScatter),
        Check.of("shapes that do not broadcast", ErrorChecks::shapes),
        Check.of("use after closing", ErrorChecks::closed),
        Check.of("a device that does not exist", ErrorChecks::devices));
  }

  private static void indexOfTake(Context ctx) {
    Tensor<F32> x = ctx.tensor(new float[] {1, 2});
    refused(
        ShapeException.class,
        "[take] indices must lie in [-2, 2); got 5 at position 1; " + KNOWN + "from",
        () -> ctx.eval(take(x, ctx.tensor(new int[] {0, 5}), 0)).toFloatArray());
    Check.require(
        ctx.eval(x.plus(1)).toFloatArray()[1] == 3,
        "the context goes on",
        ctx.eval(x.plus(1)),
        "2, 3");
  }

  private static void indexOfScatter(Context ctx) {
    refused(
        ShapeException.class,
        "[scatterAdd] indices must lie in [-2, 2); got 7 at position 0; " + KNOWN + "of the shape",
        () ->
            ctx.eval(scatterAdd(Shape.of(2), 0, ctx.tensor(new int[] {7, 0}), ctx.ones(F32, 2)))
                .toFloatArray());
  }

  private static void shapes(Context ctx) {
    refused(
        ShapeException.class,
        "[add] shapes must broadcast; got a f32[2,3], b f32[4]; last axis: 3 vs 4. Reshape one of"
            + " them.",
        () -> ctx.ones(F32, 2, 3).plus(ctx.ones(F32, 4)));
  }

  private static void closed(Context ctx) {
    Context other = Context.open(ctx.device());
    Tensor<F32> x = other.ones(F32, 1000);
    other.close();
    long held = other.stats().bytesAllocated();
    Check.require(held == 0, "bytes that a closed context holds", held, 0);
    refused(
        ClosedException.class,
        "[read] the context must be open; it was closed. Open another one.",
        x::toFloatArray);
    refused(
        ClosedException.class,
        "[empty] the context must be open; it was closed. Open another one.",
        () -> other.ones(F32, 1));
  }

  private static void devices(Context ctx) {
    String kind = ctx.device().replaceFirst(":.*", "");
    begins(
        "[open] device indices of " + kind + " must be below ", () -> Context.open(kind + ":1000"));
    begins("[open] the device must be one of ", () -> Context.open("abacus"));
  }

  private static void begins(String text, Runnable body) {
    try {
      body.run();
    } catch (DeviceException e) {
      Check.require(e.getMessage().startsWith(text), "message", e.getMessage(), text + "...");
      return;
    }
    throw new AssertionError("no error; expected: " + text + "...");
  }

  private static void refused(
      Class<? extends RistrettoException> type, String text, Runnable body) {
    try {
      body.run();
    } catch (RistrettoException e) {
      Check.require(type.isInstance(e) && e.getMessage().equals(text), "message", e, text);
      return;
    }
    throw new AssertionError("no error; expected: " + text);
  }
}
