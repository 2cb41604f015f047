package ristretto.nnet3.chain;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.clamp;
import static ristretto.expr.Ops.sum;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.matrix.Matrix;

/**
 * Chain objective (lattice-free MMI): the log-probability of a supervision less that of all phone
 * strings, for given network outputs. Keeps the programs of recent sizes.
 *
 * <p>Source: Kaldi, {@code chain/chain-training.cc}.
 */
public final class ChainLoss {
  /** Objective of a frame if it cannot be computed. */
  private static final double FAILED = -10;

  private static final int MOST_PROGRAMS = 64;

  private final Context context;
  private final DenominatorGraph graph;
  private final ChainOptions options;

  /** Outputs and posteriors of the arcs of the supervision that was evaluated last. */
  final ArcOutputs arcs;

  private final Tensor<F64> squares;

  /** Programs by the number of sequences, of frames and of pdfs, the last used ones. */
  private final Map<List<Integer>, Denominator> denominators =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<List<Integer>, Denominator> eldest) {
          return size() > MOST_PROGRAMS;
        }
      };

  /**
   * Creates the objective of a graph.
   *
   * @throws ShapeException if the leaky HMM's coefficient is not above 0 and below 1
   */
  public ChainLoss(Context context, DenominatorGraph graph, ChainOptions options) {
    if (!(options.leakyHmmCoefficient() > 0 && options.leakyHmmCoefficient() < 1)) {
      throw new ShapeException(
          "[chain] leaky-hmm-coefficient must be above 0 and below 1; got %s; Kaldi's default is"
                  .formatted(options.leakyHmmCoefficient())
              + " 1e-05.");
    }
    this.context = context;
    this.graph = graph;
    this.options = options;
    this.arcs = new ArcOutputs(context);
    // not context.zeros, which would be recorded
    this.squares = context.tensor(new double[1]).slice(at(0));
  }

  /**
   * Computes the objective.
   *
   * @param output network outputs, row {@code frame * sequences + sequence}, column pdf
   * @throws ShapeException if the outputs have another size than supervision and graph need
   */
  public ChainObjective of(ChainSupervision supervision, Matrix output) {
    check(supervision, output.rows(), output.cols());
    var shape = Shape.of(output.rows(), output.cols());
    Tensor<F32> x = context.tensor(output.data(), shape);
    Evaluation e = evaluate(supervision, x);
    Tensor<F32> num = context.zeros(F32, shape);
    arcs.spread(e.numerator.posteriors(), num);
    Tensor<F32> den = context.eval(e.denominator.posteriors().reshape(shape.toArray()));
    Tensor<F32> derivative = context.zeros(F32, shape);
    Tensor<F32> penalized = context.zeros(F32, shape);
    Tensor<F32> xent = context.zeros(F32, shape);
    if (!e.fails) {
      context.assign(derivative, num.minus(den).times(supervision.weight()));
      context.assign(xent, num.times(supervision.weight()));
      Expr<F32> beyond = beyond(x).times(2 * options.outOfRangeRegularize());
      context.assign(penalized, derivative.plus(beyond));
    }
    if (e.l2 != 0) {
      context.assignSub(derivative, x.times(e.l2));
      context.assignSub(penalized, x.times(e.l2));
    }
    return new ChainObjective(
        e.objective,
        e.l2Term,
        e.weight,
        e.denominator.logProb(),
        e.numerator.logProb(),
        e.denominator.ok(),
        !e.numeratorFails,
        matrix(derivative),
        matrix(penalized),
        matrix(xent),
        matrix(den),
        matrix(num));
  }

  /** Distance of outputs from the range that the denominator limits them to. */
  static Expr<F32> beyond(Expr<F32> output) {
    return clamp(output, -Denominator.LIMIT, Denominator.LIMIT).minus(output);
  }

  /**
   * Objective of outputs.
   *
   * @param weight weight of the supervision times its frames
   * @param l2 factor of the outputs in the derivative, after its sign
   * @param fails true if the derivative is 0 without the penalty on squares
   */
  record Evaluation(
      Numerator.Result numerator,
      Denominator denominator,
      double objective,
      double weight,
      double l2,
      double l2Term,
      boolean fails,
      boolean numeratorFails) {}

  /** Computes the objective of outputs. */
  Evaluation evaluate(ChainSupervision supervision, Tensor<F32> x) {
    Denominator denominator = denominator(supervision, (int) x.shape().dim(1));
    denominator.run(x);
    var ofSupervision = new Numerator(supervision);
    arcs.select(ofSupervision.elements());
    Numerator.Result numerator = ofSupervision.run(arcs.of(x));
    double weight = supervision.weight();
    double total = weight * x.shape().dim(0);
    double weightedNumerator = (supervision.endToEnd() ? 1 : weight) * numerator.logProb();
    double objective = weightedNumerator - weight * denominator.logProb();
    boolean numeratorFails = supervision.endToEnd() && !Double.isFinite(weightedNumerator);
    boolean fails = !Double.isFinite(objective) || !denominator.ok() || numeratorFails;
    double l2 = numeratorFails ? 0 : weight * options.l2Regularize();
    if (l2 != 0) {
      Expr<F64> wide = x.cast(F64);
      context.assign(squares, sum(wide.times(wide)));
    }
    return new Evaluation(
        numerator,
        denominator,
        fails ? FAILED * total : objective,
        total,
        l2,
        l2 == 0 ? 0 : -0.5 * l2 * squares.item(),
        fails,
        numeratorFails);
  }

  /** Program for the size of a supervision. */
  Denominator denominator(ChainSupervision supervision, int pdfs) {
    int sequences = supervision.sequences();
    int frames = supervision.frames();
    return denominators.computeIfAbsent(
        List.of(sequences, frames, pdfs),
        _ ->
            new Denominator(
                context,
                graph,
                sequences,
                frames,
                pdfs,
                options.leakyHmmCoefficient(),
                options.saveMemory()));
  }

  /** Options of the objective. */
  ChainOptions options() {
    return options;
  }

  private static Matrix matrix(Tensor<F32> t) {
    return new Matrix((int) t.shape().dim(0), (int) t.shape().dim(1), t.toFloatArray());
  }

  /** Checks the size of outputs. */
  void check(ChainSupervision supervision, int rows, int pdfs) {
    int wanted = supervision.sequences() * supervision.frames();
    if (rows != wanted || pdfs != supervision.labels()) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[chain] outputs must have a row per frame and a column per pdf of the supervision,"
                  + " %d x %d; got %d x %d; take outputs and supervision of the same examples.",
              wanted,
              supervision.labels(),
              rows,
              pdfs));
    }
    if (graph.pdfs() > pdfs) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[chain] outputs must have a column per pdf of the denominator graph, %d; got %d;"
                  + " make the graph with the network's tree.",
              graph.pdfs(),
              pdfs));
    }
  }
}
