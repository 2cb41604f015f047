package ristretto.jmh.nnet3;

import java.util.List;

/** Denominator of a random graph: {@code den-STATES}. */
record ChainLine(RandomGraph graph, int sequences, int frames) {
  static final List<ChainLine> ALL =
      List.of(
          new ChainLine(new RandomGraph(300, 500), 64, 50),
          new ChainLine(new RandomGraph(3000, 2000), 64, 50),
          new ChainLine(new RandomGraph(20_000, 4000), 64, 50));

  String name() {
    return "den-" + graph.states();
  }

  static ChainLine of(String name) {
    return ALL.stream().filter(line -> line.name().equals(name)).findFirst().orElseThrow();
  }
}
