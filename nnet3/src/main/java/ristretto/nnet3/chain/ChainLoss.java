package ristretto.nnet3.chain;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.clamp;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
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
  }

  /**
   * Computes the objective.
   *
   * @param output network outputs, row {@code frame * sequences + sequence}, column pdf
   * @throws ShapeException if the outputs have another size than supervision and graph need
   */
  public ChainObjective of(ChainSupervision supervision, Matrix output) {
    int sequences = supervision.sequences();
    int frames = supervision.frames();
    check(supervision, output);
    Denominator denominator =
        denominators.computeIfAbsent(
            List.of(sequences, frames, output.cols()),
            _ ->
                new Denominator(
                    context,
                    graph,
                    sequences,
                    frames,
                    output.cols(),
                    options.leakyHmmCoefficient()));
    Tensor<F32> x = context.tensor(output.data(), Shape.of(output.rows(), output.cols()));
    context.assign(denominator.output, x);
    denominator.run();
    var numerator = new Numerator(supervision, output);
    double weight = supervision.weight();
    double total = weight * sequences * frames;
    double weightedNumerator = (supervision.endToEnd() ? 1 : weight) * numerator.logProb();
    double objective = weightedNumerator - weight * denominator.logProb();
    boolean numeratorFails = supervision.endToEnd() && !Double.isFinite(weightedNumerator);
    boolean fails = !Double.isFinite(objective) || !denominator.ok() || numeratorFails;
    var shape = Shape.of(output.rows(), output.cols());
    Matrix posteriors = numerator.posteriors();
    Tensor<F32> num = context.tensor(posteriors.data(), shape);
    Tensor<F32> den = context.eval(denominator.posteriors());
    Tensor<F32> derivative = context.zeros(F32, shape);
    Tensor<F32> penalized = context.zeros(F32, shape);
    Tensor<F32> xent = context.zeros(F32, shape);
    if (!fails) {
      context.assign(derivative, num.minus(den).times(weight));
      context.assign(xent, num.times(weight));
      Expr<F32> beyond = clamp(x, -Denominator.LIMIT, Denominator.LIMIT).minus(x);
      context.assign(penalized, derivative.plus(beyond.times(2 * options.outOfRangeRegularize())));
    }
    double l2Term = 0;
    if (options.l2Regularize() != 0 && !numeratorFails) {
      double l2 = weight * options.l2Regularize();
      l2Term = -0.5 * l2 * context.eval(sum(square(x.cast(F64)))).item();
      context.assignSub(derivative, x.times(l2));
      context.assignSub(penalized, x.times(l2));
    }
    return new ChainObjective(
        fails ? FAILED * total : objective,
        l2Term,
        total,
        denominator.logProb(),
        numerator.logProb(),
        denominator.ok(),
        !numeratorFails,
        matrix(derivative),
        matrix(penalized),
        matrix(xent),
        matrix(den),
        posteriors);
  }

  private static Matrix matrix(Tensor<F32> t) {
    return new Matrix((int) t.shape().dim(0), (int) t.shape().dim(1), t.toFloatArray());
  }

  private void check(ChainSupervision supervision, Matrix output) {
    int rows = supervision.sequences() * supervision.frames();
    if (output.rows() != rows || output.cols() != supervision.labels()) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[chain] outputs must have a row per frame and a column per pdf of the supervision,"
                  + " %d x %d; got %d x %d; take outputs and supervision of the same examples.",
              rows,
              supervision.labels(),
              output.rows(),
              output.cols()));
    }
    if (graph.pdfs() > output.cols()) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[chain] outputs must have a column per pdf of the denominator graph, %d; got %d;"
                  + " make the graph with the network's tree.",
              graph.pdfs(),
              output.cols()));
    }
  }
}
