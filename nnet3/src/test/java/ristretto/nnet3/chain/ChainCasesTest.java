package ristretto.nnet3.chain;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Index;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.ReadFst;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.matrix.Matrix;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.automaton.AutomatonInput;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Summary;

/**
 * Chain objectives and derivatives of all cases, beside Kaldi's, on the device of
 * -Dristretto.test.device. A case has {@code sup.bin}, {@code sup.txt}, {@code nnet-output.txt},
 * Kaldi's numbers in {@code expected.json}, and its matrices in {@code expected.txt}; the graphs
 * are in the folder {@code dens}.
 */
class ChainCasesTest {
  private static final Map<String, Map<String, byte[]>> FOLDERS = Vectors.read("chain.tar.gz");
  private static final Context CONTEXT =
      Context.open(System.getProperty("ristretto.test.device", "cpu"));
  private static final double LOG_PROB = 1e-5;
  private static final double DERIVATIVE = 1e-4;

  @AfterAll
  static void close() {
    CONTEXT.close();
  }

  static Stream<String> cases() {
    return FOLDERS.keySet().stream().filter(name -> !name.equals("dens") && !name.isEmpty());
  }

  static Stream<String> graphs() {
    return FOLDERS.get("dens").keySet().stream()
        .filter(name -> name.endsWith(".fst"))
        .map(name -> name.substring(0, name.length() - 4));
  }

  private static KaldiInput input(String folder, String file) {
    return KaldiInput.of(folder + "/" + file, FOLDERS.get(folder).get(file));
  }

  private static String text(String folder, String file) {
    return new String(FOLDERS.get(folder).get(file), StandardCharsets.UTF_8);
  }

  private static DenominatorGraph graph(String name) {
    String file = name + ".fst";
    return DenominatorGraph.of(ReadFst.binary(input("dens", file)), file);
  }

  /** Numbers of a JSON object's own keys and of {@code exact_double}, with its name before them. */
  private static Map<String, String> numbers(String json) {
    var all = new LinkedHashMap<String, String>();
    Matcher entry =
        Pattern.compile("\"([a-z_0-9]+)\": (\\{)?(?:\"([^\"]*)\"|([-+.eE0-9a-z]+))?").matcher(json);
    String prefix = "";
    while (entry.find()) {
      if (entry.group(2) != null) {
        prefix = entry.group(1) + ".";
      } else {
        String value = entry.group(3) == null ? entry.group(4) : entry.group(3);
        all.put(prefix + entry.group(1), value);
      }
      if (json.startsWith("\n }", entry.end())) {
        prefix = "";
      }
    }
    return all;
  }

  private static double number(Map<String, String> of, String key) {
    return switch (of.get(key)) {
      case "nan" -> Double.NaN;
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(of.get(key));
    };
  }

  private static Map<String, Matrix> matrices(String folder) {
    var all = new LinkedHashMap<String, Matrix>();
    KaldiInput in = input(folder, "expected.txt");
    while (!in.atEnd()) {
      String key = in.readToken();
      if (key.equals("initial-probs") || key.equals("deriv-weights")) {
        all.put(key, Matrix.of(in.readVector()));
      } else {
        all.put(key, in.readMatrix());
      }
    }
    return all;
  }

  private static void close(String what, double got, double expected, double tolerance) {
    if (Double.isFinite(expected)) {
      assertThat(Math.abs(got - expected)).as(what).isLessThanOrEqualTo(tolerance);
    } else {
      assertThat(Double.compare(got, expected)).as("%s: %s, not %s", what, got, expected).isZero();
    }
  }

