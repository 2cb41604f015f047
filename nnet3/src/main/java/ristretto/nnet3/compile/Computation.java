package ristretto.nnet3.compile;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import ristretto.expr.Context;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.Trace;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Property;
import ristretto.nnet3.analysis.Assignments;
import ristretto.nnet3.analysis.ComputationChecker;
import ristretto.nnet3.analysis.Listing;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.lower.RequestStructure;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.nnet3.step.GradientTensors;
import ristretto.report.picture.Diagram;

/**
 * Computation request compiled for a context: uploads the inputs, runs the programs and fetches the
 * outputs.
 */
public final class Computation {
  /** True if every computation is checked when it is made; set by the tests. */
  private static final boolean ALWAYS_CHECKED = Boolean.getBoolean("ristretto.nnet3.check");

  private final Nnet nnet;
  private final ComputationRequest request;
  private final RequestMatrices matrices;
  private final Supplier<ForwardBackward> pass;
  private final Program program;

  /** Recorded programs with the trace of all assignments; templates record them on demand. */
  private final Supplier<List<Program>> recorded;

  private final Program backward;
  private final GradientTensors gradients;

  Computation(
      Nnet nnet,
      ComputationRequest request,
      DeviceParameters deviceParameters,
      Function<ComputationRequest, RequestStructure> structures) {
    this.nnet = nnet;
    this.request = request;
    var own = new ForwardBackward(nnet, request, deviceParameters, structures);
    this.pass = () -> own;
    this.matrices = own.matrices();
    this.gradients = gradients(deviceParameters);
    Context context = deviceParameters.context();
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
   * Computation with the programs of a template.
   *
   * @param whole compiles an equivalent computation from the request alone
   */
  Computation(
      Nnet nnet,
      ComputationRequest request,
      ComputationTemplate.Computed made,
      Supplier<Computation> whole) {
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

  /** Returns gradient tensors of the trained parameters. */
  static GradientTensors gradients(DeviceParameters deviceParameters) {
    return new GradientTensors(deviceParameters.context(), Computation::isTrained, true);
  }

  private static boolean isTrained(Component c) {
    return c instanceof UpdatableComponent u && u.has(Property.UPDATABLE) && u.learningRate() != 0;
  }

  /**
   * Compiles a request.
   *
   * @throws ComputationException if the network cannot compute the requested outputs
   */
  public static Computation compile(
      Nnet nnet, ComputationRequest request, DeviceParameters deviceParameters) {
    return new Computation(
        nnet,
        request,
        deviceParameters,
        places -> RequestStructure.of(nnet, places, deviceParameters.lowering()));
  }

  /** Returns an input of Gaussian noise for each supplied node, for measurements. */
  public Map<String, Matrix> noise() {
    var random = new Random(7);
    var all = new HashMap<String, Matrix>();
    for (ComputationRequest.Io io : request.inputs()) {
      var m = new Matrix(io.indexes().size(), nnet.inputDim(io.name()));
      for (int k = 0; k < m.data().length; k++) {
        m.data()[k] = (float) random.nextGaussian();
      }
      all.put(io.name(), m);
    }
    return all;
  }

  /** Returns the graph of steps and of the reads between steps. */
  public Diagram graph() {
    return pass.get().graph();
  }

  /**
   * Returns the matrices and the assignments, with the matrix regions that each assignment reads
   * and writes.
   */
  public Assignments assignments() {
    List<Program> parts = recorded.get();
    Trace trace = parts.get(0).trace();
    return pass.get().assignments(backward == null ? trace : trace.then(parts.get(1).trace()));
  }

  /**
   * Checks that every region is written before it is read, and not overwritten before its last
   * read.
   *
   * @throws ComputationException if a check fails, which is a bug of the compiler
   */
  public void check() {
    ComputationChecker.check(assignments());
  }

  /** Prints the matrices, then one line per assignment with the kernels that compute it. */
  public String print() {
    return Listing.of(assignments());
  }

  /** Bytes of inputs, outputs and temporaries of forward, without parameters. */
  public long bytes() {
    long total = program.temporaryBytes();
    for (Map<String, Tensor<F32>> each : List.of(matrices.inputs(), matrices.outputs())) {
      for (Tensor<F32> t : each.values()) {
        total += t.shape().size() * Float.BYTES;
      }
    }
    return total;
  }

  /** Returns the request that was compiled. */
  public ComputationRequest request() {
    return request;
  }

  /** Returns the forward program. */
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
   * Computes derivatives; to be called after {@link #run}.
   *
   * @param given a matrix for each output that has a derivative, rows as in the request
   * @return a matrix for each input with a requested derivative; {@link #gradients} has those of
   *     parameters
   */
  public Map<String, Matrix> backward(Map<String, Matrix> given) {
    matrices
        .outputDerivs()
        .forEach(
            (name, tensor) -> supply("derivatives by an output", name, tensor, given.get(name)));
    backward.run();
    return fetched(matrices.inputDerivs());
  }

  /** Returns the backward program; null if the request needs no derivatives. */
  public Program backward() {
    return backward;
  }

  /** Returns the derivatives of parameters, valid after {@link #backward(Map)}. */
  public GradientTensors gradients() {
    return gradients;
  }

  /**
   * Returns a copy of the network with the derivatives as parameters and the statistics of this
   * run.
   */
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
