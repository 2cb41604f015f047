package ristretto.nnet3.compile;

import static ristretto.expr.Ops.F32;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import ristretto.expr.Context;
import ristretto.expr.F32;
import ristretto.expr.Program;
import ristretto.expr.ProgramTemplate;
import ristretto.expr.Tensor;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.forward.Resident;
import ristretto.nnet3.forward.SequencesUnknownException;

/** A forward computation of a number of sequences that is not known yet. */
final class Template {
  private final Resident resident;
  private final Nnet nnet;

  /** Null if the number is part of more than sizes: then each request is recorded. */
  private final ProgramTemplate program;

  /**
   * Of a request of two sequences.
   *
   * @param two see {@link Uniform}
   */
  Template(
      Nnet nnet,
      ComputationRequest two,
      Resident resident,
      Function<ComputationRequest, Structure> structures) {
    this.nnet = nnet;
    this.resident = resident;
    Sequences sequences = Sequences.of(two);
    Structure structure = structures.apply(sequences.request());
    program = Pass.isRandom(structure) ? null : record(two, sequences, structure);
  }

  private ProgramTemplate record(ComputationRequest two, Sequences sequences, Structure structure) {
    try {
      return ProgramTemplate.record(
              resident.context(),
              () -> {
                var matrices = new Matrices(resident.context(), nnet, two, Template::unknown);
                new Lowering(resident, structure, sequences.unknown(), two)
                    .run(matrices.inputs, matrices.outputs, null);
                return matrices.all();
              })
          .orElse(null);
    } catch (SequencesUnknownException e) {
      return null;
    }
  }

  private static long unknown(ComputationRequest.Io io) {
    return io.indexes().size() / 2 * ProgramTemplate.STAND_IN;
  }

  /** Whether there is one. */
  boolean exists() {
    return program != null;
  }

  /** The computation of a request that has as many sequences. */
  Computed at(ComputationRequest request, int sequences) {
    var matrices =
        new Matrices(resident.context(), nnet, request, io -> (long) io.indexes().size());
    return new Computed(matrices.inputs, matrices.outputs, program.at(sequences, matrices.all()));
  }

  /** A program, and the matrices that it reads and writes. */
  record Computed(
      Map<String, Tensor<F32>> inputs, Map<String, Tensor<F32>> outputs, Program program) {}

  /** What goes in and what comes out. */
  private static final class Matrices {
    final Map<String, Tensor<F32>> inputs = new LinkedHashMap<>();
    final Map<String, Tensor<F32>> outputs = new LinkedHashMap<>();

    Matrices(
        Context context,
        Nnet nnet,
        ComputationRequest request,
        ToLongFunction<ComputationRequest.Io> rows) {
      for (ComputationRequest.Io io : request.inputs()) {
        long dim = nnet.dim(nnet.node(nnet.number(io.name())));
        inputs.put(io.name(), context.empty(F32, rows.applyAsLong(io), dim));
      }
      for (ComputationRequest.Io io : request.outputs()) {
        outputs.put(io.name(), context.empty(F32, rows.applyAsLong(io), nnet.outputDim(io.name())));
      }
    }

    List<Tensor<?>> all() {
      var all = new ArrayList<Tensor<?>>(inputs.values());
      all.addAll(outputs.values());
      return all;
    }
  }
}