  private static void close(String what, Matrix got, Matrix expected) {
    assertThat(got.rows()).isEqualTo(expected.rows());
    assertThat(got.cols()).isEqualTo(expected.cols());
    double largest = 0;
    for (float v : expected.data()) {
      if (Float.isFinite(v)) {
        largest = Math.max(largest, Math.abs(v));
      }
    }
    for (int k = 0; k < expected.data().length; k++) {
      String where = String.format(Locale.ROOT, "%s[%d,%d]", what, k / got.cols(), k % got.cols());
      close(where, got.data()[k], expected.data()[k], DERIVATIVE * largest);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void areKaldis(String name) {
    Map<String, String> expected = numbers(text(name, "expected.json"));
    var options =
        new ChainOptions(
            (float) number(expected, "leaky_hmm_coefficient"),
            (float) number(expected, "l2_regularize"),
            (float) number(expected, "out_of_range_regularize"),
            (float) number(expected, "xent_regularize"));
    ChainSupervision supervision = ChainSupervision.read(input(name, "sup.bin"));
    Matrix output = input(name, "nnet-output.txt").readMatrix();
    DenominatorGraph graph = graph(expected.get("den"));
    ChainObjective got = new ChainLoss(CONTEXT, graph, options).of(supervision, output);
    // Kaldi's value is wrong where a path returns to the start state of an end-to-end graph.
    String exact = name.equals("e2e-start-state-revisited") ? "exact_double." : "";
    double den = number(expected, "den_logprob");
    double num = number(expected, exact + "num_logprob");
    double scale = Math.max(Math.abs(den), Double.isFinite(num) ? Math.abs(num) : 0);
    close("den_logprob", got.denominatorLogProb(), den, LOG_PROB * Math.abs(den));
    close("num_logprob", got.numeratorLogProb(), num, LOG_PROB * Math.abs(num));
    close("objf", got.objective(), number(expected, exact + "objf"), LOG_PROB * scale);
    double l2 = number(expected, "l2_term");
    close("l2_term", got.l2Term(), l2, LOG_PROB * Math.abs(l2));
    close("weight", got.weight(), number(expected, "weight"), 1e-5 * got.weight());
    assertThat(got.denominatorOk()).isEqualTo(Boolean.parseBoolean(expected.get("den_ok")));
    Map<String, Matrix> matrices = matrices(name);
    if (exact.isEmpty()) {
      close("deriv", got.derivative(), matrices.get("deriv"));
      close("xent-deriv", got.xentDerivative(), matrices.get("xent-deriv"));
      close("num-posteriors", got.numeratorPosteriors(), matrices.get("num-posteriors"));
    }
    if (matrices.containsKey("deriv-with-penalty")) {
      close("with penalty", got.penalizedDerivative(), matrices.get("deriv-with-penalty"));
    } else if (!name.startsWith("bad-")) {
      assertThat(got.penalizedDerivative().data()).isEqualTo(got.derivative().data());
    }
    close("den-posteriors", got.denominatorPosteriors(), matrices.get("den-posteriors"));
  }

  /** Forward probabilities of few frames in memory give the same bits. */
  @ParameterizedTest
  @MethodSource("cases")
  void savingMemoryChangesNothing(String name) {
    Map<String, String> expected = numbers(text(name, "expected.json"));
    ChainSupervision supervision = ChainSupervision.read(input(name, "sup.bin"));
    Matrix output = input(name, "nnet-output.txt").readMatrix();
    DenominatorGraph graph = graph(expected.get("den"));
    ChainObjective all =
        new ChainLoss(CONTEXT, graph, new ChainOptions(0.1f, 0, 0, 0, false))
            .of(supervision, output);
    ChainObjective some =
        new ChainLoss(CONTEXT, graph, new ChainOptions(0.1f, 0, 0, 0, true))
            .of(supervision, output);
    assertThat(some.denominatorLogProb()).isEqualTo(all.denominatorLogProb());
    assertThat(some.denominatorPosteriors().data()).isEqualTo(all.denominatorPosteriors().data());
    assertThat(some.denominatorOk()).isEqualTo(all.denominatorOk());
  }

  static Stream<String> singleAcceptors() {
    return cases()
        .filter(name -> !name.startsWith("bad-") && !name.contains("range"))
        .filter(name -> !name.contains("revisited"))
        .filter(name -> {
          ChainSupervision supervision = ChainSupervision.read(input(name, "sup.bin"));
          return supervision.fsts().size() == supervision.sequences();
        });
  }

  /** Objective of the symbolic layer, which does not limit outputs, and its gradient. */
  @ParameterizedTest
  @MethodSource("singleAcceptors")
  void symbolicObjectivesAreKaldis(String name) {
    Map<String, String> expected = numbers(text(name, "expected.json"));
    ChainSupervision supervision = ChainSupervision.read(input(name, "sup.bin"));
    Matrix output = input(name, "nnet-output.txt").readMatrix();
    int frames = supervision.frames();
    int sequences = supervision.sequences();
    Variable<F32> logits =
        Variable.parameter(
            "logits",
            Ops.F32,
            (shape, _) -> CONTEXT.tensor(output.data(), shape),
            frames,
            sequences,
            output.cols());
    AutomatonInput<F32> wanted = AutomatonInput.of("wanted", Ops.F32);
    AutomatonInput<F32> graph = AutomatonInput.of("graph", Ops.F32);
    float leaky = (float) number(expected, "leaky_hmm_coefficient");
    Variable<F32> loss = Layers.lfmmi(logits, wanted, graph, leaky, Summary.SUM);
    var executor = new Executor(CONTEXT, loss);
    wanted.set(ChainAutomata.of(supervision), executor::set);
    graph.set(List.of(ChainAutomata.of(graph(expected.get("den")))), executor::set);
    executor.backward(loss);
    double num = number(expected, "num_logprob");
    double den = number(expected, "den_logprob");
    double scale = Math.max(Math.abs(den), Math.abs(num)) / frames;
    close("loss", executor.tensor(loss).item(), (den - num) / frames, LOG_PROB * scale);
    Map<String, Matrix> matrices = matrices(name);
    float[] d = matrices.get("den-posteriors").data().clone();
    for (int k = 0; k < d.length; k++) {
      d[k] = (d[k] - matrices.get("num-posteriors").data()[k]) / frames;
    }
    float[] got = executor.gradientOf(logits).toFloatArray();
    close(
        "gradient",
        new Matrix(output.rows(), output.cols(), got),
        new Matrix(output.rows(), output.cols(), d));
  }

  /**
   * Derivatives that training hands to the network, without the penalty on outputs out of range.
   */
  @ParameterizedTest
  @MethodSource("cases")
  void derivativesOfTrainingAreKaldis(String name) {
    Map<String, String> expected = numbers(text(name, "expected.json"));
    var options =
        new ChainOptions(
            (float) number(expected, "leaky_hmm_coefficient"),
            (float) number(expected, "l2_regularize"),
            0,
            (float) number(expected, "xent_regularize"));
    ChainSupervision supervision = ChainSupervision.read(input(name, "sup.bin"));
    Matrix output = input(name, "nnet-output.txt").readMatrix();
    Map<String, Matrix> matrices = matrices(name);
    Matrix rows = matrices.get("deriv-weights");
    var indexes = new ArrayList<Index>();
    for (int k = 0; k < output.rows(); k++) {
      int width = supervision.sequences();
      indexes.add(new Index(k % width, k / width, 0));
    }
    float[] weights = rows == null ? new float[0] : rows.data();
    var example = new ChainExample.Output("output", indexes, supervision, weights);
    var loss = new ChainLoss(CONTEXT, graph(expected.get("den")), options);
    var step = new ChainStep(CONTEXT, loss, example, output.cols(), true);
    Tensor<F32> x = CONTEXT.tensor(output.data(), output.rows(), output.cols());
    Matrix twin = matrices.get("xent-output");
    ChainStep.Values values =
        step.compute(
            x, twin == null ? null : CONTEXT.tensor(twin.data(), twin.rows(), twin.cols()));
    if (!name.equals("e2e-start-state-revisited")) {
      Matrix derivative = matrices.getOrDefault("deriv-to-output", matrices.get("deriv"));
      close("derivative", matrix(step.derivative(x), output), derivative);
      Matrix ofTwin = matrices.get("deriv-to-output-xent");
      if (ofTwin != null) {
        close("derivative of the twin", matrix(step.xentDerivative(), output), ofTwin);
        double xent = number(expected, "xent_objf");
        close("cross-entropy", values.xent(), xent, LOG_PROB * Math.abs(xent));
      }
    }
    // Another supervision of the size takes the place of the first.
    step.set(example);
    assertThat(step.compute(x, null).objective()).isEqualTo(values.objective());
  }

  private static Matrix matrix(Expr<F32> values, Matrix like) {
    return new Matrix(like.rows(), like.cols(), CONTEXT.eval(values).toFloatArray());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void textIsAsBinary(String name) {
    ChainSupervision binary = ChainSupervision.read(input(name, "sup.bin"));
    ChainSupervision text = ChainSupervision.read(input(name, "sup.txt"));
    assertThat(text.weight()).isEqualTo(binary.weight());
    assertThat(List.of(text.sequences(), text.frames(), text.labels(), text.endToEnd()))
        .isEqualTo(
            List.of(binary.sequences(), binary.frames(), binary.labels(), binary.endToEnd()));
    assertThat(text.alignment()).isEqualTo(binary.alignment());
    for (int k = 0; k < binary.fsts().size(); k++) {
      same(text.fsts().get(k), binary.fsts().get(k));
    }
  }

  private static void same(Fst a, Fst b) {
    assertThat(List.of(a.start(), a.states(), a.arcs()))
        .isEqualTo(List.of(b.start(), b.states(), b.arcs()));
    for (int s = 0; s < a.states(); s++) {
      assertThat(a.firstArc(s)).isEqualTo(b.firstArc(s));
      assertThat(a.isFinal(s)).isEqualTo(b.isFinal(s));
      close("final cost", a.finalCost(s), b.finalCost(s), 1e-6 * Math.abs(b.finalCost(s)));
    }
    for (int k = 0; k < a.arcs(); k++) {
      assertThat(List.of(a.input(k), a.output(k), a.target(k)))
          .isEqualTo(List.of(b.input(k), b.output(k), b.target(k)));
      close("cost", a.cost(k), b.cost(k), 1e-6 * Math.abs(b.cost(k)));
    }
  }

  @ParameterizedTest
  @MethodSource("graphs")
  void graphsAreKaldis(String name) {
    DenominatorGraph graph = graph(name);
    KaldiInput in = input("dens", name + ".initial-probs.txt");
    in.expectToken("initial-probs");
    float[] expected = in.readVector();
    float[] got = graph.initialProbabilities();
    assertThat(got).hasSameSizeAs(expected);
    for (int s = 0; s < got.length; s++) {
      close("state " + s, got[s], expected[s], 1e-6 * expected[s]);
    }
    Pattern line = Pattern.compile("forward (\\d+) -> (\\d+) pdf (\\d+) prob (\\S+) index (\\d+)");
    Matcher transition = line.matcher(text("dens", name + ".transitions.txt"));
    int count = 0;
    for (; transition.find(); count++) {
      assertThat(graph.sources()[count]).isEqualTo(Integer.parseInt(transition.group(1)));
      assertThat(graph.targets()[count]).isEqualTo(Integer.parseInt(transition.group(2)));
      assertThat(graph.pdfsOfTransitions()[count]).isEqualTo(Integer.parseInt(transition.group(3)));
      float p = Float.parseFloat(transition.group(4));
      close("probability", graph.probabilities()[count], p, 1e-7 * p);
    }
    assertThat(count).isEqualTo(graph.transitions());
    if (text("dens", name + ".fst.txt").matches("(?s)\\d+\\s\\d+\\s\\d+\\s\\d+\\s.*")) {
      Fst text = ReadFst.text(input("dens", name + ".fst.txt"));
      same(text, ReadFst.binary(input("dens", name + ".fst")));
    }
  }
}
