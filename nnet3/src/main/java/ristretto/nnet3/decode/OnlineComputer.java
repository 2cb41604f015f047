package ristretto.nnet3.decode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.graph.ChunkRequest;
import ristretto.nnet3.graph.StreamingState;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
import ristretto.nnet3.step.DeviceParameters;

/**
 * Streaming computation of the outputs of a network while its input is still arriving. State from
 * each chunk of frames is kept in memory for later chunks, so nothing is computed twice (except for
 * networks with {@code Failover}, which keep no state), and the outputs equal those of the whole
 * utterance computed at once:
 *
 * <pre>{@code
 * var computer = new OnlineComputer(context, Nnet.load("final.raw"), 20, 1);
 * while (more) {
 *   computer.accept(frames);          // any number of rows
 *   use(computer.outputs());          // perhaps none
 * }
 * computer.finish();
 * use(computer.outputs());
 * }</pre>
 *
 * <p>Networks run in test mode. An utterance is padded with copies of its first frame before it and
 * of its last frame after it. One object serves successive utterances ({@link #reset}); it is not
 * thread-safe.
 */
public final class OnlineComputer {
  private static final String KEPT = "online.";
  private static final int COMPUTATIONS = 64;
  private static final Matrix NONE = new Matrix(0, 0);

  private final Nnet nnet;
  private final SimpleContext context;
  private final Compiler compiler;
  private final StreamingState streaming;
  private final int chunk;
  private final int stride;
  private final int extraLeft;
  private final Map<Form, ComputationRequest> requests = new HashMap<>();
  private final List<float[]> frames = new ArrayList<>();
  private final List<Matrix> ready = new ArrayList<>();
  private Map<String, Kept> kept = Map.of();
  private float[] ivector;

  /** Frame of the next output. */
  private int begin;

  /** Number of frames received so far. */
  private int known;

  /** Number of received frames that are no longer held. */
  private int forgotten;

  private boolean finished;

  /** Rows of a component node, by their index relative to the chunk. */
  private record Kept(List<Index> rows, Matrix values) {}

  /** Key of a request: every property in which requests of chunks differ. */
  private record Form(int from, int to, int outputs, boolean last, Map<String, List<Index>> kept) {}

  /**
   * Creates a computer for a network whose outputs have a bounded lookahead.
   *
   * @param nnet with nodes {@code input} and {@code output}, and at most {@code ivector} beside
   *     them
   * @param framesPerChunk input frames per chunk; rounded up to a multiple of the network's modulus
   *     and the subsampling factor
   * @param subsampling input frames per output frame
   * @throws ComputationException if outputs depend on all of the future or of the past
   */
  public OnlineComputer(Context context, Nnet nnet, int framesPerChunk, int subsampling) {
    this(context, nnet, framesPerChunk, subsampling, 0);
  }

  /**
   * Creates a computer with extra left context.
   *
   * @param extraLeftContext copies of the first frame in addition to the network's left context
   */
  public OnlineComputer(
      Context context, Nnet nnet, int framesPerChunk, int subsampling, int extraLeftContext) {
    this(context, nnet, framesPerChunk, subsampling, extraLeftContext, LoweringOptions.DEFAULT);
  }

