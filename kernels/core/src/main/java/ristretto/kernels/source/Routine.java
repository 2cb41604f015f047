package ristretto.kernels.source;

import java.util.List;
import ristretto.kernels.scalar.ScalarType;

/**
 * Kernel as a program and the launches of its entry points, in order.
 *
 * @param program source text, common to kernels that differ only in sizes
 * @param constants numbers beyond the limit on parameters, one block for all entry points
 * @param scratch size in bytes of each temporary buffer
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
   * One launch of an entry point.
   *
   * @param entry name of a kernel function
   * @param arguments in the order of its parameters
   * @param groups number of work groups, by dimension
   * @param group work items per group, by dimension
   */
  public record Step(String entry, List<Argument> arguments, List<Long> groups, List<Long> group) {
    public Step {
      arguments = List.copyOf(arguments);
      groups = List.copyOf(groups);
      group = List.copyOf(group);
    }
  }

  /** Argument of an entry point. */
  public sealed interface Argument {
    /** Block of constants, 64 bits each. */
    record Constants() implements Argument {}

    /** Buffer argument of the kernel. */
    record Memory(int buffer) implements Argument {}

    /** Temporary buffer, by number. */
    record Scratch(int number) implements Argument {}

    /** Launch scalar; a BOOL is passed as an I32. */
    record Scalar(ScalarType type, int argument) implements Argument {}

    /** Number of type I32 or I64: a size, a stride, an offset. */
    record Number(ScalarType type, long value) implements Argument {}
  }
}
