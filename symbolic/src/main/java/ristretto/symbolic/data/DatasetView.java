package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Range of examples of another data set, with renamed fields. */
record DatasetView(Dataset all, List<Field> fields, long from, long size) implements Dataset {
  @Override
  public void read(int field, long example, MemorySegment to) {
    all.read(field, from + example, to);
  }
}
