package ristretto.symbolic.layers.gradient;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.automaton.Automaton;
import ristretto.symbolic.automaton.AutomatonInput;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Operands of one recipe: parameters, and inputs with their values. */
final class Operands {
  private final Context ctx;
  private final List<Consumer<Executor>> inputs = new ArrayList<>();
  private int count;

  Operands(Context ctx) {
    this.ctx = ctx;
  }

  private String name() {
    return "operand" + count++;
  }

  /** Creates a parameter with normally distributed values. */
  Variable<F64> of(long... dims) {
    return Variable.parameter(name(), Ops.F64, Initializer.normal(1), dims);
  }

  /** Creates an input of indices, whose dimensions are not declared. */
  Variable<I32> indices(int[] values, long... dims) {
    Variable<I32> v = Variable.input(name(), Ops.I32, unknown(dims));
    inputs.add(e -> e.set(v, ctx.tensor(values, dims)));
    return v;
  }

  /** Creates inputs for automata. */
  AutomatonInput<F64> automata(Automaton... automata) {
    AutomatonInput<F64> all = AutomatonInput.of(name(), Ops.F64);
    inputs.add(e -> all.set(List.of(automata), e::set));
    return all;
  }

  /** Creates a mask of dimensions that are not declared, true in two of three places. */
  Variable<BOOL> mask(long... dims) {
    Variable<BOOL> v = Variable.input(name(), Ops.BOOL, unknown(dims));
    int size = 1;
    for (long d : dims) {
      size *= (int) d;
    }
    var seen = new boolean[size];
    for (int k = 0; k < size; k++) {
      seen[k] = k * 5 % 3 != 1;
    }
    inputs.add(e -> e.set(v, ctx.tensor(seen, dims)));
    return v;
  }

  private static long[] unknown(long[] dims) {
    var all = new long[dims.length];
    java.util.Arrays.fill(all, -1);
    return all;
  }

  /** Sets a value of an input that the layer created. */
  <T> void set(Variable<T> input, ristretto.expr.Expr<T> value) {
    inputs.add(e -> e.set(input, value));
  }

  void setIn(Executor executor) {
    inputs.forEach(set -> set.accept(executor));
  }
}
