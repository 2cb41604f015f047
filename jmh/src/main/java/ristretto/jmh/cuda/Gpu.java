package ristretto.jmh.cuda;

import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** A GPU with the least that is needed to use it; JCuda is loaded by the engine before. */
public final class Gpu implements AutoCloseable {
  final CUstream stream = new CUstream();
  private final CUdevice device = new CUdevice();

  /**
   * @param index as the engine counts
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

  /** Device memory. @throws IllegalStateException if there is none */
  static CUdeviceptr allocate(long bytes) {
    var memory = new CUdeviceptr();
    check(JCudaDriver.cuMemAlloc(memory, bytes));
    return memory;
  }

  static void check(int status) {
    if (status != 0) {
      throw new IllegalStateException("CUDA answers " + CUresult.stringFor(status));
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
