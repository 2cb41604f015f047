package ristretto.opencl;

import static org.jocl.CL.*;

import org.jocl.CLException;
import org.jocl.cl_context;
import org.jocl.cl_mem;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.driver.MemoryPool;

/** Source of device memory for the memory pool: one OpenCL buffer per allocation. */
record OpenClMemory(cl_context context, Hardware hardware) implements MemoryPool.Source<cl_mem> {
  @Override
  public cl_mem create(long bytes) {
    if (bytes > hardware.largestBuffer()) {
      return null;
    }
    try {
      return clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, null, null);
    } catch (CLException e) {
      return switch (e.getStatus()) {
        case CL_MEM_OBJECT_ALLOCATION_FAILURE,
            CL_OUT_OF_RESOURCES,
            CL_OUT_OF_HOST_MEMORY,
            CL_INVALID_BUFFER_SIZE ->
            null;
        default -> throw e;
      };
    }
  }

  @Override
  public void release(cl_mem memory) {
    clReleaseMemObject(memory);
  }

  @Override
  public long total() {
    return hardware.memory();
  }

  @Override
  public String words() {
    return MemoryLimit.words(hardware.memory())
        + " in buffers of at most "
        + MemoryLimit.words(hardware.largestBuffer());
  }
}
