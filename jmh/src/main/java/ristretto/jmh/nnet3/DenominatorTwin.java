package ristretto.jmh.nnet3;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntUnaryOperator;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;
import ristretto.nnet3.chain.DenominatorGraph;
import ristretto.nnet3.fst.Fst;

/**
 * Hand-written forward-backward computation over a denominator graph, with loops over the
 * transitions of each state and vectors of sequences, on one thread. The number of sequences is a
 * multiple of a vector's lanes.
 */
final class DenominatorTwin {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();

  static {
    findExponential();
  }

  private final int states;
  private final int pdfs;
  private final int sequences;
  private final int frames;
  private final float leaky;
  private final float[] initial;
  private final Ways entering;
  private final Ways leaving;
  private final Ways ofPdfs;
  private final float[] exps;
  private final float[] alphas;
  private final float[] sums;
  private final float[] posteriors;
  private final float[] beta;
  private final float[] next;
  private final float[] jump;

  /**
   * Lets the JDK find its vector exponential. It formats the function's name in the default locale,
   * and finds none if the digits of that locale are not ASCII. The function is kept.
   */
  private static void findExponential() {
    Locale locale = Locale.getDefault(Locale.Category.FORMAT);
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    try {
      FloatVector.zero(SPECIES).lanewise(VectorOperators.EXP);
    } finally {
      Locale.setDefault(Locale.Category.FORMAT, locale);
    }
  }

  /** Transitions by state or pdf. */
  private record Ways(int[] first, int[] one, int[] other, float[] probability) {}

  DenominatorTwin(Fst fst, int pdfs, int sequences, int frames, float leaky) {
    states = fst.states();
    this.pdfs = pdfs;
    this.sequences = sequences;
    this.frames = frames;
    this.leaky = leaky;
    initial = DenominatorGraph.of(fst, "the random graph").initialProbabilities();
    var sources = new int[fst.arcs()];
    for (int s = 0; s < states; s++) {
      Arrays.fill(sources, fst.firstArc(s), fst.firstArc(s + 1), s);
    }
    IntUnaryOperator pdf = k -> fst.input(k) - 1;
    entering = ways(fst, states, fst::target, k -> sources[k], pdf);
    leaving = ways(fst, states, k -> sources[k], fst::target, pdf);
    ofPdfs = ways(fst, pdfs, pdf, k -> sources[k], fst::target);
    exps = new float[frames * pdfs * sequences];
    posteriors = new float[exps.length];
    alphas = new float[(frames + 1) * states * sequences];
    sums = new float[(frames + 1) * sequences];
    beta = new float[states * sequences];
    next = new float[beta.length];
    jump = new float[sequences];
  }

  private static Ways ways(
      Fst fst, int groups, IntUnaryOperator group, IntUnaryOperator one, IntUnaryOperator other) {
    var first = new int[groups + 1];
    for (int k = 0; k < fst.arcs(); k++) {
      first[group.applyAsInt(k) + 1]++;
    }
    for (int g = 0; g < groups; g++) {
      first[g + 1] += first[g];
    }
    int[] at = first.clone();
    var ways = new Ways(first, new int[fst.arcs()], new int[fst.arcs()], new float[fst.arcs()]);
    for (int k = 0; k < fst.arcs(); k++) {
      int place = at[group.applyAsInt(k)]++;
      ways.one[place] = one.applyAsInt(k);
      ways.other[place] = other.applyAsInt(k);
      ways.probability[place] = (float) Math.exp(-fst.cost(k));
    }
    return ways;
  }

  /** Computes the posteriors; returns the log-probability. */
  double run(float[] output) {
    for (int t = 0; t < frames; t++) {
      exponentials(output, t);
    }
    for (int s = 0; s < states; s++) {
      Arrays.fill(alphas, s * sequences, (s + 1) * sequences, initial[s]);
    }
    normalized(0);
    for (int t = 0; t < frames; t++) {
      int to = (t + 1) * states * sequences;
      sums(entering, alphas, t * states * sequences, exps, t * pdfs * sequences, alphas, to);
      divide(alphas, to, states, t);
      normalized(t + 1);
    }
    double log = 0;
    double total = 0;
    for (float p : initial) {
      total += p;
    }
    for (int k = 0; k < sums.length; k++) {
      log += Math.log(sums[k]);
    }
    log += sequences * Math.log(1 + leaky * total);
    for (int s = 0; s < states; s++) {
      for (int n = 0; n < sequences; n++) {
        beta[s * sequences + n] =
            (float) (1 / (sums[frames * sequences + n] * (1 + leaky * total)));
      }
    }
    for (int t = frames - 1; t >= 0; t--) {
      backward(t);
    }
    return log;
  }

