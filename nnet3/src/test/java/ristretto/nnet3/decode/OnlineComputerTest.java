package ristretto.nnet3.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.Rematerialization;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
import ristretto.nnet3.network.VectorNets;
import ristretto.nnet3.step.DeviceParameters;

class OnlineComputerTest {
  private static final Context CONTEXT = Context.open();
  private static final int FRAMES = 67;

  @AfterAll
  static void close() {
    CONTEXT.close();
  }

  private static Matrix random(int rows, int cols) {
    var random = new Random(5);
    var m = new Matrix(rows, cols);
    for (int k = 0; k < m.data().length; k++) {
      m.data()[k] = (float) random.nextGaussian();
    }
    return m;
  }

  private static Matrix part(Matrix m, int from, int to) {
    return m.select(IntStream.range(from, to).toArray());
  }

  /** All frames in one computation, with copies of the first and the last one around them. */
  private static Matrix whole(Nnet raw, Matrix features, float[] ivector, int stride, int extra) {
    Nnet nnet = new NetworkEdits(raw, EditLog.NONE).prepareForTest().nnet();
    SimpleContext context = SimpleContext.of(nnet);
    int frames = features.rows();
    int lastOutput = (frames - 1) / stride * stride;
    int first = -context.left() - extra;
    int last = Math.max(lastOutput + context.right(), frames - 1);
    List<Index> input = IntStream.rangeClosed(first, last).mapToObj(t -> new Index(0, t)).toList();
    var output = new ArrayList<Index>();
    for (int t = 0; t < frames; t += stride) {
      output.add(new Index(0, t));
    }
    var inputs = new ArrayList<ComputationRequest.Io>();
    inputs.add(new ComputationRequest.Io("input", input, false));
    var given = new HashMap<String, Matrix>();
    given.put(
        "input",
        features.select(
            IntStream.rangeClosed(first, last).map(t -> Math.clamp(t, 0, frames - 1)).toArray()));
    if (ivector.length > 0) {
      inputs.add(new ComputationRequest.Io("ivector", List.of(new Index(0, 0)), false));
      given.put("ivector", new Matrix(1, ivector.length, ivector));
    }
    var request =
        new ComputationRequest(
            inputs, List.of(new ComputationRequest.Io("output", output, false)), false, false);
    return Computation.compile(nnet, request, new DeviceParameters(CONTEXT))
        .run(given)
        .get("output");
  }

  private static List<Float> feed(OnlineComputer computer, Matrix features) {
    var got = new ArrayList<Float>();
    int at = 0;
    for (int size = 1; at < features.rows(); size = size * 2 % 13 + 1) {
      int end = Math.min(at + size, features.rows());
      computer.accept(part(features, at, end));
      take(computer, got);
      at = end;
    }
    computer.finish();
    take(computer, got);
    return got;
  }

  private static void take(OnlineComputer computer, List<Float> to) {
    for (float value : computer.outputs().data()) {
      to.add(value);
    }
  }

  private static void assertEqual(List<Float> got, Matrix want) {
    assertThat(got).hasSize(want.data().length);
    for (int k = 0; k < want.data().length; k++) {
      double off = Math.abs(got.get(k) - want.data()[k]) / Math.max(1, Math.abs(want.data()[k]));
      assertThat(off).as("element %d", k).isLessThan(1e-4);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "compute-tdnn, 1, 1",
    "compute-tdnn, 20, 1",
    "compute-tdnnf-online-ivector, 9, 3",
    "compute-cnn-tdnn, 7, 3",
    "compute-fast-lstmp, 5, 1",
    "x-fast-lstmp-subsample3, 20, 3",
    "x-lstmp-batchnorm, 8, 1",
    "x-gru, 5, 1",
    "x-gru, 6, 2",
    "x-norm-opgru, 8, 1",
    "x-attention-many, 11, 1",
    "comp-Statistics-period, 5, 1",
    "rnn-clockwork, 4, 1",
    "desc-failover-sum, 5, 1"
  })
  void outputsAreThoseOfTheWholeUtterance(String name, int chunk, int stride) {
    Nnet nnet = VectorNets.read(name);
    Matrix features = random(FRAMES, nnet.inputDim("input"));
    float[] ivector = random(1, Math.max(1, nnet.inputDim("ivector"))).data();
    if (nnet.inputDim("ivector") <= 0) {
      ivector = new float[0];
    }
    var computer = new OnlineComputer(CONTEXT, nnet, chunk, stride);
    computer.ivector(ivector);
    assertEqual(feed(computer, features), whole(nnet, features, ivector, stride, 0));
    // a second utterance needs nothing new
    int before = computer.computations();
    computer.reset();
    assertEqual(feed(computer, features), whole(nnet, features, ivector, stride, 0));
    assertThat(computer.computations()).isEqualTo(before);
  }

