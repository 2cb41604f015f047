package ristretto.jmh.nnet3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.nnet3.chain.Denominator;
import ristretto.nnet3.chain.DenominatorGraph;
import ristretto.nnet3.fst.Fst;

class DenominatorTwinTest {
  @Test
  void computesWhatTheEngineComputes() {
    var graph = new RandomGraph(70, 20);
    Fst fst = graph.fst();
    int sequences = 64;
    int frames = 9;
    var random = new Random(1);
    var output = new float[frames * sequences * graph.pdfs()];
    for (int k = 0; k < output.length; k++) {
      output[k] = (float) random.nextGaussian();
    }
    double twin = new DenominatorTwin(fst, graph.pdfs(), sequences, frames, 0.1f).run(output);
    try (Context context = Context.open("cpu")) {
      var denominator =
          new Denominator(
              context,
              DenominatorGraph.of(fst, "the graph"),
              sequences,
              frames,
              graph.pdfs(),
              0.1f,
              false);
      denominator.run(context.tensor(output, (long) frames * sequences, graph.pdfs()));
      assertThat(denominator.ok()).isTrue();
      assertThat(twin).isCloseTo(denominator.logProb(), within(1e-3));
    }
  }

  @Test
  void linesHaveTheirNames() {
    assertThat(ChainBench.list()).containsExactly("den-300", "den-3000", "den-20000");
    assertThat(ChainLine.of("den-3000").graph()).isEqualTo(new RandomGraph(3000, 2000));
  }
}
