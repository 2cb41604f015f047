package ristretto.jmh.nnet3;

import java.util.Random;
import java.util.stream.DoubleStream;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.FstBuilder;

/**
 * Random denominator graph, with numbers of transitions like those of graphs of phone language
 * models: each state has a transition to itself and one to seven others on average.
 */
record RandomGraph(int states, int pdfs) {
  private static final int MOST_OTHERS = 45;
  private static final double MEAN_OTHERS = 6;

  Fst fst() {
    var random = new Random(states);
    var builder = new FstBuilder();
    builder.start(0);
    for (int s = 0; s < states; s++) {
      builder.finalCost(s, 0);
      int label = 1 + random.nextInt(pdfs);
      builder.arc(s, label, label, (float) Math.log(2), s);
      int others =
          Math.min(MOST_OTHERS, 1 + (int) (-MEAN_OTHERS * Math.log1p(-random.nextDouble())));
      double[] weights = random.doubles(others, 0.05, 1.05).toArray();
      double total = 2 * DoubleStream.of(weights).sum();
      for (int k = 0; k < others; k++) {
        int to = k == 0 ? (s + 1) % states : random.nextInt(states);
        label = 1 + random.nextInt(pdfs);
        builder.arc(s, label, label, (float) -Math.log(weights[k] / total), to);
      }
    }
    return builder.build();
  }
}
