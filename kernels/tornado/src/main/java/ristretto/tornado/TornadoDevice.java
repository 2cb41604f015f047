package ristretto.tornado;

import java.lang.foreign.MemorySegment;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.driver.DriverBuffer;
import ristretto.kernels.driver.DriverDevice;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.Target;
import ristretto.kernels.source.java.JavaDialect;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.exceptions.TornadoBailoutRuntimeException;
import uk.ac.manchester.tornado.api.exceptions.TornadoRuntimeException;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/**
 * Device of TornadoVM with one queue. All objects of one device share their compiled programs.
 * Launches are asynchronous; reading waits.
 */
final class TornadoDevice extends DriverDevice<Accelerator.Memory> {
  /** Accelerator, whose lock all work holds. */
  final Accelerator accelerator;

  final Target target;
  final Programs programs;
  final Accelerator.Queue queue;

  /** cuBLAS; null if the device has none. */
  final CuBlas library;

  private Accelerator.Memory empty;

  TornadoDevice(Accelerator accelerator, int index) {
    this(accelerator, index, targetOf(accelerator));
  }

  TornadoDevice(Accelerator accelerator, int index, Target target) {
    this(accelerator, index, target, accelerator.cuBlas());
  }

  TornadoDevice(Accelerator accelerator, int index, Target target, CuBlas library) {
    super("tornado", index, accelerator, new TornadoMemory(accelerator));
    long start = System.nanoTime();
    this.library = library;
    this.accelerator = accelerator;
    this.target = target;
    programs = Programs.of(accelerator);
    queue = accelerator.new Queue();
    opened(start);
    Debug.log(
        Debug.DEVICES,
        () ->
            "[tornado] "
                + name()
                + " matrix products by "
                + (library == null ? "built-in kernels" : "cuBLAS"));
  }

  /**
   * Returns the target of rendered kernels. Processors run work items sequentially: each additional
   * lane is another loop, and barriers are expensive. So a row has one lane there.
   */
  static Target targetOf(Accelerator accelerator) {
    int largest = (int) Math.min(1024, accelerator.largestGroup());
    return new Target(
        new JavaDialect(KernelContext.class.getName(), FloatArray.class.getPackageName()),
        accelerator.computesF64(),
        accelerator.processor() ? largest : Math.min(256, largest),
        accelerator.processor() ? 1 : Math.min(256, largest),
        accelerator.units(),
        accelerator.localMemory());
  }

  @Override
  public String description() {
    return accelerator.description();
  }

  /** Returns the memory of a buffer; null for a buffer without memory. */
  static Accelerator.Memory memory(Buffer buffer) {
    return buffer instanceof DriverBuffer<?> b ? (Accelerator.Memory) b.memory() : null;
  }

  /** Returns a placeholder for buffers without memory, which the kernel does not read. */
  Accelerator.Memory empty() {
    if (empty == null) {
      empty = scratch(0);
    }
    return empty;
  }

  @Override
  protected void copyIn(Accelerator.Memory memory, long offset, MemorySegment source) {
    failing("write", () -> queue.write(memory, offset, source));
  }

  @Override
  protected void copyOut(Accelerator.Memory memory, long offset, MemorySegment to) {
    failing("read", () -> queue.read(memory, offset, to));
  }

  @Override
  protected void finish(String op) {
    failing(op, queue::finish);
  }

  private void failing(String op, Runnable work) {
    try {
      work.run();
    } catch (TornadoBailoutRuntimeException | TornadoRuntimeException e) {
      throw Failure.of(op, name(), e);
    }
  }

  /**
   * Returns true if own kernels compute the product: the tiled kernel fuses any element-wise
   * prologue and epilogue, cuBLAS none.
   */
  @Override
  public boolean fuses(Kernel.FusedGemm kernel) {
    return kernel.gemm() instanceof Kernel.Gemm g
        ? library == null || !library.takes(g)
        : target.fuses(kernel);
  }

  @Override
  public Launch prepare(Kernel kernel) {
    checkOpen(kernel.name());
    return new TornadoLaunch(this, kernel);
  }

  @Override
  protected void closing() {
    queue.finish();
    if (library != null) {
      library.close();
    }
    queue.close();
  }

  @Override
  protected void released() {}
}
