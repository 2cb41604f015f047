package ristretto.symbolic;

import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.normal;

import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.expr.type.PaddingMode;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Gradients of gradients: an operator's formula may hold a gradient, which is derived again. */
class SecondOrderTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private record Case(String name, UnaryOperator<Expr<F64>> f) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case("tanh", Ops::tanh),
        new Case("sigmoid", Ops::sigmoid),
        new Case("gelu", Ops::gelu),
        new Case("silu", a -> a.times(Ops.sigmoid(a))),
        new Case("softplus", Ops::softplus),
        new Case("exp", Ops::exp),
        new Case("log", a -> Ops.log(Ops.softplus(a))),
        new Case("sqrt", a -> Ops.sqrt(Ops.softplus(a))),
        new Case("pow", a -> Ops.softplus(a).pow(2.5)),
        new Case("quotient", a -> a.div(Ops.square(a).plus(1))),
        new Case("softmax", a -> Ops.softmax(a, 1)),
        new Case("logSoftmax", a -> Ops.logSoftmax(a, 1)),
        new Case("layerNorm", a -> Ops.layerNorm(a, 1)),
        new Case("mean", a -> Ops.square(Ops.mean(Ops.square(a), 0))),
        new Case("prod", a -> Ops.prod(a, 1)),
        new Case("logSumExp", a -> Ops.logSumExp(a, 1)),
        new Case("dot", a -> Ops.dot(a, Ops.tanh(a).t())),
        new Case("concat", a -> Ops.concat(1, Ops.square(a), a.times(a).times(a))),
        new Case("slice", a -> Ops.exp(a.slice(Ops.all(), Ops.range(1, 3)))),
        new Case("windows", a -> Ops.prod(Ops.windows(a, 2), -1)),
        new Case("take", a -> Ops.square(Ops.take(a, CTX.tensor(new int[] {1, 1, 0}), 1))),
        new Case("pad", a -> Ops.exp(Ops.pad(a, 1, 0, 0, 2))),
        new Case("reflect", a -> Ops.exp(Ops.pad(a, PaddingMode.REFLECT, 1, 0, 0, 2))),
        new Case("replicate", a -> Ops.exp(Ops.pad(a, PaddingMode.REPLICATE, 1, 0, 3, 2))),
        new Case("circular", a -> Ops.exp(Ops.pad(a, PaddingMode.CIRCULAR, 1, 0, 0, 2))));
  }

  /** The loss is the squared length of a gradient, as in gradient penalties. */
  @ParameterizedTest
  @MethodSource("cases")
  void gradientsOfSquaredGradients(Case c) {
    Variable<F64> v = Variable.parameter("v", F64, Initializer.normal(1), 3, 4);
    Variable<F64> slope =
        Layers.apply(
            "slope",
            F64,
            x -> {
              Expr<F64> y = c.f.apply(x.get(v));
              return Ops.gradient(Ops.sum(Ops.sin(y)), x.get(v));
            },
            v);
    Variable<F64> loss = Layers.sum(Layers.square(slope));
    GradientCheck.of(CTX, new Executor(CTX, 9, loss), loss);
  }

  /** Learning by a penalty on the slope of a network with respect to its input. */
  @Test
  void penaltiesOnSlopesOfNetworks() {
    Variable<F64> x = Variable.input("x", F64, -1, 3);
    Variable<F64> w1 = Variable.parameter("w1", F64, Initializer.normal(1), 3, 5);
    Variable<F64> w2 = Variable.parameter("w2", F64, Initializer.normal(1), 5, 1);
    Variable<F64> slope =
        Layers.apply(
            "slope",
            F64,
            v -> {
              Expr<F64> y = Ops.dot(Ops.tanh(Ops.dot(v.get(x), v.get(w1))), v.get(w2));
              return Ops.gradient(Ops.sum(y), v.get(x));
            },
            x,
            w1,
            w2);
    Variable<F64> loss =
        Layers.mean(Layers.square(Layers.sqrt(Layers.sum(Layers.square(slope), 1)).minus(1)));
    var executor = new Executor(CTX, 9, loss);
    executor.set(x, normal(F64, 1, 4, 3));
    GradientCheck.of(CTX, executor, loss);
  }
}
