package ristretto.nnet3.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.compile.Cases;
import ristretto.nnet3.lower.Step;
import ristretto.nnet3.lower.Steps;
import ristretto.nnet3.network.Nnet;

class GraphTest {
  @Test
  void findsComputableWhatKaldiFinds() {
    int checked = 0;
    for (String name : Vectors.casesWith("stats.json")) {
      if (!Vectors.has(name, "request.txt")) {
        continue;
      }
      Nnet nnet = Cases.nnet(name);
      ComputationRequest request = Cases.request(name);
      List<boolean[]> computable = FindRows.computableOutputs(nnet, request);
      for (int k = 0; k < computable.size(); k++) {
        String want = computable(name, request.outputs().get(k).name());
        assertThat(text(computable.get(k))).as(name).isEqualTo(want);
        checked++;
      }
    }
    assertThat(checked).isGreaterThan(200);
  }

  /** Each row a step reads is in an earlier step, and each row needed is in one step. */
  @Test
  void stepsComeAfterWhatTheyRead() {
    for (String name : Vectors.casesWith("stats.json")) {
      if (!Vectors.has(name, "request.txt")) {
        continue;
      }
      Nnet nnet = Cases.nnet(name);
      ComputationGraph graph =
          ComputationGraph.of(nnet, RepresentativeSequence.of(Cases.request(name)).request());
      Set<Cindex> done = new HashSet<>();
      for (Step step : Steps.of(graph).all()) {
        var reads = new ArrayList<Cindex>();
        for (var row : step.rows()) {
          if (!step.supplied()) {
            reads(graph, new Cindex(step.node(), row), reads);
          }
        }
        assertThat(done).as(name).containsAll(reads);
        step.rows().forEach(row -> assertThat(done.add(new Cindex(step.node(), row))).isTrue());
      }
    }
  }

  private static void reads(ComputationGraph graph, Cindex c, List<Cindex> sink) {
    for (Cindex d : reads(graph, c)) {
      boolean through =
          d.node() >= graph.nodeCount()
              || graph.nnet().node(d.node()) instanceof ristretto.nnet3.config.Node.DimRangeNode;
      if (through) {
        reads(graph, d, sink);
      } else {
        sink.add(d);
      }
    }
  }

  private static Set<Cindex> reads(ComputationGraph graph, Cindex c) {
    var all = new HashSet<Cindex>();
    graph.used(c, all::add);
    return all;
  }

  /** Sets of rows are the rows found one by one. */
  @Test
  void bothWaysFindTheSame() {
    int found = 0;
    for (String name : Vectors.casesWith("output.txt")) {
      if (!Vectors.has(name, "request.txt")) {
        continue;
      }
      Nnet nnet = Cases.nnet(name);
      ComputationRequest places = RepresentativeSequence.of(Cases.request(name)).request();
      RowGraph rows = GraphBuilder.build(nnet, places);
      ComputationGraph sets = FindRows.apply(nnet, places);
      found++;
      int needed = 0;
      for (int row = 0; row < rows.rows().size(); row++) {
        Cindex c = rows.rows().get(row);
        boolean need = sets.needed().get(c.node()).contains(c.index());
        assertThat(need).as(name + c).isEqualTo(rows.isNeeded(row));
        needed += need ? 1 : 0;
        if (need) {
          var reads = new HashSet<Cindex>();
          Arrays.stream(rows.reads().get(row)).forEach(r -> reads.add(rows.rows().get(r)));
          assertThat(reads(sets, c)).as(name + c).isEqualTo(reads);
        }
      }
      assertThat(sets.needed().stream().mapToInt(RowSet::size).sum()).as(name).isEqualTo(needed);
    }
    assertThat(found).isGreaterThan(200);
  }

  /**
   * Rows of component {@code b} have no bounds in time, because the component does not declare
   * which rows it reads.
   */
  private static final String WITHOUT_BOUNDS =
      """
      input-node name=input dim=2
      component name=b type=BackpropTruncationComponent dim=2
      component-node name=b component=b input=Sum(input, IfDefined(Offset(b, -1)))
      component name=c type=BackpropTruncationComponent dim=2
      component-node name=c component=c input=Sum(b, IfDefined(Offset(c, %d)))
      output-node name=output input=c
      """;

