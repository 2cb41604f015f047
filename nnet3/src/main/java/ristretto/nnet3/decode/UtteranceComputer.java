package ristretto.nnet3.decode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.io.Matrix;

/**
 * Computes the outputs of utterances. Chunks of one form, of whichever utterances, are sequences of
 * one computation.
 */
public final class UtteranceComputer {
  private final Nnet nnet;
  private final Compiler compiler;
  private final Splitter splitter;
  private final ToIntFunction<Chunk.Form> size;
  private final Minibatches minibatches = new Minibatches();

  /** A chunk, and the utterance whose it is. */
  private record Task(Utterance utterance, Chunk chunk, Matrix to, int row) {}

  /**
   * For a network.
   *
   * @param size how many chunks of a form are computed together at most
   */
  public UtteranceComputer(
      Nnet nnet, Compiler compiler, Splitter splitter, ToIntFunction<Chunk.Form> size) {
    this.nnet = nnet;
    this.compiler = compiler;
    this.splitter = splitter;
    this.size = size;
  }

  /** The outputs of each utterance, none of which may be empty, a row for each frame of output. */
  public List<Matrix> compute(List<Utterance> utterances) {
    var outputs = new ArrayList<Matrix>();
    Map<Chunk.Form, List<Task>> groups = new LinkedHashMap<>();
    int dim = nnet.outputDim("output");
    for (Utterance utterance : utterances) {
      check(utterance);
      List<Chunk> chunks = splitter.split(utterance.features().rows(), utterance.ivectors());
      var to = new Matrix(chunks.stream().mapToInt(Chunk::used).sum(), dim);
      int row = 0;
      for (Chunk chunk : chunks) {
        groups
            .computeIfAbsent(chunk.form(), _ -> new ArrayList<>())
            .add(new Task(utterance, chunk, to, row));
        row += chunk.used();
      }
      outputs.add(to);
    }
    groups.forEach((form, tasks) -> {
      int most = size.applyAsInt(form);
      for (int at = 0; at < tasks.size(); at += most) {
        compute(form, tasks.subList(at, Math.min(at + most, tasks.size())));
      }
    });
    return outputs;
  }

  /** What was computed. */
  public Minibatches minibatches() {
    return minibatches;
  }

  private void check(Utterance utterance) {
    check("input", utterance.features().cols(), utterance.key());
    check("ivector", utterance.ivectors().dim(), utterance.key());
  }

  private void check(String node, int got, String key) {
    int wanted = Math.max(0, nnet.inputDim(node));
    if (got != wanted) {
      throw new ComputationException(
          """
          [compute] what is supplied to node '%s' must have its dimension, %d; got %d for '%s'; \
          give features of the kind that the network was trained with.\
          """
              .formatted(node, wanted, got, key));
    }
  }

  private void compute(Chunk.Form form, List<Task> tasks) {
    int dim = nnet.outputDim("output");
    long start = System.nanoTime();
    Computation computation = compiler.compile(request(form, tasks.size()));
    Matrix result = computation.run(inputs(form, tasks)).get("output");
    for (int n = 0; n < tasks.size(); n++) {
      Task task = tasks.get(n);
      System.arraycopy(
          result.data(),
          (n * form.outputs() + task.chunk.skip()) * dim,
          task.to.data(),
          task.row * dim,
          task.chunk.used() * dim);
    }
    minibatches.add(form, size.applyAsInt(form), tasks.size(), System.nanoTime() - start);
  }

  private ComputationRequest request(Chunk.Form form, int sequences) {
    var input = new ArrayList<Index>();
    var ivector = new ArrayList<Index>();
    var output = new ArrayList<Index>();
    for (int n = 0; n < sequences; n++) {
      for (int k = 0; k < form.inputs(); k++) {
        input.add(new Index(n, k - form.before()));
      }
      ivector.add(new Index(n, 0));
      for (int k = 0; k < form.outputs(); k++) {
        output.add(new Index(n, k * form.stride()));
      }
    }
    var inputs = new ArrayList<ComputationRequest.Io>();
    inputs.add(new ComputationRequest.Io("input", input, false));
    if (nnet.inputDim("ivector") > 0) {
      inputs.add(new ComputationRequest.Io("ivector", ivector, false));
    }
    return new ComputationRequest(
        inputs, List.of(new ComputationRequest.Io("output", output, false)), false, false);
  }

  private Map<String, Matrix> inputs(Chunk.Form form, List<Task> tasks) {
    int dim = nnet.inputDim("input");
    int ivectorDim = Math.max(0, nnet.inputDim("ivector"));
    var input = new Matrix(tasks.size() * form.inputs(), dim);
    var ivector = ivectorDim == 0 ? new Matrix(0, 0) : new Matrix(tasks.size(), ivectorDim);
    for (int n = 0; n < tasks.size(); n++) {
      Matrix from = tasks.get(n).utterance.features();
      for (int k = 0; k < form.inputs(); k++) {
        int frame = Math.clamp(tasks.get(n).chunk.firstInput() + k, 0, from.rows() - 1);
        System.arraycopy(
            from.data(), frame * dim, input.data(), (n * form.inputs() + k) * dim, dim);
      }
      if (ivectorDim > 0) {
        System.arraycopy(
            tasks.get(n).chunk.ivector(), 0, ivector.data(), n * ivectorDim, ivectorDim);
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
