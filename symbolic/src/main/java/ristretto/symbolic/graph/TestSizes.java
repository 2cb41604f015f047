package ristretto.symbolic.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import ristretto.expr.dim.Dim;
import ristretto.expr.dim.UnknownDims;

/**
 * Known dimensions to test formulas with that read unknown dimensions as numbers: the k-th unknown
 * dimension is {@code first + k * step}, and at least 1.
 */
public record TestSizes(long first, long step) {
  private static final long[] SIZES = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 32, 48, 64, 100, 128, 256, 500, 768, 1000, 5040
  };

  /** Returns sizes for a formula of some inputs, with their known dimensions among them. */
  public static List<TestSizes> all(List<? extends Variable<?>> inputs) {
    var sizes = new TreeSet<Long>();
    LongStream.of(SIZES).forEach(sizes::add);
    inputs.forEach(
        v -> Arrays.stream(v.dims().toArray()).filter(d -> d != Dims.UNKNOWN).forEach(sizes::add));
    var all = new ArrayList<TestSizes>();
    for (long size : sizes) {
      all.add(new TestSizes(size, 0));
      all.add(new TestSizes(size, 1));
      all.add(new TestSizes(size, size));
      all.add(new TestSizes(size * 9, -size));
    }
    return all;
  }

  /** Returns the size of the k-th unknown dimension. */
  public long at(long k) {
    return Math.max(1, first + k * step);
  }

  /**
   * Returns the sizes of the unknown dimensions of a scope, one after the other, such that
   * dimensions that must be equal are.
   */
  LongSupplier next(UnknownDims unknown) {
    int[] k = {0};
    return () -> unknown.value(new Dim.Atom.Symbol(k[0]++), this::at);
  }
}
