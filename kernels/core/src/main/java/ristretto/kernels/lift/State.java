package ristretto.kernels.lift;

import java.util.Arrays;

/** Local variables and operand stack at one point: tape rows, {@link #NONE} or {@link #OBJECT}. */
final class State {
  /** Marks an empty entry, or the second slot of a long or double. */
  static final int NONE = -1;

  /**
   * Marks a reference, which may be loaded and stored; every other use of a reference is refused.
   */
  static final int OBJECT = -2;

  final int[] locals;
  private int[] stack;
  private int depth;

  State(int locals) {
    this.locals = new int[locals];
    this.stack = new int[8];
    Arrays.fill(this.locals, NONE);
  }

  private State(State other) {
    this.locals = other.locals.clone();
    this.stack = other.stack.clone();
    this.depth = other.depth;
  }

  State copy() {
    return new State(this);
  }

  int depth() {
    return depth;
  }

  /** Stack entry {@code k} from the bottom. */
  int stack(int k) {
    return stack[k];
  }

  void push(int value) {
    if (depth == stack.length) {
      stack = Arrays.copyOf(stack, 2 * depth);
    }
    stack[depth++] = value;
  }

  int pop() {
    return stack[--depth];
  }
}
