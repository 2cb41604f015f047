package ristretto.tornado;

import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.driver.MemoryPool;

/** Source of device memory for the memory pool. */
record TornadoMemory(Accelerator accelerator) implements MemoryPool.Source<Accelerator.Memory> {
  @Override
  public Accelerator.Memory create(long bytes) {
    return bytes > accelerator.largestBuffer() ? null : accelerator.allocate(bytes);
  }

  @Override
  public void release(Accelerator.Memory memory) {
    accelerator.release(memory);
  }

  @Override
  public long total() {
    return accelerator.memory();
  }

  @Override
  public String words() {
    return MemoryLimit.words(accelerator.memory())
        + " in buffers of at most "
        + MemoryLimit.words(accelerator.largestBuffer());
  }
}
