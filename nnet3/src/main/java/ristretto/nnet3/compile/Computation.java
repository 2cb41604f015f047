package ristretto.nnet3.compile;

import static ristretto.expr.Ops.F32;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.F32;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.Node;
import ristretto.nnet3.forward.Resident;
import ristretto.nnet3.io.Matrix;

/** A request compiled for a context: what it supplies goes in, and what it wants comes out. */
public final class Computation {
  private final Map<String, Tensor<F32>> inputs = new LinkedHashMap<>();
  private final Map<String, Tensor<F32>> outputs = new LinkedHashMap<>();
  private final Nnet nnet;
  private final Structure structure;
  private final int sequenceCount;
  private final Program program;

  Computation(
      Nnet nnet,
      ComputationRequest request,
      Resident resident,
      Function<ComputationRequest, Structure> structures) {
    var sequences = Sequences.of(request);
    this.nnet = nnet;
    this.sequenceCount = sequences.count();
    this.structure = structures.apply(sequences.request());
    Context context = resident.context();
    for (ComputationRequest.Io io : request.inputs()) {
      int dim = nnet.dim(nnet.node(nnet.number(io.name())));
      inputs.put(io.name(), context.zeros(F32, io.indexes().size(), dim));
    }
    for (ComputationRequest.Io io : request.outputs()) {
      outputs.put(io.name(), context.empty(F32, io.indexes().size(), nnet.outputDim(io.name())));
    }
    program =
        context.recordOnly(
            () -> new Lowering(resident, structure, sequences, request).run(inputs, outputs));
  }

  /**
   * Compiles a request.
   *
   * @throws ComputationException if the network cannot compute what is asked for
   */
  public static Computation compile(Nnet nnet, ComputationRequest request, Resident resident) {
    return new Computation(nnet, request, resident, places -> Structure.of(nnet, places));
  }

  /** Its steps, a line each with the shape of its value [T, N, D], and the kernels they became. */
  public String print() {
    var text = new StringBuilder();
    int number = 0;
    for (Step step : structure.steps().all()) {
      Node node = nnet.node(step.node());
      Index first = step.rows().get(0);
      Index last = step.rows().get(step.rows().size() - 1);
      text.append("step ").append(number++).append(": ").append(node.name());
      text.append(" [T=").append(step.rows().size()).append(", N=").append(sequenceCount);
      text.append(", D=").append(nnet.dim(node)).append("] t=").append(first.t());
      text.append(first.equals(last) ? "" : ".." + last.t());
      if (step.supplied()) {
        text.append(" supplied");
      } else {
        text.append(" = ").append(node.descriptor());
      }
      text.append('\n');
    }
    return text.append(program.explain()).toString();
  }

  /** Bytes of inputs, outputs and everything in between; parameters are not among them. */
  public long bytes() {
    long total = program.temporaryBytes();
    for (Map<String, Tensor<F32>> each : List.of(inputs, outputs)) {
      for (Tensor<F32> t : each.values()) {
        total += t.shape().size() * Float.BYTES;
      }
    }
    return total;
  }

  /** The kernels it launches. */
  public Program program() {
    return program;
  }

  /**
   * Computes the outputs.
   *
   * @param given a matrix for each input, rows as in the request
   * @return a matrix for each output, rows as in the request
   */
  public Map<String, Matrix> run(Map<String, Matrix> given) {
    inputs.forEach((name, tensor) -> supply(name, tensor, given.get(name)));
    program.run();
    var results = new LinkedHashMap<String, Matrix>();
    outputs.forEach((name, tensor) ->
        results.put(
            name,
            new Matrix(
                (int) tensor.shape().dim(0), (int) tensor.shape().dim(1), tensor.toFloatArray())));
    return results;
  }

  private static void supply(String name, Tensor<F32> tensor, Matrix m) {
    long rows = tensor.shape().dim(0);
    long cols = tensor.shape().dim(1);
    if (m == null || m.rows() != rows || m.cols() != cols) {
      throw new ComputationException(
          "[compute] the matrix of an input must have the request's rows and the node's columns, "
              + "%d x %d for '%s'; got %s; supply another."
                  .formatted(rows, cols, name, m == null ? "none" : m.rows() + " x " + m.cols()));
    }
    tensor.context().copy(MemorySegment.ofArray(m.data()), tensor);
  }
}
