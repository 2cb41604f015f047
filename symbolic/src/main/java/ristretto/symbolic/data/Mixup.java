package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Convex combinations of pairs of examples and of their labels (Zhang et al. 2018, "mixup: Beyond
 * Empirical Risk Minimization").
 */
final class Mixup extends PrintedDataset {
  private final Dataset all;
  private final int label;
  private final int classes;
  private final double alpha;
  private final long seed;
  private final long epoch;
  private final List<Field> fields;

  Mixup(Dataset all, String labelField, int classes, double alpha, long seed) {
    this.all = all;
    this.classes = classes;
    this.alpha = alpha;
    this.seed = seed;
    this.epoch = 0;
    var mixed = new ArrayList<Field>();
    int found = -1;
    for (Field f : all.fields()) {
      boolean steps = all.hasSteps(mixed.size());
      if (f.name().equals(labelField) && f.dtype() == (Object) Ops.I32 && f.shape().rank() == 0) {
        found = mixed.size();
        mixed.add(new Field(f.name(), Ops.F32, Shape.of(classes)));
      } else if (f.dtype() == (Object) Ops.F32 && !steps) {
        mixed.add(f);
      } else {
        throw new ShapeException(
            "[mixup] fields must be F32 of fixed shape, except the label, an I32 number; got "
                + f
                + " in "
                + all.fields()
                + " with the label "
                + labelField
                + "; mix data without that field.");
      }
    }
    if (found < 0) {
      throw new ShapeException(
          "[mixup] the data must have the label as a field, I32 without axes; got no "
              + labelField
              + " in "
              + all.fields()
              + "; mix the original data, once.");
    }
    if (!(alpha >= 0) || Double.isInfinite(alpha) || classes < 1) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[mixup] alpha must be at least 0 and finite, and there must be a class; got alpha %s"
                  + " and %d classes.",
              alpha,
              classes));
    }
    this.label = found;
    this.fields = List.copyOf(mixed);
  }

  private Mixup(Mixup other, Dataset all, long epoch) {
    this.all = all;
    this.label = other.label;
    this.classes = other.classes;
    this.alpha = other.alpha;
    this.seed = other.seed;
    this.fields = other.fields;
    this.epoch = epoch;
  }

  @Override
  public List<Field> fields() {
    return fields;
  }

  @Override
  public long size() {
    return all.size();
  }

  @Override
  public List<?> codes(int field) {
    return all.codes(field);
  }

  @Override
  public int loaders() {
    return all.loaders();
  }

  @Override
  public Dataset epoch(long number) {
    return new Mixup(this, all.epoch(number), number);
  }

  @Override
  public void read(int field, long example, MemorySegment to) {
    SplittableRandom random = Draws.of(seed, epoch, example);
    long other = random.nextLong(size());
    double share = alpha == 0 ? 1 : Draws.beta(random, alpha);
    if (field == label) {
      to.fill((byte) 0);
      add(to, classOf(example), share);
      add(to, classOf(other), 1 - share);
      return;
    }
    all.read(field, example, to);
    MemorySegment second = MemorySegment.ofArray(new float[(int) (to.byteSize() / Float.BYTES)]);
    all.read(field, other, second);
    for (long k = 0; k < to.byteSize() / Float.BYTES; k++) {
      double a = to.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, k);
      double b = second.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, k);
      to.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, k, (float) (share * a + (1 - share) * b));
    }
  }

  private static void add(MemorySegment to, int at, double share) {
    float old = to.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
    to.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, at, (float) (old + share));
  }

  private int classOf(long example) {
    MemorySegment one = MemorySegment.ofArray(new int[1]);
    all.read(label, example, one);
    int number = one.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
    if (number < 0 || number >= classes) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[mixup] labels must be from 0 to %d; got %d in example %d; give the number of all"
                  + " classes.",
              classes - 1,
              number,
              example));
    }
    return number;
  }
}
