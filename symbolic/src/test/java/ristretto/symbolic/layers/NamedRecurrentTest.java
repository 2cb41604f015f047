package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.GradientCheck;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;

/** Recurrent networks with a name, which can be applied several times. */
class NamedRecurrentTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<F64> a = Variable.input("a", F64, -1, -1, 3);
  private final Variable<F64> b = Variable.input("b", F64, -1, -1, 3);

  private void give(Executor executor) {
    executor.set(a, Ops.uniform(F64, 1, 4, 2, 3));
    executor.set(b, Ops.uniform(F64, 2, 5, 2, 3));
  }

  @Test
  void applicationsShareParameters() {
    for (Cell cell : List.of(Cell.lstm(), Cell.gru(), Cell.tanh())) {
      var network = new Recurrent("r", cell, 5).layers(2).bidirectional();
      Variable<F64> first = network.of(a).outputs();
      Variable<F64> second = network.of(b).outputs();
      var executor = new Executor(CTX, 7, first, second);
      give(executor);
      executor.forward();
      // Each network of its own has the same parameters, by name and seed.
      for (Variable<F64> in : List.of(a, b)) {
        Variable<F64> alone =
            Recurrent.of(cell, 5).layers(2).bidirectional().over("r", in).outputs();
        var other = new Executor(CTX, 7, alone);
        assertThat(executor.parameters()).hasSameSizeAs(other.parameters());
        give(other, in);
        other.forward();
        assertThat(other.tensor(alone).toDoubleArray())
            .containsExactly(executor.tensor(in == a ? first : second).toDoubleArray());
      }
    }
  }

  private void give(Executor executor, Variable<F64> in) {
    executor.set(in, in == a ? Ops.uniform(F64, 1, 4, 2, 3) : Ops.uniform(F64, 2, 5, 2, 3));
  }

  @Test
  void inputsWithLengthsOfTheirOwn() {
    var network = new Recurrent("r", Cell.gru(), 4).bidirectional();
    Variable<I32> ofA = Variable.input("ofA", I32, 2);
    Variable<I32> ofB = Variable.input("ofB", I32, 2);
    Recurrent.Result<F64> first = network.of(a, ofA);
    Recurrent.Result<F64> second = network.of(b, ofB, first.last());
    var plain = Recurrent.of(Cell.gru(), 4).bidirectional();
    Recurrent.Result<F64> firstAlone = plain.lengths(ofA).over("r", a);
    var executor = new Executor(CTX, 7, second.outputs(), first.outputs());
    assertThat(executor.parameters()).hasSize(8);
    var other = new Executor(CTX, 7, firstAlone.outputs(), firstAlone.last().get(0));
    give(executor);
    give(other, a);
    for (Executor e : List.of(executor, other)) {
      e.set(ofA, CTX.tensor(new int[] {4, 1}));
    }
    executor.set(ofB, CTX.tensor(new int[] {2, 5}));
    executor.forward();
    other.forward();
    assertThat(executor.tensor(first.outputs()).toDoubleArray())
        .containsExactly(other.tensor(firstAlone.outputs()).toDoubleArray());

    Variable<F64> state = Variable.input("state", F64, 2, -1, 4);
    Recurrent.Result<F64> secondAlone = plain.lengths(ofB).over("r", b, List.of(state));
    var last = new Executor(CTX, 7, secondAlone.outputs());
    give(last, b);
    last.set(ofB, CTX.tensor(new int[] {2, 5}));
    last.set(state, other.tensor(firstAlone.last().get(0)));
    last.forward();
    assertThat(executor.tensor(second.outputs()).toDoubleArray())
        .containsExactly(last.tensor(secondAlone.outputs()).toDoubleArray());
  }

  @Test
  void gradientsOfSharedParameters() {
    var network = new Recurrent("r", Cell.gru(), 4);
    Recurrent.Result<F64> first = network.of(a);
    Recurrent.Result<F64> second = network.of(b, first.last());
    Variable<F64> loss =
        Layers.sum(Layers.square(first.outputs()))
            .plus(Layers.sum(Layers.square(second.outputs())));
    var executor = new Executor(CTX, 7, loss);
    give(executor);
    GradientCheck.of(CTX, executor, loss);
  }

  @Test
  void messages() {
    var network = new Recurrent("r", Cell.lstm(), 5);
    network.of(a);
    Variable<F64> wide = Variable.input("wide", F64, -1, -1, 4);
    assertThatThrownBy(() -> network.of(wide))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[r.0] each input of a layer must have the width and the dtype of its first input; got"
                + " wide f64[?,?,4], which needs input f64[4,20], but the first one made r.0.input"
                + " f64[3,20]; create another layer for this input.");
    assertThatThrownBy(() -> network.layers(2))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[r] options must be set before the first application of a layer; got layers(2) after"
                + " it; set it where the layer is created.");
    assertThatThrownBy(() -> Recurrent.of(Cell.lstm(), 5).of(a))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[recurrent] a network must have a name to be applied by of; got one without; make it"
                + " with new Recurrent(name, cell, hidden), or call over(name, ...).");
    assertThatThrownBy(() -> new Recurrent("r", Cell.lstm(), 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[r] a layer must have at least one output; got 0.");
  }
}
