package ristretto.opencl;

import static org.jocl.CL.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jocl.CLException;
import org.jocl.Pointer;
import org.jocl.cl_buffer_region;
import org.jocl.cl_command_queue;
import org.jocl.cl_context;
import org.jocl.cl_mem;
import ristretto.kernels.DeviceException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.driver.BlasChoice;
import ristretto.kernels.driver.DriverBuffer;
import ristretto.kernels.driver.DriverDevice;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.Target;

/**
 * OpenCL device with one in-order queue. All objects of one device share their compiled programs.
 * Launches are asynchronous; reading waits. All work holds this object's lock.
 */
final class OpenClDevice extends DriverDevice<cl_mem> {
  /** Maximum size of one copy in bytes: a Java byte buffer holds less than 2 GiB. */
  private static final long LARGEST_COPY = 1L << 30;

  /** Size in bytes of the off-heap staging buffer for copies from and to the Java heap. */
  private static final long STAGING = 4L << 20;

  final Hardware hardware;
  final Target target;
  final cl_context context;
  final cl_command_queue queue;
  final Programs programs;
  final ClBlast blast;

  OpenClDevice(Hardware hardware, int index) {
    this(hardware, index, targetOf(hardware), BlasChoice.fromSystem("opencl", "clblast"));
  }

  OpenClDevice(Hardware hardware, int index, Target target, BlasChoice products) {
    long start = System.nanoTime();
    Programs shared;
    cl_command_queue own;
    try {
      shared = Programs.of(hardware);
      own = createQueue(shared.context(), hardware);
    } catch (CLException e) {
      throw new DeviceException(
          ("[opencl:%s] the driver must open its device; it reports %s for %s; see whether"
                  + " another program holds it, or update the driver")
              .formatted(index, e.getMessage(), hardware.name()),
          e);
    }
    super("opencl", index, null, new OpenClMemory(shared.context(), hardware));
    programs = shared;
    context = shared.context();
    queue = own;
    this.hardware = hardware;
    this.target = target;
    this.blast = new ClBlast(name(), hardware.cpu(), products);
    opened(start);
  }

  // Deprecated since OpenCL 2.0, but supported by every version.
  @SuppressWarnings("deprecation")
  private static cl_command_queue createQueue(cl_context context, Hardware hardware) {
    return clCreateCommandQueue(context, hardware.id(), 0, null);
  }

  /**
   * Returns the target of rendered kernels. Processors run work items sequentially: each additional
   * lane is another loop, and barriers are expensive. So a row has one lane there.
   */
  static Target targetOf(Hardware hardware) {
    int group = hardware.cpu() ? 1024 : 256;
    int vectorBytes = hardware.cpu() ? hardware.vectorBytes() : 0;
    return new Target(
        new OpenClDialect(vectorBytes / 4),
        hardware.computesF64(),
        Math.min(group, hardware.largestGroup()),
        hardware.cpu() ? 1 : Math.min(256, Math.max(1, hardware.largestGroup())),
        hardware.units(),
        hardware.localMemory(),
        vectorBytes);
  }

  @Override
  public String description() {
    return hardware.description();
  }

  /** Returns the memory object of a buffer; null for a buffer without memory. */
  static cl_mem memory(Buffer buffer) {
    return buffer instanceof DriverBuffer<?> b ? (cl_mem) b.memory() : null;
  }

  @Override
  protected void copyIn(cl_mem memory, long offset, MemorySegment source) {
    transfer("write", memory, offset, source, true);
  }

  @Override
  protected void copyOut(cl_mem memory, long offset, MemorySegment to) {
    transfer("read", memory, offset, to, false);
  }

  @Override
  public long largestBuffer() {
    return hardware.largestBuffer();
  }

  @Override
  public int partAlignment() {
    return hardware.partAlignment();
  }

  @Override
  protected cl_mem part(cl_mem whole, long offset, long bytes) {
    try {
      var region = new cl_buffer_region(offset, bytes);
      return clCreateSubBuffer(
          whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, region, null);
    } catch (CLException e) {
      throw failed("part", e);
    }
  }

  @Override
  protected void releasePart(cl_mem part) {
    clReleaseMemObject(part);
  }

  private void transfer(String op, cl_mem memory, long offset, MemorySegment host, boolean write) {
    long bytes = host.byteSize();
    try (Arena arena = Arena.ofConfined()) {
      boolean heap = !host.isNative();
      MemorySegment staging = heap ? arena.allocate(Math.min(bytes, STAGING), 64) : null;
      long step = heap ? STAGING : LARGEST_COPY;
      for (long done = 0; done < bytes; done += step) {
        MemorySegment part = host.asSlice(done, Math.min(step, bytes - done));
        MemorySegment native0 = heap ? staging.asSlice(0, part.byteSize()) : part;
        Pointer pointer = Pointer.toBuffer(native0.asByteBuffer());
        long at = offset + done;
        long size = part.byteSize();
        if (write) {
          if (heap) {
            native0.copyFrom(part);
          }
          clEnqueueWriteBuffer(queue, memory, true, at, size, pointer, 0, null, null);
        } else {
          clEnqueueReadBuffer(queue, memory, true, at, size, pointer, 0, null, null);
          if (heap) {
            part.copyFrom(native0);
          }
        }
      }
    } catch (CLException e) {
      throw failed(op, e);
    }
  }

  /** Returns the exception for an error of the driver. */
  DeviceException failed(String op, CLException e) {
    return Failure.of(op, hardware.name(), e);
  }

  /**
   * Returns true if own kernels compute the product: the tiled kernel fuses any element-wise
   * prologue and epilogue, CLBlast none.
   */
  @Override
  public boolean fuses(Kernel.FusedGemm kernel) {
    return kernel.gemm() instanceof Kernel.Gemm g ? !blast.takes(g) : target.fuses(kernel);
  }

  @Override
  public Launch prepare(Kernel kernel) {
    checkOpen(kernel.name());
    return new OpenClLaunch(this, kernel);
  }

  @Override
  protected void finish(String op) {
    try {
      clFinish(queue);
    } catch (CLException e) {
      throw failed(op, e);
    }
  }

  @Override
  protected void closing() {
    try {
      clFinish(queue);
    } catch (CLException e) {
      Debug.log(Debug.DEVICES, () -> "[opencl] " + name() + " closes with " + e.getMessage());
    }
  }

  @Override
  protected void released() {
    clReleaseCommandQueue(queue);
  }
}
