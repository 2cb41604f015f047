package ristretto.jmh.line;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Line of the table: one computation that every competitor implements.
 *
 * @param name name for competitors and options
 * @param formula formula for users
 * @param family group that determines the columns
 * @param inputs inputs in the order of the competitors' parameters
 * @param output number of elements of the result at a given size
 * @param traffic minimum number of bytes that move between memory and core at a given size
 * @param streams memory streams, which select the bandwidth limit
 * @param sizes sizes that are measured by default
 * @param oracle result in double precision
 */
public record Line(
    String name,
    String formula,
    Family family,
    List<Input> inputs,
    ToLongFunction<Dims> output,
    ToLongFunction<Dims> traffic,
    Streams streams,
    List<Dims> sizes,
    Oracle oracle) {

  /** Groups of lines with common columns and a common unit. */
  public enum Family {
    /** Element-wise over flat arrays. */
    MAP,
    /** Sum of all elements. */
    SUM,
    /** Several passes over each row. */
    ROWS,
    /** Reductions over some axes. */
    REDUCE,
    /** Broadcasts, transposes, slices. */
    LAYOUT,
    /** Matrix products. */
    GEMM
  }

  /** Numbers of memory streams; a line's bandwidth limit is a plain loop over as many streams. */
  public record Streams(int reads, int writes) {}

  /** Computes element {@code index} of the result in double precision from the float inputs. */
  @FunctionalInterface
  public interface Oracle {
    double value(Dims dims, List<Input> inputs, long index);
  }

  public long outputLength(Dims dims) {
    return output.applyAsLong(dims);
  }

  public long bytes(Dims dims) {
    return traffic.applyAsLong(dims);
  }

  /**
   * Number of elements for times per element: the largest operand's; for products and layouts, the
   * result's.
   */
  public long elements(Dims dims) {
    if (family == Family.GEMM) {
      return outputLength(dims);
    }
    long most = outputLength(dims);
    for (Input input : inputs) {
      most = Math.max(most, input.length().applyAsLong(dims));
    }
    return family == Family.LAYOUT ? outputLength(dims) : most;
  }

  public double expected(Dims dims, long index) {
    return oracle.value(dims, inputs, index);
  }
}
