package ristretto.nnet3.chain;

import java.util.Arrays;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.fst.Fst;

/**
 * Forward-backward computation over the FSTs of a supervision, with logarithms of probabilities in
 * double precision. A place is an arc, or an arc in one of the frames if the supervision is
 * end-to-end; there are few of them, so that only their outputs and posteriors cross between host
 * and device.
 *
 * <p>Source: Kaldi, {@code chain/chain-numerator.cc} and {@code chain/chain-generic-numerator.cc}.
 */
final class Numerator {
  /** Differences of logarithms below this do not change a sum. */
  private static final double LEAST = Math.log(Math.ulp(1.0));

  private final ChainSupervision supervision;

  /** Place of the first arc of each FST. */
  private final int[] first;

  private final int places;

  /**
   * Creates the computation for a supervision.
   *
   * @throws ShapeException if the supervision has epsilons
   */
  Numerator(ChainSupervision supervision) {
    if (supervision.fsts().stream().anyMatch(Fst::hasInputEpsilons)) {
      throw notNormalized();
    }
    this.supervision = supervision;
    first = new int[supervision.fsts().size()];
    int count = 0;
    for (int n = 0; n < first.length; n++) {
      first[n] = count;
      int times = supervision.endToEnd() ? supervision.frames() : 1;
      count += times * supervision.fsts().get(n).arcs();
    }
    places = count;
  }

  static ShapeException notNormalized() {
    return new ShapeException(
        "[chain] supervisions must be normalized for the objective; got one with epsilons; add"
            + " the costs with nnet3-chain-normalize-egs.");
  }

  /**
   * Result of the computation.
   *
   * @param logProb sum over the sequences of their log-probabilities
   * @param posteriors posterior of the arc at each place
   */
  record Result(double logProb, float[] posteriors) {}

  /**
   * Element of the outputs that the arc at each place reads, if they are row-major and have row
   * {@code frame * sequences + sequence}, column pdf.
   */
  long[] elements() {
    var elements = new long[places];
    long pdfs = supervision.labels();
    int sequences = supervision.sequences();
    int frames = supervision.frames();
    for (int n = 0; n < first.length; n++) {
      Fst fst = supervision.fsts().get(n);
      if (supervision.endToEnd()) {
        for (int t = 0; t < frames; t++) {
          for (int k = 0; k < fst.arcs(); k++) {
            long row = (long) t * sequences + n;
            elements[place(n, t, k)] = row * pdfs + fst.input(k) - 1;
          }
        }
        continue;
      }
      int[] times = supervision.times();
      for (int s = 0; s < fst.states(); s++) {
        long row = (long) times[s] % frames * sequences + times[s] / frames;
        for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
          elements[k] = row * pdfs + fst.input(k) - 1;
        }
      }
    }
    return elements;
  }

  private int place(int n, int t, int arc) {
    return first[n] + t * supervision.fsts().get(n).arcs() + arc;
  }

  /**
   * Computes the log-probability and the posteriors.
   *
   * @param outputs network output at each place
   */
  Result run(float[] outputs) {
    var posteriors = new float[places];
    if (!supervision.endToEnd()) {
      return new Result(ofAll(outputs, posteriors), posteriors);
    }
    double total = 0;
    for (int n = 0; n < supervision.sequences(); n++) {
      total += ofSequence(n, outputs, posteriors);
    }
    return new Result(total, posteriors);
  }

  private double ofAll(float[] outputs, float[] posteriors) {
    Fst fst = supervision.fsts().getFirst();
    int states = fst.states();
    var alpha = new double[states];
    Arrays.fill(alpha, Double.NEGATIVE_INFINITY);
    alpha[0] = 0;
    double total = Double.NEGATIVE_INFINITY;
    for (int s = 0; s < states; s++) {
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        int to = fst.target(k);
        alpha[to] = logAdd(alpha[to], alpha[s] + outputs[k] - fst.cost(k));
      }
      if (fst.isFinal(s)) {
        total = logAdd(total, alpha[s] - fst.finalCost(s));
      }
    }
    var beta = new double[states];
    for (int s = states - 1; s >= 0; s--) {
      beta[s] = -fst.finalCost(s);
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        double after = outputs[k] - fst.cost(k) + beta[fst.target(k)];
        beta[s] = logAdd(beta[s], after);
        posteriors[k] = (float) Math.exp(alpha[s] + after - total);
      }
    }
    return total;
  }

  /** Returns NaN, and leaves the posteriors 0, if a sum is not finite. */
  private double ofSequence(int n, float[] outputs, float[] posteriors) {
    Fst fst = supervision.fsts().get(n);
    int states = fst.states();
    int frames = supervision.frames();
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
          next[to] = logAdd(next[to], alpha[t][s] + outputs[place(n, t, k)] - fst.cost(k));
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
      var before = new double[states];
      // The sum of all paths through this frame, which is the total less the scales after it.
      double sum = Double.NEGATIVE_INFINITY;
      for (int s = 0; s < states; s++) {
        before[s] = Double.NEGATIVE_INFINITY;
        for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
          double score = outputs[place(n, t, k)] - fst.cost(k);
          before[s] = logAdd(before[s], score + beta[fst.target(k)]);
        }
        sum = logAdd(sum, alpha[t][s] + before[s]);
      }
      for (int s = 0; s < states; s++) {
        for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
          double score = outputs[place(n, t, k)] - fst.cost(k);
          double posterior = Math.exp(alpha[t][s] + score + beta[fst.target(k)] - sum);
          posteriors[place(n, t, k)] = (float) posterior;
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
