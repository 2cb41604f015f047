package ristretto.jmh.micro;

import org.openjdk.jmh.annotations.Param;

/** Element-wise lines and their sum, with hand-written twins and bandwidth limit. */
public class MapBenchmark extends LineBenchmark {
  @Param({"copy", "axpby", "sigmoid", "gelu", "mix8", "blackscholes", "sum3"})
  public String line;

  @Param({"1000", "100000", "1000000", "10000000", "50000000"})
  public String size;

  @Param({"ours", "twin", "C", "limit"})
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
