package ristretto.kernels.scalar;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Evaluates a {@link Tape}, row by row, on boxed Java values (see {@link ScalarOps}). Only the rows
 * that an output needs are evaluated, so that only the inputs it needs are asked for.
 */
public final class TapeInterpreter {
  /** Precision in which floating-point rows are computed. */
  public enum Arithmetic {
    /** F32 rows in float, F64 rows in double. */
    TYPED,
    /** All in double, nothing rounded in between: the oracle. */
    DOUBLE
  }

  private static final int LONGEST_LOOP = 50_000_000;

  private final Tape tape;
  private final Arithmetic arithmetic;
  private final List<int[]> neededRows = new ArrayList<>();

  public TapeInterpreter(Tape tape, Arithmetic arithmetic) {
    this.tape = tape;
    this.arithmetic = arithmetic;
    for (int root : tape.outputs()) {
      boolean[] needed = new boolean[tape.size()];
      needed[root] = true;
      var rows = new ArrayList<Integer>();
      for (int row = root; row >= 0; row--) {
        if (needed[row]) {
          rows.addFirst(row);
          tape.node(row).forEachOperand(operand -> needed[operand] = true);
        }
      }
      neededRows.add(rows.stream().mapToInt(r -> r).toArray());
    }
  }

  /** The value of output {@code k}; {@code inputs} gives the value of an input slot. */
  public Object output(int k, IntFunction<Object> inputs) {
    Object[] values = new Object[tape.size()];
    for (int row : neededRows.get(k)) {
      values[row] = row(tape.node(row), values, inputs);
    }
    return values[tape.outputs().get(k)];
  }

  /** The values of all outputs. */
  public Object[] outputs(IntFunction<Object> inputs) {
    Object[] values = new Object[tape.size()];
    for (int[] rows : neededRows) {
      for (int row : rows) {
        if (values[row] == null) {
          values[row] = row(tape.node(row), values, inputs);
        }
      }
    }
    return tape.outputs().stream().map(row -> values[row]).toArray();
  }

  private Object row(Node node, Object[] values, IntFunction<Object> inputs) {
    return switch (node) {
      case Node.Const n -> widen(ScalarOps.value(n.type(), n.bits()));
      case Node.Input n -> checkType(n, widen(inputs.apply(n.slot())));
      case Node.Apply n -> apply(n, values);
      case Node.Random n -> {
        Object drawn =
            Philox.draw(
                n.distribution(), n.type(), (Long) values[n.seed()], (Long) values[n.counter()]);
        yield drawn instanceof Double ? ScalarOps.convert(drawn, computed(n.type())) : drawn;
      }
      case Node.Call n ->
          call(n.function(), n.arguments().stream().map(row -> values[row]).toList());
    };
  }

  private Object apply(Node.Apply n, Object[] values) {
    Object a = values[n.a()];
    return switch (n.op()) {
      case CONVERT -> ScalarOps.convert(a, computed(n.type()));
      case BITCAST -> {
        Object exact = ScalarOps.convert(a, tape.node(n.a()).type());
        yield widen(ScalarOps.value(n.type(), signExtended(n.type(), ScalarOps.bits(exact))));
      }
      default ->
          ScalarOps.apply(
              n.op(), a, n.b() < 0 ? null : values[n.b()], n.c() < 0 ? null : values[n.c()]);
    };
  }

  private static long signExtended(ScalarType type, long bits) {
    return type == ScalarType.I32 ? (int) bits : bits;
  }

  private Object call(Function function, List<Object> arguments) {
    Object[] locals = new Object[function.locals().size()];
    for (int k = 0; k < locals.length; k++) {
      locals[k] =
          k < arguments.size()
              ? arguments.get(k)
              : widen(ScalarOps.value(function.locals().get(k), 0));
    }
    var blocks = new ArrayList<TapeInterpreter>();
    function.blocks().forEach(block -> blocks.add(new TapeInterpreter(block.tape(), arithmetic)));
    int current = 0;
    for (int step = 0; step < LONGEST_LOOP; step++) {
      Function.Block block = function.blocks().get(current);
      Object[] results = blocks.get(current).outputs(slot -> locals[slot]);
      for (int k = 0; k < block.targets().size(); k++) {
        locals[block.targets().get(k)] = results[k];
      }
      switch (block.end()) {
        case Function.End.Jump end -> current = end.block();
        case Function.End.Branch end ->
            current = (Boolean) results[end.output()] ? end.then() : end.otherwise();
        case Function.End.Return end -> {
          return results[end.output()];
        }
      }
    }
    throw new AssertionError("no end after " + LONGEST_LOOP + " blocks of " + function.name());
  }

  /** The type that rows of {@code type} are computed in. */
  private ScalarType computed(ScalarType type) {
    return arithmetic == Arithmetic.DOUBLE && type == ScalarType.F32 ? ScalarType.F64 : type;
  }

  private Object widen(Object value) {
    return arithmetic == Arithmetic.DOUBLE && value instanceof Float f
        ? (Object) (double) f
        : value;
  }

  private Object checkType(Node.Input n, Object value) {
    boolean fits =
        switch (computed(n.type())) {
          case BOOL -> value instanceof Boolean;
          case I32 -> value instanceof Integer;
          case I64 -> value instanceof Long;
          case F32 -> value instanceof Float;
          case F64 -> value instanceof Double;
          case I8, U8, I16, U16, U32, U64, F16, BF16 -> false;
        };
    if (!fits) {
      throw new AssertionError("input " + n.slot() + " is " + n.type() + "; got " + value);
    }
    return value;
  }
}
