package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.file.Excerpt;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Data sets one after another, such as the shards of a large data set. */
final class Concatenation extends PrintedDataset {
  private final List<Dataset> parts;
  private final List<Field> fields;

  /** First example of each part, and the number of all examples. */
  private final long[] starts;

  Concatenation(List<? extends Dataset> parts) {
    if (parts.isEmpty()) {
      throw new ShapeException("[concat] there must be a data set; got none.");
    }
    this.parts = List.copyOf(parts);
    this.starts = new long[parts.size() + 1];
    var all = new ArrayList<>(parts.get(0).fields());
    for (int p = 0; p < parts.size(); p++) {
      starts[p + 1] = Math.addExact(starts[p], parts.get(p).size());
      join(all, parts.get(p));
    }
    this.fields = List.copyOf(all);
  }

  private Concatenation(List<Dataset> parts, List<Field> fields, long[] starts) {
    this.parts = parts;
    this.fields = fields;
    this.starts = starts;
  }

  /** Checks the fields of a part; a field with steps gets the longest of all parts. */
  private void join(List<Field> all, Dataset part) {
    List<Field> its = part.fields();
    boolean same = its.size() == all.size();
    for (int f = 0; same && f < all.size(); f++) {
      Field a = all.get(f);
      Field b = its.get(f);
      boolean steps = part.hasSteps(f);
      same =
          a.name().equals(b.name())
              && a.dtype() == (Object) b.dtype()
              && steps == parts.get(0).hasSteps(f)
              && (steps ? stepShape(a).equals(stepShape(b)) : a.shape().equals(b.shape()));
      if (same && steps && b.shape().dim(0) > a.shape().dim(0)) {
        all.set(f, b);
      }
    }
    for (int f = 0; same && f < all.size(); f++) {
      if (!parts.get(0).codes(f).equals(part.codes(f))) {
        throw new ShapeException(
            ("[concat] all data sets must have the same classes, words and means; got %s with %s"
                    + " and %s; read the other files with like(...) of the first, or give folders"
                    + " its classes(...).")
                .formatted(
                    all.get(f).name(),
                    Excerpt.of(parts.get(0).codes(f).toString()),
                    Excerpt.of(part.codes(f).toString())));
      }
    }
    if (!same) {
      throw new ShapeException(
          "[concat] all data sets must have the same fields; got %s and %s."
              .formatted(parts.get(0).fields(), its));
    }
  }

  /** Returns the shape of one step. */
  private static Shape stepShape(Field field) {
    long[] all = field.shape().toArray();
    return Shape.of(Arrays.copyOfRange(all, 1, all.length));
  }

  @Override
  public List<Field> fields() {
    return fields;
  }

  @Override
  public List<?> codes(int field) {
    return parts.get(0).codes(field);
  }

  @Override
  public long size() {
    return starts[parts.size()];
  }

  /** Returns the part with an example; empty parts have none. */
  private int part(long example) {
    int low = 0;
    int high = parts.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (starts[middle] <= example) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  @Override
  public void read(int field, long example, MemorySegment to) {
    int p = part(example);
    parts.get(p).read(field, example - starts[p], to);
  }

  @Override
  public Dataset epoch(long number) {
    return new Concatenation(
        parts.stream().map(part -> part.epoch(number)).toList(), fields, starts);
  }

  @Override
  public boolean hasSteps(int field) {
    return parts.get(0).hasSteps(field);
  }

  @Override
  public long steps(long example) {
    int p = part(example);
    return parts.get(p).steps(example - starts[p]);
  }

  @Override
  public int loaders() {
    return parts.stream().mapToInt(Dataset::loaders).max().orElse(1);
  }
}
