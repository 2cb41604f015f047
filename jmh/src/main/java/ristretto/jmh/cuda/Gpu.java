package ristretto.jmh.cuda;

import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** GPU with a stream and its primary context; the engine must have loaded JCuda before. */
public final class Gpu implements AutoCloseable {
  final CUstream stream = new CUstream();
  private final CUdevice device = new CUdevice();

  /**
   * Opens a GPU.
   *
   * @param index index of the device in the engine's order
   */
  public Gpu(int index) {
    JCudaDriver.setExceptionsEnabled(true);
    try {
      JCudaDriver.cuDeviceGet(device, index);
      var context = new CUcontext();
      JCudaDriver.cuDevicePrimaryCtxRetain(context, device);
      JCudaDriver.cuCtxSetCurrent(context);
      JCudaDriver.cuStreamCreate(stream, 1);
    } finally {
      JCudaDriver.setExceptionsEnabled(false);
    }
  }

  /**
   * Allocates device memory.
   *
   * @throws IllegalStateException if the memory does not suffice
   */
  static CUdeviceptr allocate(long bytes) {
    var memory = new CUdeviceptr();
    check(JCudaDriver.cuMemAlloc(memory, bytes));
    return memory;
  }

  static void check(int status) {
    if (status != 0) {
      throw new IllegalStateException("CUDA reports " + CUresult.stringFor(status));
    }
  }

  void synchronize() {
    check(JCudaDriver.cuStreamSynchronize(stream));
  }

  @Override
  public void close() {
    JCudaDriver.cuStreamDestroy(stream);
  }
}
