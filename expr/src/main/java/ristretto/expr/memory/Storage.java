package ristretto.expr.memory;

import java.util.function.Supplier;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.ClosedException;
import ristretto.kernels.device.Buffer;

/**
 * Memory behind tensors: a device buffer shared by a tensor and its views, freed once none of these
 * is reachable; or, during planning, a temporary that is bound to a buffer when the plan runs.
 */
public sealed class Storage {
  private final PlanContext owner;
  private final Buffer buffer;

  public Storage(PlanContext owner, Buffer buffer) {
    this.owner = owner;
    this.buffer = buffer;
    if (buffer != null) {
      Reclaimer.whenGone(this, buffer::close);
    }
  }

  /** Owner of the memory, which this object keeps open. */
  public PlanContext owner() {
    return owner;
  }

  /**
   * Device buffer of this memory.
   *
   * @throws ClosedException after the context was closed
   */
  public Buffer buffer() {
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
  public static final class Deferred extends Storage {
    private final Supplier<Buffer> source;
    private Buffer own;

    public Deferred(PlanContext owner, Supplier<Buffer> source) {
      super(owner, null);
      this.source = source;
    }

    @Override
    public synchronized Buffer buffer() {
      if (own == null) {
        Buffer fresh = source.get();
        Reclaimer.whenGone(this, fresh::close);
        own = fresh;
      }
      return open(own);
    }
  }

  /** Temporary of a plan, bound to a buffer while the plan runs. */
  public static final class Planned extends Storage {
    private final DType<?> dtype;
    private final Shape shape;
    private Buffer current;

    public Planned(PlanContext owner, DType<?> dtype, Shape shape) {
      super(owner, null);
      this.dtype = dtype;
      this.shape = shape;
    }

    public DType<?> dtype() {
      return dtype;
    }

    public Shape shape() {
      return shape;
    }

    public long bytes() {
      return Math.max(1, shape.size() * dtype.bytes());
    }

    public void bind(Buffer buffer) {
      current = buffer;
    }

    @Override
    public Buffer buffer() {
      if (current == null) {
        throw new ClosedException(
            "[tensor] a tensor made inside recordTransient must be read by its program only; got"
                + " one that is read elsewhere; make it before the recording, or use recordOnly.");
      }
      return current;
    }
  }
}
