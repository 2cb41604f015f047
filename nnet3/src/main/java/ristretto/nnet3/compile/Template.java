package ristretto.nnet3.compile;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Program;
import ristretto.expr.ProgramTemplate;
import ristretto.expr.Tensor;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.forward.GradientTensors;
import ristretto.nnet3.forward.Resident;
import ristretto.nnet3.forward.SequencesUnknownException;

/** Program template of a request with an unknown number of sequences. */
final class Template {
  private final Resident resident;
  private final Nnet nnet;

  /** Derivatives of parameters; each computation gets its own tensors for them. */
  private final GradientTensors gradients;

  private final List<Resident.PerRow> perRow = new ArrayList<>();

  /**
   * Recorded template; null if the program depends on the number of sequences by more than sizes,
   * so that each request is recorded.
   */
  private final ProgramTemplate program;

  /**
   * Records the template from a request for two sequences.
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
    this.gradients = Computation.gradients(resident);
    Sequences sequences = Sequences.of(two);
    program = record(two, sequences, structures.apply(sequences.request()));
  }

  private ProgramTemplate record(ComputationRequest two, Sequences sequences, Structure structure) {
    Context context = resident.context();
    var outside = new ArrayList<Tensor<?>>();
    var pass = new Pass[1];
    var parts = new ArrayList<Runnable>();
    parts.add(() -> {
      Matrices matrices = Matrices.of(context, nnet, two, Template::unknown);
      outside.addAll(matrices.all());
      pass[0] = new Pass(two, resident, sequences.unknown(), structure, matrices);
      pass[0].forward(gradients);
    });
    if (two.needDerivatives()) {
      parts.add(() -> pass[0].backward(gradients));
    }
    resident.collect(perRow);
    try {
      return ProgramTemplate.record(
              context,
              parts,
              () -> {
                outside.addAll(gradients.all());
                perRow.forEach(p -> outside.add(p.place()));
                return outside;
              })
          .orElse(null);
    } catch (SequencesUnknownException e) {
      return null;
    } finally {
      resident.collect(null);
    }
  }

  private static long unknown(ComputationRequest.Io io) {
    return io.indexes().size() / 2 * ProgramTemplate.STAND_IN;
  }

  /** Returns true if the request has a template. */
  boolean exists() {
    return program != null;
  }

  /**
   * Instantiates the template.
   *
   * @param sequences number of sequences of the request
   */
  Computed at(ComputationRequest request, int sequences) {
    Context context = resident.context();
    Matrices matrices = Matrices.of(context, nnet, request, io -> (long) io.indexes().size());
    GradientTensors own = gradients.another(sequences);
    List<Tensor<?>> all = matrices.all();
    all.addAll(own.all());
    perRow.forEach(p -> all.add(p.values().apply(sequences)));
    return new Computed(matrices, own, program.parts(sequences, all));
  }

  /**
   * Programs with their matrices and gradient tensors.
   *
   * @param parts forward, and backward if the request needs derivatives
   */
  record Computed(Matrices matrices, GradientTensors gradients, List<Program> parts) {}
}