  /** Reads other frames at the beginning and end of an utterance than in its middle. */
  @ParameterizedTest
  @CsvSource({
    "'Failover(Offset(h, 40), Offset(h, 2))', 42",
    "'Failover(Offset(h, -40), Offset(g, -5))', 0",
    "'Failover(Offset(h, -3), Offset(g, 9))', 9",
    "'Failover(Offset(g, 12), Failover(Offset(h, -30), Offset(g, -2)))', 12",
    "'Failover(Offset(r, 20), Offset(r, -2))', 22",
    "'Sum(r, Failover(Offset(g, -40), Offset(r, -9)))', 2",
    "'Sum(g, IfDefined(Offset(h, 40)))', 42",
    "'Sum(g, IfDefined(Offset(h, -40)))', 0"
  })
  void whatIsReadFarAwayIsReadWhereItCanBe(String read, int lookahead) {
    String recurrence =
        """
        component name=a type=AffineComponent input-dim=6 output-dim=3
        component-node name=a component=a input=Append(h, IfDefined(Offset(r, -1)))
        component name=r type=TanhComponent dim=3
        component-node name=r component=r input=a
        """;
    Nnet nnet =
        simple(
            """
            component name=h type=AffineComponent input-dim=6 output-dim=3
            component-node name=h component=h input=Append(Offset(input, -3), input, \
            Offset(input, 2))
            component name=g type=AffineComponent input-dim=2 output-dim=3
            component-node name=g component=g input=input
            """
                + (read.contains("(r,") ? recurrence : "")
                + "output-node name=output input="
                + read
                + "\n");
    Matrix features = random(FRAMES, 2);
    for (int chunk : new int[] {1, 7, 20}) {
      var computer = new OnlineComputer(CONTEXT, nnet, chunk, 1);
      assertThat(computer.lookahead()).isEqualTo(lookahead);
      assertEqual(feed(computer, features), whole(nnet, features, new float[0], 1, 0));
    }
  }

  @Test
  void chunksOfALongUtteranceAreOneComputation() {
    Nnet nnet = VectorNets.read("compute-fast-lstmp");
    Matrix features = random(160, nnet.inputDim("input"));
    var computer = new OnlineComputer(CONTEXT, nnet, 20, 1, 10);
    assertEqual(feed(computer, features), whole(nnet, features, new float[0], 1, 10));
    // the first, and those after it
    assertThat(computer.computations()).isEqualTo(2);
  }

  /** Without the loop each chunk is computed from the first frame on, by a request of its own. */
  @ParameterizedTest
  @CsvSource({"compute-tdnn, 20, 1", "compute-fast-lstmp, 20, 1", "x-gru, 6, 2"})
  void outputsAreTheSameWithoutTheLoop(String name, int chunk, int stride) {
    Nnet nnet = VectorNets.read(name);
    Matrix features = random(FRAMES, nnet.inputDim("input"));
    var lowering = new LoweringOptions(Rematerialization.CHEAP, true, true, true, 0);
    var computer = new OnlineComputer(CONTEXT, nnet, chunk, stride, 0, lowering);
    assertEqual(feed(computer, features), whole(nnet, features, new float[0], stride, 0));
    assertThat(computer.computations())
        .isEqualTo((FRAMES + computer.framesPerChunk() - 1) / computer.framesPerChunk());
  }

