package ristretto.nnet3.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.decode.Ivectors;
import ristretto.nnet3.decode.OnlineComputer;
import ristretto.nnet3.decode.SplitOptions;
import ristretto.nnet3.decode.SplitStrategy;
import ristretto.nnet3.decode.Utterance;
import ristretto.nnet3.decode.UtteranceComputer;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.graph.StreamingState;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
import ristretto.nnet3.step.DeviceParameters;

/** Outputs of random networks for whole utterances, chunk by chunk, and while frames come. */
class ChunkedTest {
  private static final double ROUNDING = 1e-4;

  @Test
  void outputsAreThoseOfTheWholeUtterance() {
    int[] counts = new int[2];
    try (Context context = Context.open("cpu")) {
      Seeds.each(
          38,
          seed -> {
            RandomNet net = RandomNet.of(seed);
            if (net.nnet().outputDim("other") > 0) {
              return;
            }
            var draw = new Draw(seed + 3);
            int frames = draw.between(20, 40);
            int stride = draw.pick(1, 1, 1, 2, 3);
            int chunk = draw.between(1, 20);
            Matrix features = draw.gaussian(frames, net.nnet().inputDim("input"));
            int dim = Math.max(0, net.nnet().inputDim("ivector"));
            float[] ivector = dim > 0 ? draw.gaussian(1, dim).data() : new float[0];
            Nnet test = new NetworkEdits(net.nnet(), EditLog.NONE).prepareForTest().nnet();
            if (!hasContext(test, 0)) {
              return;
            }
            Matrix whole = whole(context, test, features, ivector, stride, 0);
            String what = net.description() + "chunks of " + chunk + ", stride " + stride;
            Matrix online = online(context, net.nnet(), features, ivector, chunk, stride);
            if (online != null) {
              counts[0]++;
              assertSame(online, whole, what + ", online");
            }
            var options =
                new SplitOptions(0, 0, -1, -1, stride, chunk).rounded(net.nnet().modulus());
            int last = lastChunk(frames, options);
            if (isIndependent(net) && hasContext(test, last)) {
              counts[1]++;
              Matrix end = whole(context, test, features, ivector, stride, last);
              int before = (frames - 1) / options.framesPerChunk() * options.framesPerChunk();
              assertSame(
                  chunked(context, test, features, ivector, options),
                  joined(whole, end, before / stride),
                  what);
            }
          },
          // the last chunk does not begin at a multiple of the modulus
          2012,
          2126,
          2221,
          2296,
          2316,
          // it reads 40 frames ahead, but not near the end
          2087,
          // where Switch needs more context than the first output that can be computed
          3228,
          3988,
          // the last chunk ends with an output that looks farther ahead than others
          8468);
    }
    assertThat(counts[0]).isGreaterThan(20);
    assertThat(counts[1]).isGreaterThan(10);
  }

  private static void assertSame(Matrix got, Matrix want, String what) {
    assertThat(got.rows()).as(what).isEqualTo(want.rows());
    assertThat(Outcome.distance(got.data(), want.data())).as(what).isLessThan(ROUNDING);
  }

  /** Returns true if no output of a chunk needs a frame that the chunk lacks. */
  private static boolean isIndependent(RandomNet net) {
    return !net.topology().isRecurrent()
        && !net.config().matches("(?s).*(IfDefined|Failover|Statistics|required).*");
  }

  /**
   * Returns true if a network's context suffices at the beginning of an utterance. The context is
   * that of the first output that can be computed at all; outputs at other times modulo the
   * network's modulus may need more, and Kaldi does not compute such utterances either.
   *
   * @param zero the frame that has time 0
   */
  private static boolean hasContext(Nnet nnet, int zero) {
    SimpleContext needs = SimpleContext.of(nnet);
    int end = nnet.modulus() - zero;
    var inputs = new ArrayList<ComputationRequest.Io>();
    inputs.add(
        new ComputationRequest.Io(
            "input", times(-needs.left() - zero, end + needs.right()), false));
    if (nnet.inputDim("ivector") > 0) {
      inputs.add(new ComputationRequest.Io("ivector", times(0, 1), false));
    }
    var output = new ComputationRequest.Io("output", times(-zero, end), false);
    var request = new ComputationRequest(inputs, List.of(output), false, false);
    boolean[] computable = StreamingState.computable(nnet, request).get(0);
    return IntStream.range(0, computable.length).allMatch(k -> computable[k]);
  }

