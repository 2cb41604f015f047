package ristretto.cuda;

import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.driver.MemoryPool;

/**
 * Source of device memory for the memory pool. Allocation is ordered on the stream where the GPU
 * supports it, so that allocating and freeing do not synchronize.
 */
record CudaMemory(Hardware hardware, Handles.Stream stream)
    implements MemoryPool.Source<Handles.Memory> {
  @Override
  public Handles.Memory create(long bytes) {
    var memory = new Handles.Memory();
    int status =
        hardware.pools()
            ? JCudaDriver.cuMemAllocAsync(memory, bytes, stream)
            : JCudaDriver.cuMemAlloc(memory, bytes);
    if (status == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
      return null;
    }
    Failure.check(status, "allocate", hardware);
    return memory;
  }

  @Override
  public void release(Handles.Memory memory) {
    if (hardware.pools()) {
      JCudaDriver.cuMemFreeAsync(memory, stream);
    } else {
      JCudaDriver.cuMemFree(memory);
    }
  }

  @Override
  public long total() {
    return hardware.memory();
  }

  @Override
  public String words() {
    return MemoryLimit.words(hardware.memory());
  }
}
