package ristretto.nnet3.analysis;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Matrix of a computation.
 *
 * @param number index in {@link Assignments#memories}
 * @param name node whose value the matrix holds, or a derived name
 * @param role owner of the values
 * @param shape dimensions; positions, sequences and columns for the value of a node
 * @param holds indexes of the rows, for reports; empty if the matrix is no value of a node
 * @param rows number of rows
 * @param columns elements per row
 * @param bytes total size
 * @param slot slot of memory that a temporary shares with others, or with a result written after
 *     them; -1 for memory of its own
 * @param offset offset in the slot, in bytes
 * @param reason reason for storing the value; null for inputs of the user and parts of the model
 */
public record MatrixInfo(
    int number,
    String name,
    Role role,
    List<Long> shape,
    String holds,
    int rows,
    int columns,
    long bytes,
    int slot,
    long offset,
    Reason reason) {
  public MatrixInfo {
    shape = List.copyOf(shape);
  }

  /** Owner of the values of a matrix. */
  public enum Role {
    /** Supplied by the user. */
    INPUT,
    /** Read by the user. */
    OUTPUT,
    /**
     * Value that outlives the computation: read by a backward pass, or by the user, such as
     * derivatives of parameters.
     */
    KEPT,
    /** Part of the model, or an index vector or another constant. */
    PARAMETER,
    /** Intermediate value between kernels. */
    TEMPORARY
  }

  /** Reason for storing a value. */
  public enum Reason {
    OUTPUT(1, "requested"),
    OPERAND(2, "an operand of a product that no view expresses"),
    RESULT(3, "a result that its readers' kernels cannot compute"),
    BACKWARD(4, "the backward pass reads it"),
    RECURRENCE(5, "a recurrence closes here");

    private final int number;
    private final String text;

    Reason(int number, String text) {
      this.number = number;
      this.text = text;
    }

    /** Returns the number that reports print. */
    public int number() {
      return number;
    }

    @Override
    public String toString() {
      return number + ": " + text;
    }
  }

  /** Returns true if the values exist before the computation begins. */
  public boolean isGiven() {
    return role == Role.INPUT || role == Role.PARAMETER;
  }

  boolean isTemporary() {
    return role == Role.TEMPORARY;
  }

  /** Returns true if the matrices share at least one byte of a slot. */
  boolean overlaps(MatrixInfo other) {
    return slot == other.slot
        && offset < other.offset + other.bytes
        && other.offset < offset + bytes;
  }

  /** Returns the shape as {@code [T=3, N=8, D=40]}. */
  public String dims() {
    if (shape.size() == 3) {
      return String.format(
          Locale.ROOT, "[T=%d, N=%d, D=%d]", shape.get(0), shape.get(1), shape.get(2));
    }
    return shape.stream().map(String::valueOf).collect(Collectors.joining(", ", "[", "]"));
  }

  @Override
  public String toString() {
    return name + dims();
  }
}
