package ristretto.nnet3.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.compile.Cases;
import ristretto.nnet3.network.Nnet;

class RequestExtensionTest {
  /** Row by row: whether each row that is needed reads the same in both. */
  private static boolean keepsReads(Nnet nnet, ComputationRequest small, ComputationRequest large) {
    RowGraph less = GraphBuilder.build(nnet, small);
    RowGraph more = GraphBuilder.build(nnet, large);
    for (int row = 0; row < less.rows().size(); row++) {
      if (less.isNeeded(row)) {
        int other = more.rows().find(less.rows().get(row));
        if (other < 0 || !more.isNeeded(other) || !reads(less, row).equals(reads(more, other))) {
          return false;
        }
      }
    }
    return true;
  }

  private static Set<Cindex> reads(RowGraph graph, int row) {
    var all = new HashSet<Cindex>();
    for (int read : graph.reads().get(row)) {
      all.add(graph.rows().get(read));
    }
    return all;
  }

  /** Returns the input or output with rows at further times, before or after the existing ones. */
  private static ComputationRequest.Io longer(ComputationRequest.Io io, int first, int end) {
    int least = io.indexes().stream().mapToInt(Index::t).min().orElseThrow();
    int most = io.indexes().stream().mapToInt(Index::t).max().orElseThrow();
    var rows = new ArrayList<>(io.indexes());
    for (int t = least + first; t < least; t++) {
      rows.add(new Index(0, t));
    }
    for (int t = most + 1; t <= most + end; t++) {
      rows.add(new Index(0, t));
    }
    return new ComputationRequest.Io(io.name(), rows, io.hasDeriv());
  }

  private static ComputationRequest longer(ComputationRequest request, int first, int end) {
    List<ComputationRequest.Io> inputs =
        request.inputs().stream()
            .map(io -> io.name().equals("ivector") ? io : longer(io, first, end))
            .toList();
    List<ComputationRequest.Io> outputs =
        request.outputs().stream().map(io -> longer(io, 0, Math.max(0, end - 1))).toList();
    return new ComputationRequest(inputs, outputs, false, false);
  }

  @Test
  void setsOfRowsTellWhatRowsTell() {
    int[] counts = new int[2];
    for (String name : Vectors.casesWith("output.txt")) {
      if (!Vectors.has(name, "request.txt")) {
        continue;
      }
      Nnet nnet = Cases.nnet(name);
      ComputationRequest small = RepresentativeSequence.of(Cases.request(name)).request();
      for (int[] more : new int[][] {{0, 1}, {0, 5}, {-3, 0}, {0, 0}}) {
        ComputationRequest large = longer(small, more[0], more[1]);
        boolean keeps;
        try {
          keeps = keepsReads(nnet, small, large);
        } catch (ComputationException e) {
          // of those further outputs, some cannot be computed
          continue;
        }
        assertThat(new RequestExtension(nnet, large).keepsReads(small))
            .as(name + " and %d to %d more", more[0], more[1])
            .isEqualTo(keeps);
        counts[keeps ? 1 : 0]++;
      }
    }
    assertThat(counts[0]).isGreaterThan(20);
    assertThat(counts[1]).isGreaterThan(200);
  }
}