  private static List<Index> times(int from, int end) {
    return IntStream.range(from, end).mapToObj(t -> new Index(0, t)).toList();
  }

  /**
   * First frame of the last chunk of an utterance: the latest start with which the chunk ends with
   * the utterance. Its times are counted from there, so that values that depend on times modulo
   * something (Switch, Round) are those of an utterance that begins there, not those of the whole
   * utterance.
   */
  private static int lastChunk(int frames, SplitOptions options) {
    int all = (frames + options.subsampling() - 1) / options.subsampling();
    return Math.max(0, all * options.subsampling() - options.framesPerChunk());
  }

  /** So many rows of one matrix, and those after them of another one. */
  private static Matrix joined(Matrix first, Matrix then, int rows) {
    var all = new Matrix(first.rows(), first.cols(), first.data().clone());
    int at = rows * first.cols();
    System.arraycopy(then.data(), at, all.data(), at, then.data().length - at);
    return all;
  }

  /**
   * All frames in one computation, with copies of the first and the last one around them.
   *
   * @param zero the frame that has time 0
   */
  private static Matrix whole(
      Context context, Nnet nnet, Matrix features, float[] ivector, int stride, int zero) {
    SimpleContext needs = SimpleContext.of(nnet);
    int frames = features.rows();
    int first = -needs.left();
    int last = Math.max((frames - 1) / stride * stride + needs.right(), frames - 1);
    int[] times = IntStream.rangeClosed(first, last).toArray();
    var output = new ArrayList<Index>();
    for (int t = 0; t < frames; t += stride) {
      output.add(new Index(0, t - zero));
    }
    var inputs = new ArrayList<ComputationRequest.Io>();
    List<Index> rows = times(first - zero, last - zero + 1);
    inputs.add(new ComputationRequest.Io("input", rows, false));
    var given = new HashMap<String, Matrix>();
    given.put(
        "input",
        features.select(IntStream.of(times).map(t -> Math.clamp(t, 0, frames - 1)).toArray()));
    if (ivector.length > 0) {
      inputs.add(new ComputationRequest.Io("ivector", List.of(new Index(0, 0)), false));
      given.put("ivector", new Matrix(1, ivector.length, ivector));
    }
    var request =
        new ComputationRequest(
            inputs, List.of(new ComputationRequest.Io("output", output, false)), false, false);
    return Computation.compile(nnet, request, new DeviceParameters(context))
        .run(given)
        .get("output");
  }

  /** Null if outputs depend on all that is to come, or all that was. */
  private static Matrix online(
      Context context, Nnet nnet, Matrix features, float[] ivector, int chunk, int stride) {
    OnlineComputer computer;
    try {
      computer = new OnlineComputer(context, nnet, chunk, stride);
    } catch (ComputationException e) {
      assertThat(e)
          .hasMessageMatching(
              "(?s)\\[online] the (left|right) context of the outputs must be bounded.*");
      return null;
    }
    if (ivector.length > 0) {
      computer.ivector(ivector);
    }
    var parts = new ArrayList<Matrix>();
    for (int at = 0, size = 1; at < features.rows(); size = size * 2 % 13 + 1) {
      int end = Math.min(at + size, features.rows());
      computer.accept(features.select(IntStream.range(at, end).toArray()));
      parts.add(computer.outputs());
      at = end;
    }
    computer.finish();
    parts.add(computer.outputs());
    int rows = parts.stream().mapToInt(Matrix::rows).sum();
    var all = new Matrix(rows, nnet.outputDim("output"));
    int at = 0;
    for (Matrix part : parts) {
      System.arraycopy(part.data(), 0, all.data(), at, part.data().length);
      at += part.data().length;
    }
    return all;
  }

  private static Matrix chunked(
      Context context, Nnet nnet, Matrix features, float[] ivector, SplitOptions options) {
    var computer =
        new UtteranceComputer(
            nnet,
            new Compiler(nnet, new DeviceParameters(context), 64),
            new SplitStrategy.Even(options, SimpleContext.of(nnet), false),
            _ -> 3);
    Ivectors ivectors = ivector.length > 0 ? new Ivectors.Fixed(ivector) : new Ivectors.None();
    computer.accept(new Utterance("utterance", features, ivectors));
    computer.finish();
    return computer.poll().output();
  }
}
