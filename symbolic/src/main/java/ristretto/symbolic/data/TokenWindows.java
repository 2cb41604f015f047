package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Locale;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Windows of a sequence of tokens, each with the tokens that follow. */
final class TokenWindows extends PrintedDataset {
  private final Tokens tokens;
  private final int steps;
  private final int stride;
  private final List<Field> fields;

  TokenWindows(Tokens tokens, int steps, int stride) {
    if (steps < 1 || stride < 1 || tokens.size() <= steps) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[windows] steps and stride must be at least 1, and the sequence longer than the"
                  + " steps; got %d steps, stride %d, %s.",
              steps,
              stride,
              tokens));
    }
    this.tokens = tokens;
    this.steps = steps;
    this.stride = stride;
    Shape shape = Shape.of(steps);
    this.fields = List.of(new Field("words", Ops.I32, shape), new Field("next", Ops.I32, shape));
  }

  @Override
  public List<Field> fields() {
    return fields;
  }

  @Override
  public long size() {
    return (tokens.size() - 1 - steps) / stride + 1;
  }

  @Override
  public void read(int field, long example, MemorySegment to) {
    int[] window = new int[steps];
    tokens.copy(example * stride + field, window);
    MemorySegment.copy(window, 0, to, ValueLayout.JAVA_INT_UNALIGNED, 0, steps);
  }
}
