package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Range of examples of another data set, with renamed fields. */
record DatasetView(Dataset all, List<Field> fields, long from, long size) implements Dataset {
  @Override
  public String toString() {
    return size() + " examples of " + fields();
  }

  @Override
  public void read(int field, long example, MemorySegment to) {
    all.read(field, from + example, to);
  }

  @Override
  public Dataset epoch(long number) {
    Dataset other = all.epoch(number);
    return other == all ? this : new DatasetView(other, fields, from, size);
  }

  @Override
  public boolean hasSteps(int field) {
    return all.hasSteps(field);
  }

  @Override
  public long steps(long example) {
    return all.steps(from + example);
  }

  @Override
  public List<?> codes(int field) {
    return all.codes(field);
  }

  @Override
  public int loaders() {
    return all.loaders();
  }
}