  /**
   * Creates a computer with extra left context and computation options.
   *
   * @param lowering options of the computations; if {@link LoweringOptions#block} is 0, no state is
   *     kept between chunks, and each chunk recomputes from the first frame
   */
  public OnlineComputer(
      Context context,
      Nnet nnet,
      int framesPerChunk,
      int subsampling,
      int extraLeftContext,
      LoweringOptions lowering) {
    if (framesPerChunk < 1 || subsampling < 1 || extraLeftContext < 0) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              """
              [online] chunks and the subsampling factor must be at least 1, and extra context at least \
              0; got %d, %d and %d; correct them.\
              """,
              framesPerChunk,
              subsampling,
              extraLeftContext));
    }
    Nnet test = new NetworkEdits(nnet, EditLog.NONE).prepareForTest().nnet();
    this.context = SimpleContext.of(test);
    this.stride = subsampling;
    this.extraLeft = extraLeftContext;
    int period = Math.toIntExact(Descriptor.lcm(test.modulus(), subsampling));
    this.chunk = (framesPerChunk + period - 1) / period * period;
    this.streaming =
        lowering.block() != 0
            ? StreamingState.of(test, this.context, period, stride)
            : StreamingState.fromTheFirst(test, this.context, period, stride);
    this.nnet = withOutputs(test, streaming);
    var deviceParameters = new DeviceParameters(context);
    deviceParameters.lowering(lowering);
    this.compiler = new Compiler(this.nnet, deviceParameters, COMPUTATIONS);
  }

  /** Adds an output node for each node whose rows are kept between chunks. */
  private static Nnet withOutputs(Nnet nnet, StreamingState streaming) {
    var lines = new StringBuilder();
    for (String node : streaming.kept().keySet()) {
      lines.append("output-node name=").append(KEPT).append(node);
      lines.append(" input=").append(node).append('\n');
    }
    return nnet.withConfig("online computation", lines.toString(), 0);
  }

  /**
   * Returns the lookahead: input frames after an output frame that must be known before the output
   * is computed.
   */
  public int lookahead() {
    return streaming.lookahead();
  }

  /** Returns the number of input frames per chunk. */
  public int framesPerChunk() {
    return chunk;
  }

  /** Sets the ivector that chunks from now on supply to the node {@code ivector}. */
  public void ivector(float[] vector) {
    ivector = vector.clone();
  }

  /** Accepts any number of further frames, and computes the chunks that they complete. */
  public void accept(Matrix features) {
    if (finished || features.rows() > 0 && features.cols() != nnet.inputDim("input")) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              """
              [online] frames must have %d columns and precede the end of the input; got %d columns, %s the \
              end; correct them, or call reset.\
              """,
              nnet.inputDim("input"),
              features.cols(),
              finished ? "after" : "before"));
    }
    for (int row = 0; row < features.rows(); row++) {
      frames.add(features.row(row));
    }
    known += features.rows();
    while (begin + chunk - stride + streaming.lookahead() < known) {
      compute(chunk / stride, false);
    }
  }

  /** Marks the end of the utterance and computes the remaining outputs. */
  public void finish() {
    finished = true;
    while (begin < known) {
      int outputs = Math.min(chunk, known - begin + stride - 1) / stride;
      compute(outputs, begin + outputs * stride >= known);
    }
  }

  /** Returns the outputs computed since the last call, one row each; 0 x 0 if there are none. */
  public Matrix outputs() {
    int rows = ready.stream().mapToInt(Matrix::rows).sum();
    if (rows == 0) {
      return NONE;
    }
    var all = new Matrix(rows, ready.get(0).cols());
    int at = 0;
    for (Matrix part : ready) {
      System.arraycopy(part.data(), 0, all.data(), at, part.data().length);
      at += part.data().length;
    }
    ready.clear();
    return all;
  }

  /** Discards all frames, outputs and kept state; a new utterance begins. */
  public void reset() {
    frames.clear();
    ready.clear();
    kept = Map.of();
    begin = 0;
    forgotten = 0;
    known = 0;
    finished = false;
  }

  /** Returns the number of distinct computations so far. */
  int computations() {
    return requests.size();
  }

  /** Computes the next outputs. Times are relative to the first of them. */
  private void compute(int outputs, boolean last) {
    int end = (outputs - 1) * stride;
    int start = -context.left() - extraLeft - begin;
    int from = begin == 0 ? start : Math.max(start, -streaming.reach());
    int to = end + streaming.lookahead();
    if (finished) {
      int farthest = (known - 1) / stride * stride + context.right();
      int all = Math.max(farthest, known - 1) - begin;
      // the last output of the utterance may look farther ahead than the last output of a whole
      // chunk
      to = last ? all : Math.min(to, all);
    }
    var rows = new LinkedHashMap<String, List<Index>>();
    kept.forEach((name, k) -> rows.put(name, k.rows()));
    var form = new Form(from, to, outputs, last, rows);
    ComputationRequest request = requests.computeIfAbsent(form, this::request);
    Map<String, Matrix> results = compiler.compile(request).run(inputs(form));
    ready.add(results.get("output"));
    int moved = outputs * stride;
    var next = new LinkedHashMap<String, Kept>();
    for (ComputationRequest.Io io : request.outputs()) {
      if (io.name().startsWith(KEPT)) {
        List<Index> moves = io.indexes().stream().map(i -> i.at(i.t() - moved, i.x())).toList();
        next.put(io.name().substring(KEPT.length()), new Kept(moves, results.get(io.name())));
      }
    }
    kept = next;
    begin += moved;
    forget();
  }

  private void forget() {
    int needed = Math.min(begin - streaming.reach(), known) - forgotten;
    if (needed > chunk) {
      frames.subList(0, needed - 1).clear();
      forgotten += needed - 1;
    }
  }

  private Map<String, Matrix> inputs(Form form) {
    var inputs = new HashMap<String, Matrix>();
    int dim = nnet.inputDim("input");
    var input = new Matrix(form.to - form.from + 1, dim);
    for (int k = 0; k < input.rows(); k++) {
      int t = Math.clamp(begin + form.from + k, 0, known - 1);
      System.arraycopy(frames.get(t - forgotten), 0, input.data(), k * dim, dim);
    }
    inputs.put("input", input);
    if (nnet.inputDim("ivector") > 0) {
      if (ivector == null || ivector.length != nnet.inputDim("ivector")) {
        throw new ComputationException(
            String.format(
                Locale.ROOT,
                "[online] the node 'ivector' must be given %d numbers; got %s; call ivector"
                    + " first.",
                nnet.inputDim("ivector"),
                ivector == null ? "none" : ivector.length));
      }
      inputs.put("ivector", new Matrix(1, ivector.length, ivector));
    }
    kept.forEach((name, k) -> inputs.put(name, k.values()));
    return inputs;
  }

  private ComputationRequest request(Form form) {
    ComputationRequest chunk =
        ChunkRequest.of(nnet, 1, form.from, form.to - form.from + 1, 0, form.outputs, stride);
    var inputs = new ArrayList<>(chunk.inputs());
    form.kept.forEach((name, rows) -> inputs.add(new ComputationRequest.Io(name, rows, false)));
    var outputs = new ArrayList<>(chunk.outputs());
    if (form.last) {
      return new ComputationRequest(inputs, outputs, false, false);
    }
    int moved = form.outputs * stride;
    streaming
        .kept()
        .forEach((name, rows) ->
            outputs.add(
                new ComputationRequest.Io(
                    KEPT + name,
                    rows.stream().map(i -> i.at(i.t() + moved, i.x())).toList(),
                    false)));
    return new ComputationRequest(
        inputs, computable(new ComputationRequest(inputs, outputs, false, false)), false, false);
  }

  /**
   * Removes rows that are not computable yet: in the first chunks, some of the rows to keep have no
   * value.
   */
  private List<ComputationRequest.Io> computable(ComputationRequest request) {
    List<boolean[]> flags = StreamingState.computable(nnet, request);
    var outputs = new ArrayList<ComputationRequest.Io>();
    for (int k = 0; k < flags.size(); k++) {
      ComputationRequest.Io io = request.outputs().get(k);
      var some = new ArrayList<Index>();
      for (int row = 0; row < io.indexes().size(); row++) {
        if (flags.get(k)[row] || k == 0) {
          some.add(io.indexes().get(row));
        }
      }
      if (!some.isEmpty()) {
        outputs.add(new ComputationRequest.Io(io.name(), some, false));
      }
    }
    return outputs;
  }
}
