package ristretto.nnet3.compile;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.Trace;
import ristretto.expr.type.F32;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.DerivativeTimes;
import ristretto.nnet3.analysis.Assignments;
import ristretto.nnet3.analysis.Listing;
import ristretto.nnet3.analysis.MatrixInfo;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.graph.RepresentativeSequence;
import ristretto.nnet3.lower.BackwardLowering;
import ristretto.nnet3.lower.Lowering;
import ristretto.nnet3.lower.RequestStructure;
import ristretto.nnet3.lower.Step;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.nnet3.step.ForwardStep;
import ristretto.nnet3.step.GradientSink;
import ristretto.nnet3.step.StatisticsSink;
import ristretto.report.picture.Diagram;

/**
 * Forward and backward pass of a request, for a caller that records them. Between the two, the
 * caller may assign the derivatives of the outputs as expressions of the outputs, and after
 * backward the parameter update.
 *
 * <pre>{@code
 * Program step = context.recordOnly(() -> {
 *   pass.forward(sink);
 *   pass.derivative("output", ...);
 *   pass.backward(sink);
 * });
 * }</pre>
 */
public final class ForwardBackward {
  private final DeviceParameters deviceParameters;
  private final ComputationRequest request;
  private final RequestStructure structure;
  private final RepresentativeSequence sequences;

  /** Lowering of forward, with the values that backward reads; null if no backward pass follows. */
  private Lowering lowering;

  private DerivativeTimes times = DerivativeTimes.ALL;

  private final RequestMatrices matrices;

  /** True if outputs are temporaries of the recorded program. */
  private boolean isWithin;

  /** Derivatives of outputs that are temporaries; inlined into their readers if element-wise. */
  private final Map<String, Expr<F32>> said = new HashMap<>();

  ForwardBackward(
      Nnet nnet,
      ComputationRequest request,
      DeviceParameters deviceParameters,
      Function<ComputationRequest, RequestStructure> structures) {
    this.deviceParameters = deviceParameters;
    this.request = request;
    this.sequences = RepresentativeSequence.of(request);
    this.structure = structures.apply(sequences.request());
    this.matrices =
        RequestMatrices.of(
            deviceParameters.context(), nnet, request, io -> (long) io.indexes().size());
  }

  /**
   * Pass for a number of sequences that differs from the request's.
   *
   * @param request defines the order of rows
   */
  ForwardBackward(
      ComputationRequest request,
      DeviceParameters deviceParameters,
      RepresentativeSequence sequences,
      RequestStructure structure,
      RequestMatrices matrices) {
    this.deviceParameters = deviceParameters;
    this.request = request;
    this.sequences = sequences;
    this.structure = structure;
    this.matrices = matrices;
  }

  /** Limits derivatives to a time range, and returns this pass. */
  public ForwardBackward limited(DerivativeTimes to) {
    times = to;
    return this;
  }

  RequestMatrices matrices() {
    return matrices;
  }

  /** Returns the input matrices, by node, rows as in the request; the caller sets all of them. */
  public Map<String, Tensor<F32>> inputs() {
    return matrices.inputs();
  }

  /**
   * Makes outputs temporaries of one program that runs forward and backward, and returns this pass.
   * Outputs are known from {@link #forward} on, and their derivatives are set by {@link
   * #derivative}.
   */
  public ForwardBackward withinProgram() {
    matrices.outputs().clear();
    matrices.outputDerivs().clear();
    isWithin = true;
    return this;
  }

  /** Returns the dimension of an output; -1 if the request has no such output. */
  public int outputDim(String name) {
    return request.outputs().stream().anyMatch(io -> io.name().equals(name))
        ? structure.graph().nnet().outputDim(name)
        : -1;
  }

  /**
   * Sets the derivative of the objective by an output; to be called between {@link #forward} and
   * backward.
   */
  public void derivative(String output, Expr<F32> value) {
    Tensor<F32> given = matrices.outputDerivs().get(output);
    if (given != null) {
      deviceParameters.context().assign(given, value);
    } else {
      said.put(
          output,
          ForwardStep.isElementwise(value) ? value : deviceParameters.context().eval(value));
    }
  }

  /** Returns the output matrices, by node. */
  public Map<String, Tensor<F32>> outputs() {
    return matrices.outputs();
  }

  /**
   * Returns the matrices for derivatives of the objective by the outputs; the caller sets all of
   * them.
   */
  public Map<String, Tensor<F32>> outputDerivs() {
    return matrices.outputDerivs();
  }

  /** Returns the derivatives of the inputs for which the request wants one. */
  public Map<String, Tensor<F32>> inputDerivs() {
    return matrices.inputDerivs();
  }

  /**
   * Assigns the outputs, and passes statistics to the sink if the request stores them; to be called
   * once, while recording.
   */
  public void forward(StatisticsSink sink) {
    deviceParameters.context().inPlace(deviceParameters.lowering().propagateInPlace());
    if (isRandom(structure)) {
      // Each run has a new seed, from which backward draws the same random numbers as forward.
      deviceParameters.context().label("random numbers");
      deviceParameters.context().assignAdd(deviceParameters.seed(), Ops.fill(Ops.I64, 1, 1));
    }
    var forward = new Lowering(deviceParameters, structure, sequences, request);
    forward.run(inputs(), outputs(), request.storeComponentStats() ? sink : null);
    if (request.storeComponentStats()) {
      forward.statistics(sink);
    }
    if (request.needDerivatives()) {
      forward.forget();
      lowering = forward;
    }
    deviceParameters.context().inPlace(true);
  }

  static boolean isRandom(RequestStructure structure) {
    Nnet nnet = structure.graph().nnet();
    return structure.steps().all().stream()
        .mapToInt(Step::node)
        .distinct()
        .anyMatch(node ->
            nnet.node(node) instanceof Node.ComponentNode n
                && ((ComponentBase) nnet.component(n)).isRandomNow());
  }

  /**
   * Assigns the input derivatives, and passes those of parameters to the sink; to be called after
   * forward.
   */
  public void backward(GradientSink sink) {
    deviceParameters.context().inPlace(deviceParameters.lowering().backpropInPlace());
    new BackwardLowering(lowering, deviceParameters, structure, sequences, request, times, sink)
        .run(isWithin ? said : outputDerivs(), inputDerivs());
    deviceParameters.context().inPlace(true);
    // Dropped references: values are temporaries of the program only if nothing else refers to
    // them.
    lowering = null;
    if (isWithin) {
      matrices.outputs().clear();
      said.clear();
    }
  }

  /** Returns the graph of steps and of the reads between steps. */
  public Diagram graph() {
    return StepGraph.of(structure, sequences);
  }

  /** Prints the matrices and assignments of a program that was recorded with this pass. */
  public String print(Program program) {
    return Listing.of(assignments(program.trace()));
  }

  /**
   * Converts the trace of a program recorded with this pass to assignments with nodes and times.
   */
  public Assignments assignments(Trace trace) {
    var read = new ReadTrace(trace, structure, sequences);
    read.name("", inputs(), MatrixInfo.Role.INPUT);
    read.name("", outputs(), MatrixInfo.Role.OUTPUT);
    read.name("derivative of ", outputDerivs(), MatrixInfo.Role.INPUT);
    read.name("derivative of ", inputDerivs(), MatrixInfo.Role.OUTPUT);
    return read.assignments();
  }
}
