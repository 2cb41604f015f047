package ristretto.nnet3.compile;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Program;
import ristretto.expr.ProgramTemplate;
import ristretto.expr.Tensor;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.graph.RepresentativeSequence;
import ristretto.nnet3.graph.UniformRequest;
import ristretto.nnet3.lower.RequestStructure;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.nnet3.step.GradientTensors;
import ristretto.nnet3.step.SequencesUnknownException;

/** Program template of a request with an unknown number of sequences. */
final class ComputationTemplate {
  private final DeviceParameters deviceParameters;
  private final Nnet nnet;

  /** Derivatives of parameters; each computation gets its own tensors for them. */
  private final GradientTensors gradients;

  private final List<DeviceParameters.PerRow> perRow = new ArrayList<>();

  /**
   * Recorded template; null if the program depends on the number of sequences by more than sizes,
   * so that each request is recorded.
   */
  private final ProgramTemplate program;

  /**
   * Records the template from a request for two sequences.
   *
   * @param two see {@link UniformRequest}
   */
  ComputationTemplate(
      Nnet nnet,
      ComputationRequest two,
      DeviceParameters deviceParameters,
      Function<ComputationRequest, RequestStructure> structures) {
    this.nnet = nnet;
    this.deviceParameters = deviceParameters;
    this.gradients = Computation.gradients(deviceParameters);
    RepresentativeSequence sequences = RepresentativeSequence.of(two);
    program = record(two, sequences, structures.apply(sequences.request()));
  }

  private ProgramTemplate record(
      ComputationRequest two, RepresentativeSequence sequences, RequestStructure structure) {
    Context context = deviceParameters.context();
    var outside = new ArrayList<Tensor<?>>();
    var pass = new ForwardBackward[1];
    var parts = new ArrayList<Runnable>();
    parts.add(() -> {
      RequestMatrices matrices =
          RequestMatrices.of(context, nnet, two, ComputationTemplate::unknown);
      outside.addAll(matrices.all());
      pass[0] =
          new ForwardBackward(two, deviceParameters, sequences.unknown(), structure, matrices);
      pass[0].forward(gradients);
    });
    if (two.needDerivatives()) {
      parts.add(() -> pass[0].backward(gradients));
    }
    deviceParameters.collect(perRow);
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
      deviceParameters.collect(null);
    }
  }

  private static long unknown(ComputationRequest.Io io) {
    return io.indexes().size() / 2 * ProgramTemplate.UNKNOWN;
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
    Context context = deviceParameters.context();
    RequestMatrices matrices =
        RequestMatrices.of(context, nnet, request, io -> (long) io.indexes().size());
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
  record Computed(RequestMatrices matrices, GradientTensors gradients, List<Program> parts) {}
}
