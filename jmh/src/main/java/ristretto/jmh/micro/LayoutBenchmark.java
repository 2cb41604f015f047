package ristretto.jmh.micro;

import org.openjdk.jmh.annotations.Param;

/** Broadcasts, transposed and strided copies. */
public class LayoutBenchmark extends LineBenchmark {
  @Param({"biasrelu", "transpose", "rowslice", "colslice"})
  public String line;

  @Param({"1024x1024", "4096x1024"})
  public String size;

  @Param({"ours", "twin", "C"})
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
