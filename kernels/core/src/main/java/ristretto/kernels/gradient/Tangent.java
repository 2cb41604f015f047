package ristretto.kernels.gradient;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Forward-mode derivative of a function with loops: each floating-point local has a second local
 * that holds its derivative with respect to one parameter.
 */
final class Tangent {
  private final Function function;
  private final int parameter;

  /** Number of the derivative's local, by local; -1 for locals without one. */
  private final int[] slopes;

  private final List<ScalarType> locals = new ArrayList<>();

  private Tangent(Function function, int parameter) {
    this.function = function;
    this.parameter = parameter;
    this.slopes = new int[function.locals().size()];
    locals.addAll(function.locals());
    for (int k = 0; k < slopes.length; k++) {
      slopes[k] = -1;
      if (function.locals().get(k).isFloat()) {
        slopes[k] = locals.size();
        locals.add(function.locals().get(k));
      }
    }
  }

  /** Returns the function's derivative with respect to a parameter, both floating point. */
  static Function of(Function function, int parameter) {
    return new Tangent(function, parameter).build();
  }

  private Function build() {
    var blocks = new ArrayList<Function.Block>();
    blocks.add(start());
    for (Function.Block block : function.blocks()) {
      blocks.add(block(block));
    }
    return new Function(
        function.name() + "Slope" + parameter,
        function.parameters(),
        locals,
        function.result(),
        blocks);
  }

  /** Sets the derivative of the parameter itself to 1; all other derivatives start as 0. */
  private Function.Block start() {
    var tape = new TapeBuilder();
    int one = tape.constant(function.locals().get(parameter), 1);
    return new Function.Block(
        tape.build(one), List.of(slopes[parameter]), new Function.End.Jump(1));
  }

  private Function.Block block(Function.Block block) {
    Tape tape = block.tape();
    var to = new TapeBuilder();
    int[] values = to.inline(all(tape), inputs(tape, to));
    int[] rates = new int[tape.size()];
    for (int row = 0; row < rates.length; row++) {
      rates[row] = tape.node(row).type().isFloat() ? rate(tape, row, values, rates, to) : -1;
    }
    var outputs = new ArrayList<Integer>();
    var targets = new ArrayList<Integer>();
    for (int k = 0; k < block.targets().size(); k++) {
      outputs.add(values[tape.outputs().get(k)]);
      targets.add(block.targets().get(k));
    }
    for (int k = 0; k < block.targets().size(); k++) {
      int slope = slopes[block.targets().get(k)];
      if (slope >= 0) {
        outputs.add(rates[tape.outputs().get(k)]);
        targets.add(slope);
      }
    }
    Function.End end =
        switch (block.end()) {
          case Function.End.Jump e -> new Function.End.Jump(e.block() + 1);
          case Function.End.Branch e -> {
            outputs.add(values[tape.outputs().get(e.output())]);
            yield new Function.End.Branch(outputs.size() - 1, e.then() + 1, e.otherwise() + 1);
          }
          case Function.End.Return e -> {
            outputs.add(rates[tape.outputs().get(e.output())]);
            yield new Function.End.Return(outputs.size() - 1);
          }
        };
    return new Function.Block(
        to.build(outputs.stream().mapToInt(row -> row).toArray()), targets, end);
  }

  /**
   * Returns the tape with every row as an output, so that inlining returns the position of each
   * row.
   */
  private static Tape all(Tape tape) {
    var rows = new ArrayList<Integer>();
    for (int row = 0; row < tape.size(); row++) {
      rows.add(row);
    }
    return new Tape(tape.nodes(), rows);
  }

  private int[] inputs(Tape tape, TapeBuilder to) {
    int[] rows = new int[tape.slots()];
    for (Node node : tape.nodes()) {
      if (node instanceof Node.Input in) {
        rows[in.slot()] = to.input(in.slot(), in.type());
      }
    }
    return rows;
  }

  private int rate(Tape tape, int row, int[] values, int[] rates, TapeBuilder to) {
    ScalarType type = tape.node(row).type();
    int zero = to.constant(type, 0);
    return switch (tape.node(row)) {
      case Node.Const _, Node.Random _ -> zero;
      case Node.Input in -> to.input(slopes[in.slot()], type);
      case Node.Apply n -> {
        int[] operands =
            n.c() >= 0
                ? new int[] {n.a(), n.b(), n.c()}
                : n.b() >= 0 ? new int[] {n.a(), n.b()} : new int[] {n.a()};
        int[] x = java.util.Arrays.stream(operands).map(k -> values[k]).toArray();
        int sum = zero;
        for (int k = 0; k < operands.length; k++) {
          ScalarType from = tape.node(operands[k]).type();
          if (from.isFloat()) {
            // The derivative rule needs a factor of the result's type.
            int weight = to.convert(rates[operands[k]], type);
            int part = n.op() == Op.CONVERT ? weight : part(to, n.op(), k, values[row], weight, x);
            sum = to.apply(Op.ADD, sum, part);
          }
        }
        yield sum;
      }
      case Node.Call n -> {
        int sum = zero;
        List<Integer> arguments = n.arguments().stream().map(k -> values[k]).toList();
        for (int k = 0; k < arguments.size(); k++) {
          int argument = n.arguments().get(k);
          if (tape.node(argument).type().isFloat()) {
            int slope = to.call(of(n.function(), k), arguments);
            int weight = to.convert(rates[argument], type);
            sum = to.apply(Op.ADD, sum, to.apply(Op.MUL, slope, weight));
          }
        }
        yield sum;
      }
    };
  }

  private static int part(TapeBuilder to, Op op, int k, int y, int weight, int... x) {
    int part = new Derivative(to, y, weight).of(op, k, x);
    return part == Derivative.NONE ? to.constant(to.type(y), 0) : part;
  }
}
