package ristretto.symbolic.layers.gradient;

import static ristretto.symbolic.Layers.*;
import static ristretto.symbolic.Layers.lfmmi;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.symbolic.automaton.Automaton;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.CrossEntropyOptions;
import ristretto.symbolic.layers.Summary;

/** Recipes of losses. */
final class LossRecipes {
  private final List<Recipe> all = new ArrayList<>();

  private LossRecipes() {
    classes();
    elements();
    pairs();
    sequences();
  }

  static List<Recipe> all() {
    return new LossRecipes().all;
  }

  private void add(String covered, Function<Operands, Variable<F64>> layer) {
    all.add(new Recipe(List.of("Layers." + covered), layer));
  }

  private static Variable<I32> labels(Operands in) {
    return in.indices(new int[] {2, 0, 4}, 3);
  }

  private void classes() {
    add(
        "softmaxCrossEntropy(Variable,Variable)",
        in -> softmaxCrossEntropy(in.of(3, 5), labels(in)));
    for (Summary summary : Summary.values()) {
      add(
          "softmaxCrossEntropy(Variable,Variable,Summary)",
          in -> softmaxCrossEntropy(in.of(3, 5), labels(in), summary));
      add(
          "focal(Variable,Variable,double,Summary)",
          in -> focal(in.of(3, 5), labels(in), 1.5, summary));
      add(
          "softmaxCrossEntropyOf(Variable,Variable,Summary)",
          in -> softmaxCrossEntropyOf(in.of(3, 5), softmax(in.of(3, 5), 1), summary));
    }
    add("focal(Variable,Variable,double)", in -> focal(in.of(3, 5), labels(in), 2));
    add(
        "softmaxCrossEntropyOf(Variable,Variable)",
        in -> softmaxCrossEntropyOf(in.of(2, 3, 5), softmax(in.of(2, 3, 5), 2)));
    options(in -> CrossEntropyOptions.of(), "of()");
    options(in -> CrossEntropyOptions.of().smoothing(0.2), "smoothing(double)");
    options(in -> CrossEntropyOptions.of().ignore(0), "ignore(int)");
    options(in -> CrossEntropyOptions.of().summary(Summary.NONE), "summary(Summary)");
    options(in -> CrossEntropyOptions.of().weights(exp(in.of(5))), "weights(Variable)");
    for (Summary summary : Summary.values()) {
      options(
          in ->
              CrossEntropyOptions.of()
                  .weights(exp(in.of(5)))
                  .smoothing(0.3)
                  .ignore(0)
                  .summary(summary),
          "weights(Variable)",
          "smoothing(double)",
          "ignore(int)",
          "summary(Summary)");
    }
  }

  private void options(Function<Operands, CrossEntropyOptions> options, String... covered) {
    var methods = new ArrayList<String>();
    methods.add("Layers.softmaxCrossEntropy(Variable,Variable,CrossEntropyOptions)");
    for (String method : covered) {
      methods.add("CrossEntropyOptions." + method);
    }
    all.add(
        new Recipe(
            List.copyOf(methods),
            in -> softmaxCrossEntropy(in.of(3, 5), labels(in), options.apply(in))));
  }

  private void elements() {
    add(
        "binaryCrossEntropy(Variable,Variable)",
        in -> binaryCrossEntropy(in.of(3, 4), sigmoid(in.of(3, 4))));
    add(
        "binaryFocal(Variable,Variable,double)",
        in -> binaryFocal(in.of(3, 4), sigmoid(in.of(3, 4)), 1.5));
    add(
        "binaryFocal(Variable,Variable,double,double)",
        in -> binaryFocal(in.of(3, 4), sigmoid(in.of(3, 4)), 1.5, 0.3));
    add("meanSquaredError(Variable,Variable)", in -> meanSquaredError(in.of(3, 4), in.of(3, 4)));
    add("meanSquaredError(Variable,Variable)", in -> meanSquaredError(in.of(3, 4), in.of()));
    add("meanAbsoluteError(Variable,Variable)", in -> meanAbsoluteError(in.of(3, 4), in.of(3, 4)));
    add("huber(Variable,Variable,double)", in -> huber(in.of(3, 4), in.of(3, 4), 0.8));
  }

  private void pairs() {
    add(
        "klDivergence(Variable,Variable)",
        in -> klDivergence(logSoftmax(in.of(3, 5), 1), softmax(in.of(3, 5), 1)));
    add(
        "normalKlDivergence(Variable,Variable)",
        in -> normalKlDivergence(in.of(3, 5), in.of(3, 5)));
    add(
        "triplet(Variable,Variable,Variable,double)",
        in -> triplet(in.of(3, 5), in.of(3, 5), in.of(3, 5), 3));
    add("infoNce(Variable,Variable,double)", in -> infoNce(in.of(3, 5), in.of(3, 5), 0.5));
    for (Summary summary : Summary.values()) {
      add(
          "klDivergence(Variable,Variable,Summary)",
          in -> klDivergence(logSoftmax(in.of(3, 5), 1), softmax(in.of(3, 5), 1), summary));
      add(
          "normalKlDivergence(Variable,Variable,Summary)",
          in -> normalKlDivergence(in.of(3, 5), in.of(3, 5), summary));
      add(
          "triplet(Variable,Variable,Variable,double,Summary)",
          in -> triplet(in.of(3, 5), in.of(3, 5), in.of(3, 5), 1, summary));
      add(
          "infoNce(Variable,Variable,double,Summary)",
          in -> infoNce(in.of(3, 5), in.of(3, 5), 0.5, summary));
    }
  }

  private void sequences() {
    add(
        "ctc(Variable,Variable,Variable,Variable)",
        in ->
            ctc(
                in.of(5, 2, 4),
                in.indices(new int[] {1, 1, 3, 2}, 2, 2),
                in.indices(new int[] {5, 3}, 2),
                in.indices(new int[] {2, 1}, 2)));
    // The second sequence has too few steps for its equal labels; the third one has no labels.
    for (Summary summary : Summary.values()) {
      add(
          "ctc(Variable,Variable,Variable,Variable,int,boolean,Summary)",
          in ->
              ctc(
                  in.of(4, 3, 4),
                  in.indices(new int[] {0, 3, 1, 1, 2, 2}, 3, 2),
                  in.indices(new int[] {4, 2, 3}, 3),
                  in.indices(new int[] {2, 2, 0}, 3),
                  2,
                  true,
                  summary));
    }
    // Three states, in a ring and with a transition back; and one after the other.
    var ring =
        new Automaton(
            new int[] {0, 1, 2, 2},
            new int[] {1, 2, 0, 1},
            new int[] {0, 1, 2, 3},
            new double[] {-0.1, -0.2, -0.3, -0.4},
            new double[] {-1, -1.5, -0.7},
            new double[] {0, -0.5, -0.2});
    var line =
        new Automaton(
            new int[] {0, 0, 1, 1},
            new int[] {0, 1, 1, 2},
            new int[] {1, 0, 3, 2},
            new double[] {0, 0, -0.5, -0.1},
            new double[] {0, -1e9, -1e9},
            new double[] {-1, -2, -0.2});
    add(
        "lfmmi(Variable,AutomatonInput,AutomatonInput)",
        in -> lfmmi(in.of(4, 2, 4), in.automata(line, ring), in.automata(ring)));
    for (Summary summary : Summary.values()) {
      add(
          "lfmmi(Variable,AutomatonInput,AutomatonInput,double,Summary)",
          in -> lfmmi(in.of(4, 2, 4), in.automata(line, ring), in.automata(ring), 0.2, summary));
    }
  }
}
