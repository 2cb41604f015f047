package ristretto.kernels.lift;

import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.kernels.lambda.Lambda;

/** Lambdas by name, for tests; names are unique over all corpora. */
final class Corpus {
  private final Map<String, Lambda> lambdas = new LinkedHashMap<>();

  Corpus add(String name, Lambda lambda) {
    if (lambdas.put(name, lambda) != null) {
      throw new AssertionError("twice: " + name);
    }
    return this;
  }

  Corpus addAll(Corpus other) {
    other.lambdas.forEach(this::add);
    return this;
  }

  Map<String, Lambda> lambdas() {
    return lambdas;
  }

  static Corpus all() {
    return new Corpus()
        .addAll(ArithmeticCorpus.corpus())
        .addAll(ConditionCorpus.corpus())
        .addAll(LibraryCorpus.corpus())
        .addAll(LoopCorpus.corpus())
        .addAll(MethodCorpus.corpus());
  }
}
