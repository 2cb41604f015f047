package ristretto.nnet3.fst;

import java.util.Arrays;

/**
 * Moves costs so that the probabilities of each state's arcs and of its end have the same sum, as
 * nearly as possible. The costs of whole paths stay the same.
 *
 * <p>Source: Kaldi, {@code fstext/push-special.cc}.
 */
public final class EqualizeTotals {
  private static final int MOST_ITERATIONS = 200;
  private static final int BETWEEN_TESTS = 5;
  private static final double OF_IDENTITY = 0.1;

  private final Fst fst;
  private final int[] sources;
  private final double[] probabilities;
  private final double[] ends;

  private EqualizeTotals(Fst fst) {
    this.fst = fst;
    sources = new int[fst.arcs()];
    probabilities = new double[fst.arcs()];
    ends = new double[fst.states()];
    for (int s = 0; s < ends.length; s++) {
      Arrays.fill(sources, fst.firstArc(s), fst.firstArc(s + 1), s);
      ends[s] = Math.exp(-fst.finalCost(s));
    }
    Arrays.setAll(probabilities, k -> Math.exp(-fst.cost(k)));
  }

  /**
   * Returns a transducer with the same paths and costs.
   *
   * @param delta largest difference of the sums' logarithms
   */
  public static Fst apply(Fst fst, double delta) {
    return fst.start() < 0 ? fst : new EqualizeTotals(fst).run(delta);
  }

  /** Multiplies by the matrix of probabilities, in which final states lead back to the start. */
  private double[] times(double[] v) {
    var result = new double[v.length];
    for (int s = 0; s < v.length; s++) {
      result[s] = ends[s] * v[fst.start()];
    }
    for (int k = 0; k < sources.length; k++) {
      result[sources[k]] += probabilities[k] * v[fst.target(k)];
    }
    return result;
  }

  private double[] eigenvector(double delta) {
    var v = new double[ends.length];
    Arrays.fill(v, 1 / Math.sqrt(v.length));
    for (int n = 0; n < MOST_ITERATIONS; n++) {
      double[] product = times(v);
      if (n % BETWEEN_TESTS == 0 && n > 0) {
        double least = Double.POSITIVE_INFINITY;
        double most = 0;
        for (int s = 0; s < v.length; s++) {
          least = Math.min(least, product[s] / v[s]);
          most = Math.max(most, product[s] / v[s]);
        }
        if (Math.log(most / least) <= delta) {
          break;
        }
      }
      double norm = 0;
      for (int s = 0; s < v.length; s++) {
        product[s] += OF_IDENTITY * v[s];
        norm += product[s] * product[s];
      }
      double scale = 1 / Math.sqrt(norm);
      for (int s = 0; s < v.length; s++) {
        v[s] = product[s] * scale;
      }
    }
    return v;
  }

  private Fst run(double delta) {
    double[] v = eigenvector(delta);
    var potential = new double[v.length];
    Arrays.setAll(potential, s -> -Math.log(v[s]));
    var builder = new FstBuilder();
    builder.start(fst.start());
    for (int s = 0; s < v.length; s++) {
      builder.state(s);
      if (fst.isFinal(s)) {
        builder.finalCost(s, (float) (fst.finalCost(s) + potential[fst.start()] - potential[s]));
      }
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        float cost = (float) (fst.cost(k) + potential[fst.target(k)] - potential[s]);
        builder.arc(s, fst.input(k), fst.output(k), cost, fst.target(k));
      }
    }
    return builder.build();
  }
}