  /** Computes the exponentials of a frame, a vector of pdfs at a time, in columns. */
  private void exponentials(float[] output, int t) {
    var column = new float[LANES];
    for (int n = 0; n < sequences; n++) {
      int from = (t * sequences + n) * pdfs;
      int to = t * pdfs * sequences + n;
      for (int p = 0; p < pdfs; p += LANES) {
        VectorMask<Float> rest = SPECIES.indexInRange(p, pdfs);
        FloatVector x = FloatVector.fromArray(SPECIES, output, from + p, rest);
        x.min(30).max(-30).lanewise(VectorOperators.EXP).intoArray(column, 0);
        for (int k = 0; k < LANES && p + k < pdfs; k++) {
          exps[to + (p + k) * sequences] = column[k];
        }
      }
    }
  }

  /** Sums the forward probabilities, and adds the jumps. */
  private void normalized(int t) {
    int at = t * states * sequences;
    for (int n = 0; n < sequences; n += LANES) {
      FloatVector sum = FloatVector.zero(SPECIES);
      for (int s = 0; s < states; s++) {
        sum = sum.add(FloatVector.fromArray(SPECIES, alphas, at + s * sequences + n));
      }
      sum.intoArray(sums, t * sequences + n);
      FloatVector jumps = sum.mul(leaky);
      for (int s = 0; s < states; s++) {
        int k = at + s * sequences + n;
        FloatVector.fromArray(SPECIES, alphas, k).add(jumps.mul(initial[s])).intoArray(alphas, k);
      }
    }
  }

  private void divide(float[] of, int from, int rows, int t) {
    for (int n = 0; n < sequences; n += LANES) {
      FloatVector scale = FloatVector.fromArray(SPECIES, sums, t * sequences + n);
      for (int s = 0; s < rows; s++) {
        int k = from + s * sequences + n;
        FloatVector.fromArray(SPECIES, of, k).div(scale).intoArray(of, k);
      }
    }
  }

  private void backward(int t) {
    for (int n = 0; n < sequences; n += LANES) {
      FloatVector sum = FloatVector.zero(SPECIES);
      for (int s = 0; s < states; s++) {
        sum = sum.add(FloatVector.fromArray(SPECIES, beta, s * sequences + n).mul(initial[s]));
      }
      sum.mul(leaky).intoArray(jump, n);
      FloatVector jumps = FloatVector.fromArray(SPECIES, jump, n);
      for (int s = 0; s < states; s++) {
        int k = s * sequences + n;
        FloatVector.fromArray(SPECIES, beta, k).add(jumps).intoArray(next, k);
      }
    }
    int e = t * pdfs * sequences;
    sums(ofPdfs, alphas, t * states * sequences, next, 0, posteriors, e);
    for (int k = e; k < e + pdfs * sequences; k += LANES) {
      FloatVector.fromArray(SPECIES, posteriors, k)
          .mul(FloatVector.fromArray(SPECIES, exps, k))
          .intoArray(posteriors, k);
    }
    divide(posteriors, e, pdfs, t);
    sums(leaving, next, 0, exps, e, beta, 0);
    divide(beta, 0, states, t);
  }

  /** Sums the products of two rows and a probability over the transitions of each group. */
  private void sums(Ways ways, float[] a, int aFrom, float[] b, int bFrom, float[] to, int toFrom) {
    for (int g = 0; g + 1 < ways.first.length; g++) {
      for (int n = 0; n < sequences; n += LANES) {
        FloatVector sum = FloatVector.zero(SPECIES);
        for (int k = ways.first[g]; k < ways.first[g + 1]; k++) {
          FloatVector x = FloatVector.fromArray(SPECIES, a, aFrom + ways.one[k] * sequences + n);
          FloatVector y = FloatVector.fromArray(SPECIES, b, bFrom + ways.other[k] * sequences + n);
          sum = x.mul(ways.probability[k]).fma(y, sum);
        }
        sum.intoArray(to, toFrom + g * sequences + n);
      }
    }
  }
}
