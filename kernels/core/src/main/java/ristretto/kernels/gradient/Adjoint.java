package ristretto.kernels.gradient;

import java.util.Arrays;
import java.util.List;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Reverse-mode derivative of a tape: gradients of its inputs from the gradient of its single
 * output.
 */
public final class Adjoint {
  private final Tape tape;
  private final TapeBuilder to = new TapeBuilder();
  private final int[] forward;
  private final int[] adjoints;

  private Adjoint(Tape tape) {
    this.tape = tape;
    this.forward = new int[tape.size()];
    this.adjoints = new int[tape.size()];
    Arrays.fill(adjoints, Derivative.NONE);
  }

  /**
   * Returns the tape of the gradient of output 0, which must be floating point.
   *
   * @param weight unused slot of the tape that supplies the gradient of the output
   * @param slots input slots whose gradients are computed
   * @return a tape that reads the same slots and {@code weight}; its output k is the gradient of
   *     {@code slots.get(k)}, a constant 0 where there is none
   */
  public static Tape of(Tape tape, int weight, List<Integer> slots) {
    return new Adjoint(tape).gradients(weight, slots);
  }

  private Tape gradients(int weight, List<Integer> slots) {
    for (int row = 0; row < tape.size(); row++) {
      forward[row] = copy(tape.node(row));
    }
    int output = tape.outputs().get(0);
    adjoints[output] = to.input(weight, tape.outputType(0));
    for (int row = output; row >= 0; row--) {
      if (adjoints[row] != Derivative.NONE) {
        spread(row);
      }
    }
    int[] outputs = new int[slots.size()];
    for (int k = 0; k < outputs.length; k++) {
      outputs[k] = gradient(slots.get(k));
    }
    return to.build(outputs);
  }

  private int copy(Node node) {
    return switch (node) {
      case Node.Const n -> to.intern(n);
      case Node.Input n -> to.input(n.slot(), n.type());
      case Node.Apply n -> apply(n);
      case Node.Random n ->
          to.random(n.distribution(), n.type(), forward[n.seed()], forward[n.counter()]);
      case Node.Call n -> to.call(n.function(), arguments(n));
    };
  }

  private int apply(Node.Apply n) {
    int a = forward[n.a()];
    if (n.op().kind() == Op.Kind.CAST) {
      return n.op() == Op.BITCAST ? to.bitcast(a, n.type()) : to.convert(a, n.type());
    }
    return switch (n.op().arity()) {
      case 1 -> to.apply(n.op(), a);
      case 2 -> to.apply(n.op(), a, forward[n.b()]);
      default -> to.apply(n.op(), a, forward[n.b()], forward[n.c()]);
    };
  }

  private List<Integer> arguments(Node.Call call) {
    return call.arguments().stream().map(row -> forward[row]).toList();
  }

  /** Propagates the gradient of a row to its operands. */
  private void spread(int row) {
    switch (tape.node(row)) {
      case Node.Apply n -> {
        int[] operands =
            n.c() >= 0
                ? new int[] {n.a(), n.b(), n.c()}
                : n.b() >= 0 ? new int[] {n.a(), n.b()} : new int[] {n.a()};
        int[] x = Arrays.stream(operands).map(k -> forward[k]).toArray();
        var rule = new Derivative(to, forward[row], adjoints[row]);
        for (int k = 0; k < operands.length; k++) {
          if (tape.node(operands[k]).type().isFloat()) {
            add(operands[k], rule.of(n.op(), k, x));
          }
        }
      }
      case Node.Call n -> {
        for (int k = 0; k < n.arguments().size(); k++) {
          if (tape.node(n.arguments().get(k)).type().isFloat()) {
            int slope = to.call(Tangent.of(n.function(), k), arguments(n));
            add(n.arguments().get(k), to.apply(Op.MUL, adjoints[row], slope));
          }
        }
      }
      case Node.Const _, Node.Input _, Node.Random _ -> {}
    }
  }

  private void add(int row, int weight) {
    if (weight == Derivative.NONE || to.node(weight) instanceof Node.Const c && c.is(0)) {
      return;
    }
    adjoints[row] =
        adjoints[row] == Derivative.NONE ? weight : to.apply(Op.ADD, adjoints[row], weight);
  }

  private int gradient(int slot) {
    for (int row = 0; row < tape.size(); row++) {
      if (tape.node(row) instanceof Node.Input in && in.slot() == slot) {
        if (adjoints[row] != Derivative.NONE) {
          return adjoints[row];
        }
        if (in.type().isFloat()) {
          return to.constant(in.type(), 0);
        }
      }
    }
    return to.constant(ScalarType.F32, 0);
  }
}
