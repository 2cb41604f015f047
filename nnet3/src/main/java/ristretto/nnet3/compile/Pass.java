package ristretto.nnet3.compile;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Ops;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.Trace;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.Node;
import ristretto.nnet3.analysis.Assignments;
import ristretto.nnet3.analysis.Listing;
import ristretto.nnet3.analysis.Memory;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.draw.Graph;
import ristretto.nnet3.forward.Forward;
import ristretto.nnet3.forward.GradientSink;
import ristretto.nnet3.forward.Resident;
import ristretto.nnet3.forward.StatisticsSink;

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
public final class Pass {
  private final Resident resident;
  private final ComputationRequest request;
  private final Structure structure;
  private final Sequences sequences;

  /** Lowering of forward, with the values that backward reads; null if no backward pass follows. */
  private Lowering lowering;

  private DerivativeTimes times = DerivativeTimes.ALL;

  private final Matrices matrices;

  /** True if outputs are temporaries of the recorded program. */
  private boolean isWithin;

  /** Derivatives of outputs that are temporaries; inlined into their readers if element-wise. */
  private final Map<String, Expr<F32>> said = new HashMap<>();

  Pass(
      Nnet nnet,
      ComputationRequest request,
      Resident resident,
      Function<ComputationRequest, Structure> structures) {
    this.resident = resident;
    this.request = request;
    this.sequences = Sequences.of(request);
    this.structure = structures.apply(sequences.request());
    this.matrices =
        Matrices.of(resident.context(), nnet, request, io -> (long) io.indexes().size());
  }

  /**
   * Pass for a number of sequences that differs from the request's.
   *
   * @param request defines the order of rows
   */
  Pass(
      ComputationRequest request,
      Resident resident,
      Sequences sequences,
      Structure structure,
      Matrices matrices) {
    this.resident = resident;
    this.request = request;
    this.sequences = sequences;
    this.structure = structure;
    this.matrices = matrices;
  }

  /** Limits derivatives to a time range, and returns this pass. */
  public Pass limited(DerivativeTimes to) {
    times = to;
    return this;
  }

  Matrices matrices() {
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
  public Pass withinProgram() {
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
      resident.context().assign(given, value);
    } else {
      said.put(output, Forward.isElementwise(value) ? value : resident.context().eval(value));
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
    resident.context().inPlace(resident.choices().propagateInPlace());
    if (isRandom(structure)) {
      // Each run has a new seed, from which backward draws the same random numbers as forward.
      resident.context().label("random numbers");
      resident.context().assignAdd(resident.seed(), Ops.fill(Ops.I64, 1, 1));
    }
    var forward = new Lowering(resident, structure, sequences, request);
    forward.run(inputs(), outputs(), request.storeComponentStats() ? sink : null);
    if (request.storeComponentStats()) {
      forward.statistics(sink);
    }
    if (request.needDerivatives()) {
      forward.forget();
      lowering = forward;
    }
    resident.context().inPlace(true);
  }

  static boolean isRandom(Structure structure) {
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
    resident.context().inPlace(resident.choices().backpropInPlace());
    new BackwardLowering(lowering, resident, structure, sequences, request, times, sink)
        .run(isWithin ? said : outputDerivs(), inputDerivs());
    resident.context().inPlace(true);
    // Dropped references: values are temporaries of the program only if nothing else refers to
    // them.
    lowering = null;
    if (isWithin) {
      matrices.outputs().clear();
      said.clear();
    }
  }

  /** Returns the graph of steps and of the reads between steps. */
  public Graph graph() {
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
    read.name("", inputs(), Memory.Role.INPUT);
    read.name("", outputs(), Memory.Role.OUTPUT);
    read.name("derivative of ", outputDerivs(), Memory.Role.INPUT);
    read.name("derivative of ", inputDerivs(), Memory.Role.OUTPUT);
    return read.assignments();
  }
}
