package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Chosen examples of another data set. */
final class SampleSelection extends PrintedDataset {
  private final Dataset all;
  private final long[] examples;

  /** Creates a selection that takes over the array. */
  SampleSelection(Dataset all, long[] examples) {
    this.all = all;
    this.examples = examples;
  }

  @Override
  public List<Field> fields() {
    return all.fields();
  }

  @Override
  public long size() {
    return examples.length;
  }

  @Override
  public void read(int field, long example, MemorySegment to) {
    all.read(field, examples[(int) example], to);
  }

  @Override
  public Dataset epoch(long number) {
    Dataset other = all.epoch(number);
    return other == all ? this : new SampleSelection(other, examples);
  }

  @Override
  public boolean hasSteps(int field) {
    return all.hasSteps(field);
  }

  @Override
  public long steps(long example) {
    return all.steps(examples[(int) example]);
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
