package ristretto.nnet3.decode;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;

/**
 * Computes the outputs of utterances and returns them in input order. Chunks of equal form, of any
 * utterances, are batched as sequences of one computation, so a chunk may wait for others.
 */
public final class UtteranceComputer implements UtteranceOutputs {
  /** Maximum number of input frames that wait. */
  private static final int MOST_WAITING = 1 << 16;

  private final Nnet nnet;
  private final Compiler compiler;
  private final SplitStrategy splitter;
  private final ToIntFunction<UtteranceChunk.Form> size;
  private final ChunkExtension forms;
  private final MinibatchStatistics minibatches = new MinibatchStatistics();
  private final Map<UtteranceChunk.Form, List<Task>> tasks = new LinkedHashMap<>();
  private final Deque<Work> works = new ArrayDeque<>();
  private long waiting;

  /** Outputs of an utterance, one row per output frame. */
  public record Result(Utterance utterance, Matrix output) {}

  /** Chunk, and the output row of its first kept output. */
  private record Task(Work work, UtteranceChunk chunk, int row) {}

  private static final class Work {
    private final Utterance utterance;
    private final Matrix output;
    private int open;

    Work(Utterance utterance, Matrix output, int chunks) {
      this.utterance = utterance;
      this.output = output;
      this.open = chunks;
    }
  }

  /**
   * Creates a computer for a network.
   *
   * @param size maximum number of chunks of a form per minibatch
   */
  public UtteranceComputer(
      Nnet nnet,
      Compiler compiler,
      SplitStrategy splitter,
      ToIntFunction<UtteranceChunk.Form> size) {
    this.nnet = nnet;
    this.compiler = compiler;
    this.splitter = splitter;
    this.size = size;
    this.forms = new ChunkExtension(nnet);
  }

  @Override
  public void accept(Utterance utterance) {
    check("input", utterance.features().cols(), utterance.key());
    check("ivector", utterance.ivectors().dim(), utterance.key());
    List<UtteranceChunk> chunks = splitter.split(utterance.features().rows(), utterance.ivectors());
    int rows = chunks.stream().mapToInt(UtteranceChunk::used).sum();
    var work = new Work(utterance, new Matrix(rows, nnet.outputDim("output")), chunks.size());
    works.add(work);
    waiting += utterance.features().rows();
    int row = 0;
    for (UtteranceChunk chunk : chunks) {
      UtteranceChunk.Form form = forms.of(chunk.form(), chunk.usual());
      List<Task> same = tasks.computeIfAbsent(form, _ -> new ArrayList<>());
      same.add(new Task(work, chunk, row));
      row += chunk.used();
      if (same.size() == size.applyAsInt(form)) {
        compute(form, same);
      }
    }
    if (waiting > MOST_WAITING) {
      finish();
    }
  }

  @Override
  public Result poll() {
    if (works.isEmpty() || works.peek().open > 0) {
      return null;
    }
    Work work = works.remove();
    waiting -= work.utterance.features().rows();
    return new Result(work.utterance, work.output);
  }

  /** Computes all waiting chunks, in partial minibatches. */
  @Override
  public void finish() {
    tasks.forEach((form, same) -> {
      if (!same.isEmpty()) {
        compute(form, same);
      }
    });
  }

  /** Returns statistics of the computed minibatches. */
  public MinibatchStatistics minibatches() {
    return minibatches;
  }

  private void check(String node, int got, String key) {
    int wanted = Math.max(0, nnet.inputDim(node));
    if (wanted == 0 && got > 0) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[compute] i-vectors must be given only to a network with an input 'ivector'; got %d"
                  + " numbers for '%s' and a network without; leave them out.",
              got,
              Excerpt.of(key)));
    }
    if (wanted > 0 && got == 0 && node.equals("ivector")) {
      throw new ComputationException(
          "[compute] a network with an input 'ivector' must have i-vectors; got none for '%s'; give --ivectors or --online-ivectors."
              .formatted(Excerpt.of(key)));
    }
    if (got != wanted) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              """
              [compute] the matrix of node '%s' must have the node's dimension, %d; got %d for '%s'; \
              give features of the kind that the network was trained with.\
              """,
              node,
              wanted,
              got,
              Excerpt.of(key)));
    }
  }

  private void compute(UtteranceChunk.Form form, List<Task> same) {
    long start = System.nanoTime();
    int most = size.applyAsInt(form);
    int sequences = same.size();
    Matrix result =
        compiler
            .compile(forms.request(form, sequences))
            .run(inputs(form, same, sequences))
            .get("output");
    int dim = result.cols();
    for (int n = 0; n < same.size(); n++) {
      Task task = same.get(n);
      System.arraycopy(
          result.data(),
          (n * form.outputs() + task.chunk.skip()) * dim,
          task.work.output.data(),
          task.row * dim,
          task.chunk.used() * dim);
      task.work.open--;
    }
    minibatches.add(form, most, same.size(), System.nanoTime() - start);
    same.clear();
  }

  private Map<String, Matrix> inputs(UtteranceChunk.Form form, List<Task> same, int sequences) {
    int dim = nnet.inputDim("input");
    int ivectorDim = Math.max(0, nnet.inputDim("ivector"));
    var input = new Matrix(sequences * form.inputs(), dim);
    var ivector = ivectorDim == 0 ? new Matrix(0, 0) : new Matrix(sequences, ivectorDim);
    for (int n = 0; n < same.size(); n++) {
      UtteranceChunk chunk = same.get(n).chunk;
      Matrix from = same.get(n).work.utterance.features();
      for (int k = 0; k < form.inputs(); k++) {
        int frame = Math.clamp(chunk.firstInput() + k, 0, from.rows() - 1);
        System.arraycopy(
            from.data(), frame * dim, input.data(), (n * form.inputs() + k) * dim, dim);
      }
      if (ivectorDim > 0) {
        System.arraycopy(chunk.ivector(), 0, ivector.data(), n * ivectorDim, ivectorDim);
      }
    }
    var inputs = new HashMap<String, Matrix>();
    inputs.put("input", input);
    if (ivectorDim > 0) {
      inputs.put("ivector", ivector);
    }
    return inputs;
  }
}
