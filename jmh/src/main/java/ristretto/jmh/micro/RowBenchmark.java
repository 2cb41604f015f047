package ristretto.jmh.micro;

import org.openjdk.jmh.annotations.Param;

/** Softmax, layer norm and reductions of a matrix. */
public class RowBenchmark extends LineBenchmark {
  @Param({"softmax", "layernorm", "colsum", "rowsum", "colmax"})
  public String line;

  @Param({"4096x1024"})
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
