package ristretto.jmh.cuda;

import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.LoopJob;

/**
 * Bandwidth limit of a line: the time in which the driver copies as many bytes on the GPU, each
 * read once and written once. It computes no result, so no error is reported.
 */
public final class DeviceCopy implements Competitor {
  private final Gpu gpu;

  public DeviceCopy(Gpu gpu) {
    this.gpu = gpu;
  }

  @Override
  public String name() {
    return "copy";
  }

  @Override
  public Offer prepare(Line line, Dims dims) {
    if (line.family() == Line.Family.GEMM) {
      return new NotOffered();
    }
    long bytes = Math.max(4, line.bytes(dims) / 2);
    CUdeviceptr from = Gpu.allocate(bytes);
    CUdeviceptr to = Gpu.allocate(bytes);
    return new Ready(
        new LoopJob(
            () -> Gpu.check(JCudaDriver.cuMemcpyDtoDAsync(to, from, bytes, gpu.stream)),
            gpu::synchronize,
            i -> line.expected(dims, i),
            () -> {
              JCudaDriver.cuMemFree(from);
              JCudaDriver.cuMemFree(to);
            }));
  }
}
