package ristretto.kernels.source;

import java.util.List;
import ristretto.kernels.scalar.ScalarType;

/**
 * A kernel as a program and the launches of its entry points, in order.
 *
 * @param program source text; the same for kernels that differ in sizes only
 * @param constants numbers for which parameters do not suffice, one block for all entry points
 * @param scratch bytes of each temporary buffer
 * @param targets buffer arguments that are written
 */
public record Routine(
    String program,
    List<Long> constants,
    List<Step> steps,
    List<Long> scratch,
    List<Integer> targets) {
  public Routine {
    constants = List.copyOf(constants);
    steps = List.copyOf(steps);
    scratch = List.copyOf(scratch);
    targets = List.copyOf(targets);
  }

  /**
   * One launch.
   *
   * @param entry name of a kernel function
   * @param arguments by its parameters
   * @param groups work groups, by dimension
   * @param group work items of a group, by dimension
   */
  public record Step(String entry, List<Argument> arguments, List<Long> groups, List<Long> group) {
    public Step {
      arguments = List.copyOf(arguments);
      groups = List.copyOf(groups);
      group = List.copyOf(group);
    }
  }

  /** What a parameter of an entry point is given. */
  public sealed interface Argument {
    /** The block of constants, 64 bits each. */
    record Constants() implements Argument {}

    /** A buffer argument of the kernel. */
    record Memory(int buffer) implements Argument {}

    /** A temporary buffer. */
    record Scratch(int number) implements Argument {}

    /** A launch scalar; a BOOL is passed as an I32. */
    record Scalar(ScalarType type, int argument) implements Argument {}

    /** A number of type I32 or I64: a size, a stride, an offset. */
    record Number(ScalarType type, long value) implements Argument {}
  }
}
