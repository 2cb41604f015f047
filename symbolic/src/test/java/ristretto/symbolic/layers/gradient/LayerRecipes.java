package ristretto.symbolic.layers.gradient;

import static ristretto.symbolic.Layers.*;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.expr.type.PaddingMode;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.BatchNorm;
import ristretto.symbolic.layers.Conv;
import ristretto.symbolic.layers.ConvTranspose;
import ristretto.symbolic.layers.Dense;
import ristretto.symbolic.layers.Embedding;
import ristretto.symbolic.layers.GroupNorm;
import ristretto.symbolic.layers.InstanceNorm;
import ristretto.symbolic.layers.Layer;
import ristretto.symbolic.layers.LayerNorm;
import ristretto.symbolic.layers.RmsNorm;
import ristretto.symbolic.layers.Sequential;
import ristretto.symbolic.layers.Window;

/** Recipes of layer classes and their options, except layers of sequences. */
final class LayerRecipes {
  private static final Initializer NORMAL = Initializer.normal(0.7);

  private final List<Recipe> all = new ArrayList<>();

  private LayerRecipes() {
    dense();
    convolutions();
    norms();
    embeddings();
    stacks();
  }

  static List<Recipe> all() {
    return new LayerRecipes().all;
  }

  /** Adds a recipe of a layer's {@code of} and of options, given as {@code "a() b(double)"}. */
  private void add(String type, String options, Function<Operands, Variable<F64>> layer) {
    var covered = new ArrayList<>(List.of(type + ".of(Variable)"));
    for (String option : options.split(" ")) {
      if (!option.isEmpty()) {
        covered.add(option.contains(".") ? option : type + "." + option);
      }
    }
    all.add(new Recipe(List.copyOf(covered), layer));
  }

  private void dense() {
    add(
        "Dense",
        "bias(Initializer) weight(Initializer)",
        in -> new Dense("d", 2).bias(NORMAL).weight(NORMAL).of(in.of(3, 4)));
    add("Dense", "bias(boolean)", in -> new Dense("d", 2).bias(false).of(in.of(2, 3, 4)));
    add(
        "Dense",
        "",
        in -> {
          var layer = new Dense("shared", 4);
          return layer.of(tanh(layer.of(in.of(3, 4))));
        });
  }

  private void convolutions() {
    add(
        "Conv",
        "groups(long) bias(Initializer) weight(Initializer) Window.of(long[])"
            + " Window.stride(long[]) Window.padding(long[]) Window.dilation(long[])",
        in ->
            new Conv("c", 4, Window.of(3, 2).stride(2, 1).padding(1, 2).dilation(1, 2))
                .groups(2)
                .bias(NORMAL)
                .weight(NORMAL)
                .of(in.of(2, 4, 5, 4)));
    add(
        "Conv",
        "bias(boolean) Window.padding(long[],long[])",
        in ->
            new Conv("c", 3, Window.of(3).padding(new long[] {0}, new long[] {2}))
                .bias(false)
                .of(in.of(2, 2, 5)));
    add(
        "Conv",
        "depthwise() Window.same()",
        in -> new Conv("c", 4, Window.of(2, 2).same()).depthwise().of(in.of(2, 2, 4, 3)));
    add("Conv", "", in -> new Conv("c", 2, Window.of(2, 1, 2)).of(in.of(2, 2, 3, 2, 3)));
    for (PaddingMode mode : PaddingMode.values()) {
      add(
          "Conv",
          "paddingMode(PaddingMode)",
          in -> new Conv("c", 3, Window.of(3).padding(2)).paddingMode(mode).of(in.of(2, 2, 5)));
    }
    add(
        "Conv",
        "padding(String)",
        in -> new Conv("c", 2, Window.of(4, 3)).padding("same").of(in.of(2, 2, 5, 4)));
    add(
        "ConvTranspose",
        "groups(long) bias(Initializer) weight(Initializer) outputPadding(long[])",
        in ->
            new ConvTranspose("c", 4, Window.of(3, 2).stride(2, 3).padding(1, 0).dilation(1, 2))
                .groups(2)
                .outputPadding(1, 2)
                .bias(NORMAL)
                .weight(NORMAL)
                .of(in.of(2, 2, 3, 2)));
    add(
        "ConvTranspose",
        "bias(boolean)",
        in -> new ConvTranspose("c", 3, Window.of(3).stride(2)).bias(false).of(in.of(2, 2, 4)));
  }

  private void norms() {
    add(
        "BatchNorm",
        "epsilon(double) momentum(double)",
        in -> new BatchNorm("n").epsilon(0.1).momentum(0.3).of(in.of(5, 3)));
    add("BatchNorm", "affine(boolean)", in -> new BatchNorm("n").affine(false).of(in.of(3, 2, 4)));
    add("BatchNorm", "", in -> new BatchNorm("n").of(tanh(in.of(2, 3, 2, 2))));
    add("LayerNorm", "epsilon(double)", in -> new LayerNorm("n").epsilon(0.1).of(in.of(3, 4)));
    add("LayerNorm", "bias(boolean)", in -> new LayerNorm("n").bias(false).of(in.of(3, 4)));
    add("LayerNorm", "affine(boolean)", in -> new LayerNorm("n").affine(false).of(in.of(3, 4)));
    add("RmsNorm", "epsilon(double)", in -> new RmsNorm("n").epsilon(0.1).of(in.of(3, 4)));
    add("RmsNorm", "affine(boolean)", in -> new RmsNorm("n").affine(false).of(in.of(3, 4)));
    add(
        "GroupNorm",
        "epsilon(double)",
        in -> new GroupNorm("n", 2).epsilon(0.1).of(in.of(2, 4, 3)));
    add(
        "GroupNorm",
        "affine(boolean)",
        in -> new GroupNorm("n", 2).affine(false).of(in.of(2, 4, 3, 2)));
    add(
        "InstanceNorm",
        "epsilon(double)",
        in -> new InstanceNorm("n").epsilon(0.1).of(in.of(2, 3, 4)));
    add(
        "InstanceNorm",
        "affine(boolean)",
        in -> new InstanceNorm("n").affine(true).of(in.of(2, 3, 2, 2)));
    add(
        "InstanceNorm",
        "affine(boolean)",
        in -> new InstanceNorm("n").affine(false).of(in.of(2, 3, 5)));
  }

  private void embeddings() {
    int[] words = {1, 3, 1, 0, 2, 3};
    all.add(
        new Recipe(
            List.of("Embedding.of(Variable,DType)", "Embedding.weight(Initializer)"),
            in -> new Embedding("e", 4, 3).weight(NORMAL).of(in.indices(words, 2, 3), Ops.F64)));
    all.add(
        new Recipe(
            List.of("Embedding.of(Variable,DType)", "Embedding.padding(int)"),
            in -> new Embedding("e", 4, 3).padding(0).of(in.indices(words, 6), Ops.F64)));
    all.add(
        new Recipe(
            List.of("Embedding.logits(Variable)"),
            in -> {
              var table = new Embedding("e", 5, 3);
              return table.logits(tanh(table.of(in.indices(words, 6), Ops.F64)));
            }));
  }

  private void stacks() {
    add(
        "Sequential",
        "of(Layer[])",
        in -> Sequential.of(new Dense("a", 3), Layers::tanh, new Dense("b", 2)).of(in.of(3, 4)));
    add(
        "Sequential",
        "of(List)",
        in -> Sequential.of(List.<Layer>of(new Dense("a", 3), Layers::gelu)).of(in.of(3, 4)));
  }
}
