package ristretto.symbolic.layers.gradient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F64;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.expr.type.Shape;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.run.Graph;

/**
 * First and second derivatives of every public layer and loss, along a direction of all parameters,
 * beside central differences in F64. The first ones are checked in evaluation mode, too.
 */
class EveryGradientTest {
  private static final double H = 1e-5;

  static Stream<Recipe> recipes() {
    return Recipes.all().stream();
  }

  /** A new layer or loss without a recipe fails here: add one to the tables of recipes. */
  @Test
  void everyPublicMethodHasARecipe() throws Exception {
    var covered = new TreeSet<String>(Recipes.WITHOUT_GRADIENT.keySet());
    Recipes.all().forEach(recipe -> covered.addAll(recipe.covered()));
    assertThat(covered).containsExactlyElementsOf(PublicMethods.names());
  }

  @ParameterizedTest
  @MethodSource("recipes")
  void derivativesAgreeWithDifferences(Recipe recipe) {
    // A context each: the programs of all recipes together take much memory.
    try (var ctx = Context.open()) {
      new Check(ctx, recipe).run();
    }
  }

  private static final class Check {
    final Context ctx;
    final Operands operands;
    final List<Variable<F64>> parameters = new ArrayList<>();
    final Variable<F64> loss;

    /** Derivative of the loss along the direction. */
    final Variable<F64> slope;

    @SuppressWarnings("unchecked")
    Check(Context ctx, Recipe recipe) {
      this.ctx = ctx;
      this.operands = new Operands(ctx);
      Variable<F64> y = recipe.layer().apply(operands);
      // Neither linear nor even in y: second derivatives of linear layers are no zeros.
      loss = Layers.sum(Layers.sin(y).plus(Layers.square(y)));
      for (Variable<?> p : new Graph(List.of(loss)).of(Variable.Kind.PARAMETER)) {
        parameters.add((Variable<F64>) p);
      }
      slope = along("slope", loss);
    }

    private Variable<F64> along(String name, Variable<F64> y) {
      var read = new ArrayList<Variable<?>>(parameters);
      read.add(y);
      return Layers.apply(
          name,
          F64,
          x -> {
            Expr<F64> sum = null;
            for (Variable<F64> p : parameters) {
              Expr<F64> gradient = Ops.gradient(x.get(y), x.get(p));
              Expr<F64> part = Ops.sum(gradient.times(direction(p, gradient.shape())));
              sum = sum == null ? part : sum.plus(part);
            }
            return sum;
          },
          read.toArray(Variable<?>[]::new));
    }

    /** Direction of a parameter; different for each, or differences of parameters would stay. */
    private Expr<F64> direction(Variable<F64> p, Shape shape) {
      Expr<F64> place = Ops.coordinate(Shape.of(shape.size()), 0).cast(F64);
      return Ops.sin(place.times(2.3).plus(1 + parameters.indexOf(p))).reshape(shape.toArray());
    }

    /** New executor, of equal random numbers, with the parameters moved along the direction. */
    Executor moved(double by) {
      var executor = new Executor(ctx, 3, loss, slope);
      operands.setIn(executor);
      for (Variable<F64> p : parameters) {
        var value = executor.tensor(p);
        ctx.assignAdd(value, direction(p, value.shape()).times(by));
      }
      return executor;
    }

    private double gradientAlong(Executor executor) {
      double sum = 0;
      for (Variable<F64> p : parameters) {
        var gradient = executor.gradientOf(p);
        sum += ctx.eval(Ops.sum(gradient.times(direction(p, gradient.shape())))).item();
      }
      return sum;
    }

    private static void near(String what, double actual, double expected, double error) {
      assertThat(actual).as(what).isCloseTo(expected, within(error * (1 + Math.abs(expected))));
    }

    private static double difference(Executor up, Executor down, ToDoubleFunction<Executor> value) {
      return (value.applyAsDouble(up) - value.applyAsDouble(down)) / (2 * H);
    }

    void run() {
      Executor here = moved(0);
      Executor up = moved(H);
      Executor down = moved(-H);
      List.of(here, up, down).forEach(Executor::forward);
      double used = here.tensor(slope).item();
      near("slope in evaluation", used, difference(up, down, e -> e.tensor(loss).item()), 1e-5);
      List.of(here, up, down).forEach(e -> e.backward(loss));
      double first = gradientAlong(here);
      assertThat(first).isNotZero();
      near("gradient", first, difference(up, down, e -> e.tensor(loss).item()), 1e-5);
      near("slope in training", here.tensor(slope).item(), first, 1e-9);
      Executor again = moved(0);
      again.forward();
      again.backward(slope);
      double expected = difference(up, down, e -> e.tensor(slope).item());
      near("gradient of the slope", gradientAlong(again), expected, 1e-5);
    }
  }
}
