package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Locale;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Text cut into one long piece per row of a batch, for language models with states carried from
 * batch to batch.
 */
final class ContiguousText extends PrintedDataset {
  private final int[] words;
  private final int batch;
  private final int steps;
  private final int piece;
  private final List<Field> fields;

  ContiguousText(int[] words, int batch, int steps) {
    this.words = words.clone();
    this.batch = batch;
    this.steps = steps;
    this.piece = batch < 1 ? 0 : words.length / batch;
    if (batch < 1 || steps < 1 || piece <= steps) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[contiguous] each piece of the text must be longer than the steps; got %d words for"
                  + " %d pieces and %d steps.",
              words.length,
              batch,
              steps));
    }
    Shape shape = Shape.of(steps);
    this.fields = List.of(new Field("words", Ops.I32, shape), new Field("next", Ops.I32, shape));
  }

  @Override
  public List<Field> fields() {
    return fields;
  }

  @Override
  public long size() {
    return (long) (piece - 1) / steps * batch;
  }

  @Override
  public void read(int field, long example, MemorySegment to) {
    long from = example % batch * piece + example / batch * steps + field;
    MemorySegment.copy(words, (int) from, to, ValueLayout.JAVA_INT_UNALIGNED, 0, steps);
  }
}
