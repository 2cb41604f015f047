package ristretto.nnet3.compile;

import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import ristretto.expr.Context;
import ristretto.expr.F32;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.Trace;
import ristretto.nnet3.Component;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.Property;
import ristretto.nnet3.analysis.Assignments;
import ristretto.nnet3.analysis.ComputationChecker;
import ristretto.nnet3.analysis.Listing;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.draw.Graph;
import ristretto.nnet3.forward.GradientTensors;
import ristretto.nnet3.forward.Resident;
import ristretto.nnet3.io.Matrix;

/** A request compiled for a context: what it supplies goes in, and what it wants comes out. */
public final class Computation {
  /** As in tests. */
  private static final boolean ALWAYS_CHECKED = Boolean.getBoolean("ristretto.nnet3.check");

  private final Nnet nnet;
  private final ComputationRequest request;
  private final Matrices matrices;
  private final Supplier<Pass> pass;
  private final Program program;

  /** The programs with all that is known of assignments. */
  private final Supplier<List<Program>> recorded;

  private final Program backward;
  private final GradientTensors gradients;

  Computation(
      Nnet nnet,
      ComputationRequest request,
      Resident resident,
      Function<ComputationRequest, Structure> structures) {
    this.nnet = nnet;
    this.request = request;
    var own = new Pass(nnet, request, resident, structures);
    this.pass = () -> own;
    this.matrices = own.matrices();
    this.gradients = gradients(resident);
    Context context = resident.context();
    Runnable forward = () -> own.forward(gradients);
    List<Program> parts =
        request.needDerivatives()
            ? context.recordParts(List.of(forward, () -> own.backward(gradients)))
            : List.of(context.recordTransient(forward));
    this.program = parts.get(0);
    this.backward = request.needDerivatives() ? parts.get(1) : null;
    this.recorded = () -> parts;
    if (ALWAYS_CHECKED) {
      check();
    }
  }

  /**
   * One that a template has the programs of.
   *
   * @param whole makes the same from the request alone
   */
  Computation(
      Nnet nnet, ComputationRequest request, Template.Computed made, Supplier<Computation> whole) {
    this.nnet = nnet;
    this.request = request;
    this.matrices = made.matrices();
    this.program = made.parts().get(0);
    this.backward = request.needDerivatives() ? made.parts().get(1) : null;
    this.gradients = made.gradients();
    var one =
        new Supplier<Computation>() {
          private Computation known;

          @Override
          public Computation get() {
            known = known == null ? whole.get() : known;
            return known;
          }
        };
    this.pass = () -> one.get().pass.get();
    this.recorded = () -> one.get().recorded.get();
    if (ALWAYS_CHECKED) {
      check();
    }
  }

  /** Of the parameters that a request's derivatives are wanted of. */
  static GradientTensors gradients(Resident resident) {
    return new GradientTensors(resident.context(), Computation::isTrained, true);
  }

  private static boolean isTrained(Component c) {
    return c instanceof UpdatableComponent u && u.has(Property.UPDATABLE) && u.learningRate() != 0;
  }

  /**
   * Compiles a request.
   *
   * @throws ComputationException if the network cannot compute what is asked for
   */
  public static Computation compile(Nnet nnet, ComputationRequest request, Resident resident) {
    return new Computation(
        nnet, request, resident, places -> Structure.of(nnet, places, resident.choices()));
  }

  /** Its steps, and which one reads which. */
  public Graph graph() {
    return pass.get().graph();
  }

  /** Its matrices and assignments, and what those read and write. */
  public Assignments assignments() {
    List<Program> parts = recorded.get();
    Trace trace = parts.get(0).trace();
    return pass.get().assignments(backward == null ? trace : trace.then(parts.get(1).trace()));
  }

  /**
   * Checks that it reads nothing that is not there, and overwrites nothing that is needed.
   *
   * @throws ComputationException if it does, which is a mistake of the compiler
   */
  public void check() {
    ComputationChecker.check(assignments());
  }

  /** Its matrices, then a line each assignment with the kernels it became. */
  public String print() {
    return Listing.of(assignments());
  }

  /** Bytes of inputs, outputs and everything in between; parameters are not among them. */
  public long bytes() {
    long total = program.temporaryBytes();
    for (Map<String, Tensor<F32>> each : List.of(matrices.inputs(), matrices.outputs())) {
      for (Tensor<F32> t : each.values()) {
        total += t.shape().size() * Float.BYTES;
      }
    }
    return total;
  }

  /** What it was compiled for. */
  public ComputationRequest request() {
    return request;
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
    matrices.inputs().forEach((name, tensor) -> supply("an input", name, tensor, given.get(name)));
    program.run();
    return fetched(matrices.outputs());
  }

  /**
   * Computes derivatives; after {@link #run}.
   *
   * @param given a matrix for each output that has a derivative, rows as in the request
   * @return a matrix for each input that wants one; {@link #gradients} has those of parameters
   */
  public Map<String, Matrix> backward(Map<String, Matrix> given) {
    matrices
        .outputDerivs()
        .forEach(
            (name, tensor) -> supply("derivatives by an output", name, tensor, given.get(name)));
    backward.run();
    return fetched(matrices.inputDerivs());
  }

  /** The backward program; null if the request needs no derivatives. */
  public Program backward() {
    return backward;
  }

  /** Derivatives of parameters, after {@link #backward(Map)}. */
  public GradientTensors gradients() {
    return gradients;
  }

  /** A network whose parameters are the derivatives, and whose statistics are this run's. */
  public Nnet gradient() {
    Nnet all = nnet.copy();
    nnet.components()
        .forEach((name, component) -> {
          var copy = (ComponentBase) all.components().get(name);
          copy.scale(0);
          if (copy instanceof UpdatableComponent u && u.has(Property.UPDATABLE)) {
            u.setAsGradient();
            Iterator<float[]> parameters = ((UpdatableComponent) component).parameters().iterator();
            u.mapParameters(_ -> gradients.gradient(parameters.next()));
          }
          gradients
              .statistics(component)
              .forEach((which, s) -> copy.addStatistics(which, s.sum().toFloatArray(), s.count()));
        });
    return all;
  }

  private static Map<String, Matrix> fetched(Map<String, Tensor<F32>> tensors) {
    var results = new LinkedHashMap<String, Matrix>();
    tensors.forEach((name, tensor) ->
        results.put(
            name,
            new Matrix(
                (int) tensor.shape().dim(0), (int) tensor.shape().dim(1), tensor.toFloatArray())));
    return results;
  }

  private static void supply(String what, String name, Tensor<F32> tensor, Matrix m) {
    long rows = tensor.shape().dim(0);
    long cols = tensor.shape().dim(1);
    if (m == null || m.rows() != rows || m.cols() != cols) {
      throw new ComputationException(
          "[compute] the matrix of %s must have the request's rows and the node's columns, "
                  .formatted(what)
              + String.format(
                  Locale.ROOT,
                  "%d x %d for '%s'; got %s; supply another.",
                  rows,
                  cols,
                  name,
                  m == null ? "none" : m.rows() + " x " + m.cols()));
    }
    tensor.context().copy(MemorySegment.ofArray(m.data()), tensor);
  }
}
