package ristretto.symbolic.layers.gradient;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Recipes for all public layers and losses. */
final class Recipes {
  /** Public methods without a gradient to check, with the reason. */
  static final Map<String, String> WITHOUT_GRADIENT =
      Map.ofEntries(
          Map.entry("Layers.argMax(Variable,int)", "integers"),
          Map.entry("Layers.embedding(String,Variable,long,long)", "F32; see Embedding"),
          Map.entry("Embedding.of(Variable)", "F32; see Embedding.of(Variable,DType)"));

  private Recipes() {}

  static List<Recipe> all() {
    return Stream.of(
            FunctionRecipes.all(), LossRecipes.all(), LayerRecipes.all(), SequenceRecipes.all())
        .flatMap(List::stream)
        .toList();
  }
}
