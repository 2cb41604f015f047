package ristretto.nnet3.chain;

import java.util.Arrays;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.matrix.Matrix;

/**
 * Forward-backward computation over the FSTs of a supervision, with logarithms of probabilities in
 * double precision.
 *
 * <p>Source: Kaldi, {@code chain/chain-numerator.cc} and {@code chain/chain-generic-numerator.cc}.
 */
final class Numerator {
  /** Differences of logarithms below this do not change a sum. */
  private static final double LEAST = Math.log(Math.ulp(1.0));

  private final ChainSupervision supervision;
  private final Matrix output;
  private final Matrix posteriors;
  private final double logProb;

  /**
   * Computes the log-probability and the posteriors.
   *
   * @param output network outputs, row {@code frame * sequences + sequence}
   */
  Numerator(ChainSupervision supervision, Matrix output) {
    if (supervision.fsts().stream().anyMatch(Fst::hasInputEpsilons)) {
      throw notNormalized();
    }
    this.supervision = supervision;
    this.output = output;
    this.posteriors = new Matrix(output.rows(), output.cols());
    double total = 0;
    if (supervision.endToEnd()) {
      for (int n = 0; n < supervision.sequences(); n++) {
        total += ofSequence(n);
      }
    } else {
      total = ofAll();
    }
    this.logProb = total;
  }

  static ShapeException notNormalized() {
    return new ShapeException(
        "[chain] supervisions must be normalized for the objective; got one with epsilons; add"
            + " the costs with nnet3-chain-normalize-egs.");
  }

  /** Sum over the sequences of their log-probabilities. */
  double logProb() {
    return logProb;
  }

  /** Posteriors of pdfs. */
  Matrix posteriors() {
    return posteriors;
  }

  private double score(Fst fst, int arc, int row) {
    return output.get(row, fst.input(arc) - 1) - fst.cost(arc);
  }

  private void add(Fst fst, int arc, int row, double logPosterior) {
    posteriors.data()[row * posteriors.cols() + fst.input(arc) - 1] +=
        (float) Math.exp(logPosterior);
  }

  private double ofAll() {
    Fst fst = supervision.fsts().getFirst();
    int states = fst.states();
    int sequences = supervision.sequences();
    int[] rows = supervision.times();
    for (int s = 0; s < states; s++) {
      rows[s] = rows[s] % supervision.frames() * sequences + rows[s] / supervision.frames();
    }
    var alpha = new double[states];
    Arrays.fill(alpha, Double.NEGATIVE_INFINITY);
    alpha[0] = 0;
    double total = Double.NEGATIVE_INFINITY;
    for (int s = 0; s < states; s++) {
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        int to = fst.target(k);
        alpha[to] = logAdd(alpha[to], alpha[s] + score(fst, k, rows[s]));
      }
      if (fst.isFinal(s)) {
        total = logAdd(total, alpha[s] - fst.finalCost(s));
      }
    }
    var beta = new double[states];
    for (int s = states - 1; s >= 0; s--) {
      beta[s] = -fst.finalCost(s);
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        double after = score(fst, k, rows[s]) + beta[fst.target(k)];
        beta[s] = logAdd(beta[s], after);
        add(fst, k, rows[s], alpha[s] + after - total);
      }
    }
    return total;
  }

  /** Returns NaN, and leaves the posteriors 0, if a sum is not finite. */
  private double ofSequence(int n) {
    Fst fst = supervision.fsts().get(n);
    int states = fst.states();
    int frames = supervision.frames();
    int sequences = supervision.sequences();
    // Logarithms of forward probabilities, less that of their sum.
    var alpha = new double[frames + 1][states];
    double scale = 0;
    Arrays.fill(alpha[0], Double.NEGATIVE_INFINITY);
    alpha[0][0] = 0;
    for (int t = 0; t < frames; t++) {
      double[] next = alpha[t + 1];
      Arrays.fill(next, Double.NEGATIVE_INFINITY);
      for (int s = 0; s < states; s++) {
        for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
          int to = fst.target(k);
          next[to] = logAdd(next[to], alpha[t][s] + score(fst, k, t * sequences + n));
        }
      }
      double sum = Double.NEGATIVE_INFINITY;
      for (double v : next) {
        sum = logAdd(sum, v);
      }
      scale += sum;
      for (int s = 0; s < states; s++) {
        next[s] -= sum;
      }
    }
    var beta = new double[states];
    double total = Double.NEGATIVE_INFINITY;
    for (int s = 0; s < states; s++) {
      beta[s] = -fst.finalCost(s);
      total = logAdd(total, alpha[frames][s] + beta[s]);
    }
    if (!Double.isFinite(scale + total)) {
      return Double.NaN;
    }
    for (int t = frames - 1; t >= 0; t--) {
      int row = t * sequences + n;
      var before = new double[states];
      // The sum of all paths through this frame, which is the total less the scales after it.
      double sum = Double.NEGATIVE_INFINITY;
      for (int s = 0; s < states; s++) {
        before[s] = Double.NEGATIVE_INFINITY;
        for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
          before[s] = logAdd(before[s], score(fst, k, row) + beta[fst.target(k)]);
        }
        sum = logAdd(sum, alpha[t][s] + before[s]);
      }
      for (int s = 0; s < states; s++) {
        for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
          add(fst, k, row, alpha[t][s] + score(fst, k, row) + beta[fst.target(k)] - sum);
        }
      }
      beta = before;
    }
    return scale + total;
  }

  /** {@code log(exp(a) + exp(b))}; {@code a} if one of them is NaN, as in Kaldi. */
  private static double logAdd(double a, double b) {
    double larger = a < b ? b : a;
    double difference = a < b ? a - b : b - a;
    return difference >= LEAST ? larger + Math.log1p(Math.exp(difference)) : larger;
  }
}
