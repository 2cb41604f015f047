package ristretto.kernels.cpu.runtime;

/** Arguments of a strip that is called for one group of rows after the other. */
public final class StripArguments {
  public long[] pointers = new long[16];
  public long[] strides = new long[16];

  /** Bytes from one group to the next, by pointer. */
  public long[] steps = new long[16];

  public int count;

  public void reserve(int most) {
    if (pointers.length < most) {
      pointers = new long[2 * most];
      strides = new long[2 * most];
      steps = new long[2 * most];
    }
  }

  /**
   * Appends arguments {@code from} to {@code to - 1} of {@code other}, advanced by one group if
   * {@code next}.
   */
  public void append(StripArguments other, int from, int to, boolean next) {
    for (int k = from; k < to; k++) {
      pointers[count] = other.pointers[k] + (next ? other.steps[k] : 0);
      strides[count] = other.strides[k];
      steps[count] = other.steps[k];
      count++;
    }
  }

  public void take(ThreadContext context, int count) {
    reserve(count);
    this.count = count;
    System.arraycopy(context.pointers, 0, pointers, 0, count);
    System.arraycopy(context.rowStrides, 0, strides, 0, count);
    java.util.Arrays.fill(steps, 0, count, 0);
  }

  public void next() {
    for (int k = 0; k < count; k++) {
      pointers[k] += steps[k];
    }
  }
}
