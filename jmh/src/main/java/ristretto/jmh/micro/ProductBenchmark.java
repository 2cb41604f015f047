package ristretto.jmh.micro;

import org.openjdk.jmh.annotations.Param;

/** Matrix products with and without epilogue, and the bare call of OpenBLAS. */
public class ProductBenchmark extends LineBenchmark {
  @Param({"dot", "dense"})
  public String line;

  @Param({"64x64x64", "256x256x256", "1024x1024x1024", "8192x1024x1024"})
  public String size;

  @Param({"ours", "blas"})
  public String competitor;

  @Override
  String line() {
    return line;
  }

  @Override
  String size() {
    return size;
  }

  @Override
  String competitor() {
    return competitor;
  }
}
