package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.ComputationRequest;

class CompileCacheTest {
  private final List<String> lines = new ArrayList<>();
  private final CompileCache<Integer> kept =
      new CompileCache<>(
          "computation",
          new CacheSettings(2, true, line -> lines.add(withoutTime(line.get())), _ -> {}));
  private int made;

  private static String withoutTime(String line) {
    return line.replaceAll("in [0-9.]+ ms", "in . ms");
  }

  private static ComputationRequest request(String rows, String wanted) {
    return ComputationRequest.parse(
        "r",
        """
        input input has-deriv=0
        range %s
        output output has-deriv=1
        range %s
        """
            .formatted(rows, wanted));
  }

  private int get(ComputationRequest request) {
    return kept.get(CompileCache.Key.of(request), _ -> ++made);
  }

  @Test
  void theLeastRecentlyUsedIsForgotten() {
    ComputationRequest a = request("n=0:1 t=0:3", "n=0:1 t=0:3");
    ComputationRequest b = request("n=0:2 t=0:3", "n=0:2 t=0:3");
    ComputationRequest c = request("n=0:3 t=0:3", "n=0:3 t=0:3");
    assertThat(List.of(get(a), get(b), get(a), get(c), get(a), get(b)))
        .containsExactly(1, 2, 1, 3, 1, 4);
    assertThat(kept.keys()).containsExactly(CompileCache.Key.of(a), CompileCache.Key.of(b));
    assertThat(kept.misses()).isEqualTo(4);
  }

  @Test
  void missesAreExplainedByTheNearestThatIsThere() {
    get(request("n=0:64 t=-29:76", "n=0:64 t=0:47:3"));
    get(request("n=0:63 t=-29:76", "n=0:63 t=0:47:3"));
    get(request("n=0:63 t=-29:79", "n=0:63 t=0:50:3"));
    get(request("n=0:63 t=-29:79", "order=tn n=0:63 t=0:50:3"));
    get(request("order=tn n=0:63 t=-29:79", "order=tn n=0:63 t=0:50:3 x=1:2"));
    assertThat(lines)
        .containsExactly(
            "Compiled computation 1 in . ms: the cache is empty; cached 1 of 2.",
            "Compiled computation 2 in . ms: differs by sequences 0:63 (not 0:64); cached 2 of 2.",
            "Compiled computation 3 in . ms: differs by times of input 'input' -29:79 (not -29:76),"
                + " times of output 'output' 0:49:3 (not 0:46:3); cached 2 of 2.",
            "Compiled computation 4 in . ms: differs by order of outputs, or of their sequences;"
                + " cached 2 of 2.",
            "Compiled computation 5 in . ms: differs by order of inputs, or of their sequences, "
                + "x of output 'output' 1:2 (not 0:1); cached 2 of 2.");
  }

  @Test
  void nodesFlagsAndOtherThingsAreNamed() {
    ComputationRequest request = request("n=0:1 t=0:3", "n=0:1 t=0:3");
    get(request);
    ComputationRequest other =
        new ComputationRequest(
            List.of(
                request.inputs().get(0),
                new ComputationRequest.Io("ivector", request.inputs().get(0).indexes(), false)),
            List.of(new ComputationRequest.Io("output", request.outputs().get(0).indexes(), false)),
            true,
            true);
    get(other);
    kept.get(new CompileCache.Key(other, Map.of("entries", List.of(1))), _ -> 0);
    kept.get(new CompileCache.Key(other, Map.of("entries", List.of(2))), _ -> 0);
    assertThat(lines.subList(1, 4))
        .containsExactly(
            "Compiled computation 2 in . ms: differs by input 'ivector', derivative of output"
                + " 'output' false (not true), need-model-derivative true (not false),"
                + " store-component-stats true (not false); cached 2 of 2.",
            "Compiled computation 3 in . ms: differs by entries [1] (not null); cached 2 of 2.",
            "Compiled computation 4 in . ms: differs by entries [2] (not [1]); cached 2 of 2.");
  }
}