  @Test
  void outputsComeAsSoonAsTheyCan() {
    Nnet nnet = VectorNets.read("compute-tdnn");
    var computer = new OnlineComputer(CONTEXT, nnet, 10, 1);
    assertThat(computer.framesPerChunk()).isEqualTo(10);
    assertThat(computer.lookahead()).isEqualTo(2);
    Matrix features = random(14, nnet.inputDim("input"));
    computer.accept(part(features, 0, 11));
    assertThat(computer.outputs().rows()).isZero();
    computer.accept(part(features, 11, 12));
    assertThat(computer.outputs().rows()).isEqualTo(10);
    computer.accept(part(features, 12, 14));
    computer.finish();
    assertThat(computer.outputs().rows()).isEqualTo(4);
    assertThat(computer.outputs().rows()).isZero();
  }

  private static Nnet simple(String lines) {
    return Nnet.fromConfig("test", "input-node name=input dim=2\n" + lines, 1);
  }

  @Test
  void whatNeedsAllOfTheFutureOrPastIsRefused() {
    assertThatThrownBy(
            () -> new OnlineComputer(CONTEXT, VectorNets.read("rnn-simple-backward"), 10, 1))
        .isInstanceOf(ComputationException.class)
        .hasMessage(
            "[online] the right context of the outputs must be bounded; got more than 512 frames,"
                + " as for a backward recurrence; compute whole utterances, with nnet3-compute.");
    Nnet past =
        simple(
            """
            component name=s type=StatisticsExtractionComponent input-dim=2 include-variance=false
            component-node name=s component=s input=input
            component name=p type=StatisticsPoolingComponent input-dim=3 left-context=700 \
            right-context=0 output-stddevs=false
            component-node name=p component=p input=s
            output-node name=output input=p
            """);
    assertThatThrownBy(() -> new OnlineComputer(CONTEXT, past, 10, 1))
        .isInstanceOf(ComputationException.class)
        .hasMessage(
            "[online] the left context of the outputs must be bounded; got more than 512 frames;"
                + " compute whole utterances, with nnet3-compute or nnet3-xvector-compute.");
    Nnet slow = VectorNets.read("comp-StatisticsPooling-xvector");
    assertThatThrownBy(() -> new OnlineComputer(CONTEXT, slow, 10, 1))
        .isInstanceOf(ComputationException.class)
        .hasMessage(
            "[online] the modulus of the network must be at most 512; got 10000, and chunks are"
                + " multiples of it; compute whole utterances, with nnet3-compute or"
                + " nnet3-xvector-compute.");
  }

  @Test
  void wrongUseIsRefused() {
    Nnet nnet = simple("output-node name=output input=input\n");
    assertThatThrownBy(() -> new OnlineComputer(CONTEXT, nnet, 0, 1))
        .isInstanceOf(ComputationException.class)
        .hasMessage(
            "[online] chunks and the subsampling factor must be at least 1, and extra context at"
                + " least 0; got 0, 1 and 0; correct them.");
    var computer = new OnlineComputer(CONTEXT, nnet, 10, 1);
    assertThatThrownBy(() -> computer.accept(new Matrix(1, 3)))
        .isInstanceOf(ComputationException.class)
        .hasMessage(
            "[online] frames must have 2 columns and precede the end of the input; got 3 columns,"
                + " before the end; correct them, or call reset.");
    computer.finish();
    assertThatThrownBy(() -> computer.accept(new Matrix(1, 2)))
        .isInstanceOf(ComputationException.class)
        .hasMessage(
            "[online] frames must have 2 columns and precede the end of the input; got 2 columns,"
                + " after the end; correct them, or call reset.");
    Nnet ivectors = VectorNets.read("compute-tdnnf-online-ivector");
    var without = new OnlineComputer(CONTEXT, ivectors, 3, 3);
    Matrix features = random(20, ivectors.inputDim("input"));
    assertThatThrownBy(() -> without.accept(features))
        .isInstanceOf(ComputationException.class)
        .hasMessage(
            "[online] the node 'ivector' must be given "
                + ivectors.inputDim("ivector")
                + " numbers; got none; call ivector first.");
  }
}
