package ristretto.nnet3.analysis;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A matrix of a computation.
 *
 * @param number its place in {@link Assignments#memories}
 * @param name the node whose value it holds, or a name made of it
 * @param role who sets it
 * @param shape its axes; of a node's value places, sequences and columns
 * @param holds the indexes of its rows, for people; empty if it is no node's value
 * @param rows how many rows
 * @param columns elements of a row
 * @param bytes all of it
 * @param slot the place that a temporary shares with others, perhaps with a result that is written
 *     after them; -1 for what has a place of its own
 * @param offset where it begins there, in bytes
 * @param reason why it is in memory: see {@link Reason}; null for what the user or the model gives
 */
public record Memory(
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
  public Memory {
    shape = List.copyOf(shape);
  }

  /** Who sets memory. */
  public enum Role {
    /** The user supplies it. */
    INPUT,
    /** The user reads it. */
    OUTPUT,
    /** A value that stays: a backward pass reads it, or the user, as derivatives of parameters. */
    KEPT,
    /** Part of the model, or an index vector or another constant. */
    PARAMETER,
    /** A value between kernels. */
    TEMPORARY
  }

  /** Why a value is in memory. */
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

    /** As printed behind what it explains. */
    public int number() {
      return number;
    }

    @Override
    public String toString() {
      return number + ": " + text;
    }
  }

  /** Whether it is there before the computation begins. */
  public boolean isGiven() {
    return role == Role.INPUT || role == Role.PARAMETER;
  }

  boolean isTemporary() {
    return role == Role.TEMPORARY;
  }

  /** Whether some byte of its place is also one of another one's. */
  boolean overlaps(Memory other) {
    return slot == other.slot
        && offset < other.offset + other.bytes
        && other.offset < offset + bytes;
  }

  /** Its shape as {@code [T=3, N=8, D=40]}. */
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
