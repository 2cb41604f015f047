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
 * A request forwards and backwards, to be recorded: who records it may assign between both what the
 * derivatives of the outputs are, as expressions of the outputs, and afterwards what becomes of the
 * parameters.
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

  /** Knows the values that backward reads; null if there is no backward. */
  private Lowering lowering;

  private DerivativeTimes times = DerivativeTimes.ALL;

  private final Matrices matrices;

  /** Whether outputs are temporaries. */
  private boolean isWithin;

  /** Then, the derivatives by them; whoever reads these computes them. */
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
   * The same, for another number of sequences than the request has.
   *
   * @param request with the order of rows
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

  /** Computes derivatives at these times only. */
  public Pass limited(DerivativeTimes to) {
    times = to;
    return this;
  }

  Matrices matrices() {
    return matrices;
  }

  /** The matrices of the inputs, by node, rows as in the request: all are to be set. */
  public Map<String, Tensor<F32>> inputs() {
    return matrices.inputs();
  }

  /**
   * The same for one program that goes forwards and backwards, of which outputs are temporaries:
   * they are known from {@link #forward} on, and {@link #derivative} says what is derived by them.
   */
  public Pass withinProgram() {
    matrices.outputs().clear();
    matrices.outputDerivs().clear();
    isWithin = true;
    return this;
  }

  /** How many columns an output has; -1 if the request has no such output. */
  public int outputDim(String name) {
    return request.outputs().stream().anyMatch(io -> io.name().equals(name))
        ? structure.graph().nnet().outputDim(name)
        : -1;
  }

  /** Says the derivative of an objective by an output; between {@link #forward} and backward. */
  public void derivative(String output, Expr<F32> value) {
    Tensor<F32> given = matrices.outputDerivs().get(output);
    if (given != null) {
      resident.context().assign(given, value);
    } else {
      said.put(output, Forward.isElementwise(value) ? value : resident.context().eval(value));
    }
  }

  /** The matrices of the outputs. */
  public Map<String, Tensor<F32>> outputs() {
    return matrices.outputs();
  }

  /** The derivatives of an objective by the outputs that have one: all are to be set. */
  public Map<String, Tensor<F32>> outputDerivs() {
    return matrices.outputDerivs();
  }

  /** The derivatives by the inputs that want one. */
  public Map<String, Tensor<F32>> inputDerivs() {
    return matrices.inputDerivs();
  }

  /**
   * Assigns the outputs, and gives statistics to the sink if the request stores them; to be called
   * once, while recording.
   */
  public void forward(StatisticsSink sink) {
    resident.context().inPlace(resident.choices().propagateInPlace());
    if (isRandom(structure)) {
      // Each run draws others, which the backward pass draws again.
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

  /** Assigns the input derivatives, and gives those of parameters to the sink; after forward. */
  public void backward(GradientSink sink) {
    resident.context().inPlace(resident.choices().backpropInPlace());
    new BackwardLowering(lowering, resident, structure, sequences, request, times, sink)
        .run(isWithin ? said : outputDerivs(), inputDerivs());
    resident.context().inPlace(true);
    // Where one program does both, values are its temporaries if nobody knows them any more.
    lowering = null;
    if (isWithin) {
      matrices.outputs().clear();
      said.clear();
    }
  }

  /** Its steps, and which one reads which. */
  public Graph graph() {
    return StepGraph.of(structure, sequences);
  }

  /** The matrices and assignments of a program that was recorded with this. */
  public String print(Program program) {
    return Listing.of(assignments(program.trace()));
  }

  /** What a program does that was recorded with this, in terms of nodes and times. */
  public Assignments assignments(Trace trace) {
    var read = new ReadTrace(trace, structure, sequences);
    read.name("", inputs(), Memory.Role.INPUT);
    read.name("", outputs(), Memory.Role.OUTPUT);
    read.name("derivative of ", outputDerivs(), Memory.Role.INPUT);
    read.name("derivative of ", inputDerivs(), Memory.Role.OUTPUT);
    return read.assignments();
  }
}
