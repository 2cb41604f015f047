package ristretto.symbolic.layers.gradient;

import static ristretto.symbolic.Layers.*;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.MultiHeadAttention;
import ristretto.symbolic.layers.Recurrent;

/** Recipes of recurrent networks and multi-head attention. */
final class SequenceRecipes {
  private static final Initializer NORMAL = Initializer.normal(0.7);

  private final List<Recipe> all = new ArrayList<>();

  private SequenceRecipes() {
    cells();
    recurrent();
    attention();
  }

  static List<Recipe> all() {
    return new SequenceRecipes().all;
  }

  private void add(List<String> covered, Function<Operands, Variable<F64>> layer) {
    all.add(new Recipe(covered, layer));
  }

  /** All outputs and last states. */
  private static Variable<F64> read(Recurrent.Result<F64> result) {
    Variable<F64> all = sum(square(result.outputs()), 0);
    for (Variable<F64> last : result.last()) {
      all = all.plus(sum(last));
    }
    return all;
  }

  private static Variable<I32> lengths(Operands in) {
    return in.indices(new int[] {4, 2}, 2);
  }

  private void cells() {
    for (String name : List.of("tanh", "relu", "lstm", "gru")) {
      Cell cell =
          switch (name) {
            case "tanh" -> Cell.tanh();
            case "relu" -> Cell.relu();
            case "lstm" -> Cell.lstm();
            default -> Cell.gru();
          };
      String covered = "Cell." + name + "()";
      add(
          List.of(covered, "Recurrent.of(Cell,long)", "Recurrent.over(String,Variable)"),
          in -> read(Recurrent.of(cell, 2).over("r", in.of(4, 2, 3))));
      add(
          List.of(covered, "Recurrent.reverse()"),
          in -> read(new Recurrent("r", cell, 2).reverse().of(in.of(3, 2, 3))));
      add(
          List.of(
              covered,
              "Recurrent.layers(int)",
              "Recurrent.bidirectional()",
              "Recurrent.lengths(Variable)",
              "Recurrent.initializer(Initializer)"),
          in ->
              read(
                  Recurrent.of(cell, 2)
                      .layers(2)
                      .bidirectional()
                      .lengths(lengths(in))
                      .initializer(NORMAL)
                      .over("r", in.of(4, 2, 3))));
    }
  }

  private void recurrent() {
    add(
        List.of("Recurrent.dropout(double)", "Recurrent.layers(int)"),
        in -> read(Recurrent.of(Cell.lstm(), 3).layers(3).dropout(0.4).over("r", in.of(4, 2, 3))));
    add(
        List.of("Recurrent.over(String,Variable,List)"),
        in ->
            read(
                Recurrent.of(Cell.lstm(), 2)
                    .over("r", in.of(3, 2, 3), List.of(in.of(1, 2, 2), in.of(1, 2, 2)))));
    add(
        List.of("Recurrent.of(Variable)"),
        in -> {
          var shared = new Recurrent("r", Cell.gru(), 3);
          return read(shared.of(shared.of(in.of(3, 2, 3)).outputs()));
        });
    add(
        List.of("Recurrent.of(Variable,List)"),
        in -> read(new Recurrent("r", Cell.gru(), 2).of(in.of(3, 2, 3), List.of(in.of(1, 2, 2)))));
    add(
        List.of("Recurrent.of(Variable,Variable)"),
        in -> read(new Recurrent("r", Cell.gru(), 2).of(in.of(4, 2, 3), lengths(in))));
    add(
        List.of("Recurrent.of(Variable,Variable,List)"),
        in ->
            read(
                new Recurrent("r", Cell.lstm(), 2)
                    .bidirectional()
                    .of(in.of(4, 2, 3), lengths(in), List.of(in.of(2, 2, 2), in.of(2, 2, 2)))));
  }

  private static MultiHeadAttention heads() {
    return new MultiHeadAttention("a", 2).weight(NORMAL);
  }

  private void attention() {
    String type = "MultiHeadAttention.";
    add(
        List.of(type + "of(Variable)", type + "weight(Initializer)"),
        in -> heads().of(in.of(2, 3, 4)));
    add(
        List.of(type + "causal()", type + "bias(boolean)"),
        in -> heads().causal().bias(false).of(in.of(2, 3, 4)));
    add(
        List.of(type + "dropout(double)", type + "causal()"),
        in -> heads().causal().dropout(0.4).of(in.of(2, 5, 4)));
    add(
        List.of(type + "keyValueHeads(long)", type + "rotary(double)"),
        in -> heads().keyValueHeads(1).rotary(100).of(in.of(2, 3, 4)));
    add(
        List.of(type + "masked(Variable,Variable)"),
        in -> heads().masked(in.of(2, 3, 4), in.mask(2, 3, 3)));
    add(List.of(type + "of(Variable,Variable)"), in -> heads().of(in.of(2, 3, 4), in.of(2, 5, 6)));
    add(
        List.of(type + "of(Variable,Variable,Variable)"),
        in -> heads().of(in.of(2, 3, 4), in.of(2, 5, 6), in.mask(2, 2, 3, 5)));
    add(
        List.of(type + "step(Variable,Variable,long)"),
        in -> {
          MultiHeadAttention.Step<F64> step =
              heads().causal().rotary(100).step(in.of(2, 2, 4), in.indices(new int[] {1}, 1), 5);
          in.set(step.keys(), Ops.uniform(Ops.F64, 1, 2, 2, 5, 2));
          in.set(step.values(), Ops.uniform(Ops.F64, 2, 2, 2, 5, 2));
          return sum(step.output()).plus(sum(square(step.nextKeys()))).plus(sum(step.nextValues()));
        });
  }
}
