package ristretto.expr;

import java.util.function.Supplier;
import ristretto.kernels.ClosedException;
import ristretto.kernels.device.Buffer;

/**
 * Memory behind tensors: a device buffer shared by a tensor and its views, freed once none of these
 * is reachable; or, during planning, a temporary that is bound to a buffer when the plan runs.
 */
sealed class Storage {
  private final Context context;
  private final Buffer buffer;

  Storage(Context context, Buffer buffer) {
    this.context = context;
    this.buffer = buffer;
    if (buffer != null) {
      Reclaimer.whenGone(this, buffer::close);
    }
  }

  Context context() {
    return context;
  }

  /**
   * Device buffer of this memory.
   *
   * @throws ClosedException after the context was closed
   */
  Buffer buffer() {
    return open(buffer);
  }

  private static Buffer open(Buffer buffer) {
    if (buffer.closed()) {
      throw new ClosedException(
          "[tensor] a tensor must be used before its context is closed; keep the context open"
              + " longer, or copy the values out with toFloatArray().");
    }
    return buffer;
  }

  /** Memory allocated on its first use. */
  static final class Deferred extends Storage {
    private final Supplier<Buffer> source;
    private Buffer own;

    Deferred(Context context, Supplier<Buffer> source) {
      super(context, null);
      this.source = source;
    }

    @Override
    synchronized Buffer buffer() {
      if (own == null) {
        Buffer fresh = source.get();
        Reclaimer.whenGone(this, fresh::close);
        own = fresh;
      }
      return open(own);
    }
  }

  /** Temporary of a plan, bound to a buffer while the plan runs. */
  static final class Planned extends Storage {
    private final DType<?> dtype;
    private final Shape shape;
    private Buffer current;

    Planned(Context context, DType<?> dtype, Shape shape) {
      super(context, null);
      this.dtype = dtype;
      this.shape = shape;
    }

    DType<?> dtype() {
      return dtype;
    }

    Shape shape() {
      return shape;
    }

    long bytes() {
      return Math.max(1, shape.size() * dtype.bytes());
    }

    void bind(Buffer buffer) {
      current = buffer;
    }

    @Override
    Buffer buffer() {
      if (current == null) {
        throw new ClosedException(
            "[tensor] a tensor that recordTransient made is a temporary of its program; got one"
                + " that is read outside of it; make it before, or use recordOnly.");
      }
      return current;
    }
  }
}
