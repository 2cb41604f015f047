package ristretto.expr.measure;

import java.util.Iterator;
import java.util.NoSuchElementException;
import ristretto.kernels.ShapeException;

/**
 * Numbers from 0 with a progress bar on standard error, if a terminal is attached; each loop over
 * the numbers has a bar of its own, which ends with the last number.
 */
public final class Steps implements Iterable<Integer> {
  private final String task;
  private final int count;

  /**
   * Creates the numbers from 0 to {@code count - 1}.
   *
   * @throws ShapeException if the count is negative
   */
  public Steps(String task, int count) {
    if (count < 0) {
      throw new ShapeException(
          "[progress] the number of steps must not be negative; got " + count + ".");
    }
    this.task = task;
    this.count = count;
  }

  @Override
  public Iterator<Integer> iterator() {
    Progress bar = Progress.onTerminal(task, count);
    return new Iterator<>() {
      private int next;

      @Override
      public boolean hasNext() {
        if (next == count) {
          bar.close();
        }
        return next < count;
      }

      @Override
      public Integer next() {
        if (next >= count) {
          throw new NoSuchElementException();
        }
        if (next > 0) {
          bar.step(() -> "");
        }
        return next++;
      }
    };
  }
}
