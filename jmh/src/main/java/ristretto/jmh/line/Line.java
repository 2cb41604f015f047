package ristretto.jmh.line;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * One line of the table: a piece of work that every competitor does in its own way.
 *
 * @param name how competitors and options call it
 * @param formula for people
 * @param family decides the columns that make sense
 * @param inputs in the order competitors take them
 * @param output elements of the result at a given size
 * @param traffic bytes that must move between memory and core at a given size
 * @param streams streams read, and whether one is written: which bandwidth is its limit
 * @param sizes measured by default
 * @param oracle the result in double precision
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

  /** Lines of a family share their columns and their unit. */
  public enum Family {
    /** Element by element over flat arrays. */
    MAP,
    /** Of everything to one number. */
    SUM,
    /** Several passes over each row. */
    ROWS,
    /** Over some axes. */
    REDUCE,
    /** Broadcasts, transposes, slices. */
    LAYOUT,
    /** Matrix products. */
    GEMM
  }

  /** Memory streams: the bandwidth a line can reach is that of a plain loop over as many. */
  public record Streams(int reads, int writes) {}

  /** Element {@code index} of the result in double precision, of the float inputs. */
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

  /** Elements that a time per element divides by: of the largest operand. */
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
