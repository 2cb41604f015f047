package ristretto.expr;

import java.lang.ref.Cleaner;
import ristretto.kernels.ClosedException;
import ristretto.kernels.device.Buffer;

/**
 * Memory behind tensors: a device buffer shared by a tensor and its views, given back when the last
 * of them is unreachable; or, while a plan is made, a place that gets its buffer when the plan
 * runs.
 */
sealed class Storage {
  private static final Cleaner CLEANER = Cleaner.create();

  private final Context context;
  private final Buffer buffer;

  Storage(Context context, Buffer buffer) {
    this.context = context;
    this.buffer = buffer;
    if (buffer != null) {
      CLEANER.register(this, buffer::close);
    }
  }

  Context context() {
    return context;
  }

  /**
   * @throws ClosedException after the context was closed
   */
  Buffer buffer() {
    if (buffer.closed()) {
      throw new ClosedException(
          "[tensor] a tensor must be used before its context is closed; keep the context open"
              + " longer, or copy the values out with toFloatArray().");
    }
    return buffer;
  }

  /** A temporary of a plan: memory that exists while the plan runs. */
  static final class Planned extends Storage {
    private final long bytes;
    private Buffer current;

    Planned(Context context, long bytes) {
      super(context, null);
      this.bytes = bytes;
    }

    long bytes() {
      return bytes;
    }

    void bind(Buffer buffer) {
      current = buffer;
    }

    @Override
    Buffer buffer() {
      return current;
    }
  }
}