  private static ComputationGraph withoutBounds(int offset, int frames) {
    String net = String.format(Locale.ROOT, WITHOUT_BOUNDS, offset);
    String request =
        "input input has-deriv=0%nrange n=0:1 t=0:%d%noutput output has-deriv=0%nrange n=0:1"
            + " t=%d:%d%n";
    int at = offset < 0 ? frames - 1 : 0;
    return ComputationGraph.of(
        Nnet.fromConfig("net", net, 1),
        ComputationRequest.parse("r", String.format(Locale.ROOT, request, frames, at, at + 1)));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 3000, 9000})
  void recurrencesWithoutBoundsEndWithTheInput(int frames) {
    for (int offset : new int[] {-1, 1}) {
      ComputationGraph graph = withoutBounds(offset, frames);
      int c = graph.nnet().number("c");
      assertThat(graph.toCompute(c).size()).isEqualTo(frames);
      assertThat(graph.toCompute(graph.nnet().number("b")).size()).isEqualTo(frames);
    }
  }

  @Test
  void saysWhatIsInfinite() {
    Nnet nnet =
        Nnet.fromConfig(
            "net",
            """
            input-node name=input dim=2
            component name=b type=BackpropTruncationComponent dim=2
            component-node name=b component=b input=Sum(Const(1, 2), IfDefined(Offset(b, -1)))
            output-node name=output input=Sum(input, b)
            """,
            1);
    String request =
        "input input has-deriv=0%nrange n=0:1 t=0:1%noutput output has-deriv=0%nrange n=0:1"
            + " t=0:1%n";
    assertThatThrownBy(() ->
            ComputationGraph.of(
                nnet, ComputationRequest.parse("r", String.format(Locale.ROOT, request))))
        .isInstanceOf(ComputationException.class)
        .hasMessageStartingWith(
            "[compile] the dependencies of an output must be finite; got a chain of more than 20000"
                + " rows, ending at b(0, -")
        .hasMessageEndingWith("; correct the descriptors of its recurrence.");
  }

  @Test
  void costsNoMoreForMoreSequences() {
    Nnet nnet = Cases.nnet("x-tdnnf-test");
    String form =
        "input input has-deriv=0%nrange n=0:%d t=-8:15%ninput ivector has-deriv=0%n"
            + "range n=0:%<d t=0:1%noutput output has-deriv=0%nrange n=0:%<d t=0:7:3%n";
    var sizes = new HashSet<Integer>();
    for (int n : new int[] {1, 2, 64}) {
      var request = ComputationRequest.parse("r", String.format(Locale.ROOT, form, n, n, n));
      sizes.add(
          ComputationGraph.of(nnet, RepresentativeSequence.of(request).request()).needed().stream()
              .mapToInt(RowSet::size)
              .sum());
    }
    assertThat(sizes).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "error-cyclic",
        "error-missing-ivector",
        "error-not-computable-all",
        "error-unknown-output-name",
        "notime-index",
        "req-ragged-n"
      })
  void refusesWhatKaldiRefuses(String name) {
    assertThatThrownBy(() -> compile(name)).isInstanceOf(ComputationException.class);
  }

  @Test
  void saysWhatIsMissing() {
    assertThatThrownBy(() -> compile("error-missing-ivector"))
        .hasMessageStartingWith(
            """
            [compile] each row of an output must be computable; 4 of 4 are not:
              output(0, 0, 0) = a lacks
                a(0, 0, 0) = Append(input, ReplaceIndex(ivector, t, 0)) lacks
                  ivector(0, 0, 0): not supplied
              output(0, 1, 0) = a lacks
            """)
        .hasMessageEndingWith("ivector(0, 0, 0): not supplied");
  }

  @Test
  void saysWhatIsNotKnown() {
    assertThatThrownBy(() -> compile("error-unknown-output-name"))
        .hasMessage(
            "[compile] an output must be an output node; got 'foo'; the network has output.");
  }

  @Test
  void saysWhatIsCyclic() {
    assertThatThrownBy(() -> compile("error-cyclic"))
        .hasMessage(
            "[compile] no row may depend on itself; got a cycle through a(0, 0, 0), a(0, 1, 0), "
                + "b(0, 0, 0), b(0, 1, 0); use Offset so that a recurrence goes one way in time.");
  }

  private static void compile(String name) {
    Steps.of(
        ComputationGraph.of(
            Cases.nnet(name), RepresentativeSequence.of(Cases.request(name)).request()));
  }

  private static String computable(String name, String output) {
    var found =
        Pattern.compile("\"" + Pattern.quote(output) + "\": \"([01]+)\"")
            .matcher(Vectors.text(name, "stats.json"));
    assertThat(found.find()).as(name).isTrue();
    return found.group(1);
  }

  private static String text(boolean[] flags) {
    var text = new StringBuilder();
    for (boolean flag : flags) {
      text.append(flag ? '1' : '0');
    }
    return text.toString();
  }
}
