package ristretto.jmh.nnet3;

import java.util.Locale;
import java.util.Random;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.chain.Denominator;
import ristretto.nnet3.chain.DenominatorGraph;
import ristretto.nnet3.fst.Fst;

/**
 * Measures the denominator of a random graph in this process, in turns with the hand-written twin,
 * and prints a line. Arguments: the device, or {@code twin}; the line's name; the minimum time in
 * milliseconds.
 */
final class ChainServer {
  private static final int LEAST_ROUNDS = 12;
  private static final float LEAKY = 1e-5f;

  private ChainServer() {}

  public static void main(String[] args) {
    ChainLine line = ChainLine.of(args[1]);
    Fst fst = line.graph().fst();
    var random = new Random(1);
    var output = new float[line.frames() * line.sequences() * line.graph().pdfs()];
    for (int k = 0; k < output.length; k++) {
      output[k] = (float) random.nextGaussian();
    }
    long nanos = 1_000_000L * Long.parseLong(args[2]);
    if (args[0].equals("twin")) {
      var twin =
          new DenominatorTwin(fst, line.graph().pdfs(), line.sequences(), line.frames(), LEAKY);
      double[] log = new double[1];
      double least = least(() -> log[0] = twin.run(output), nanos);
      print(0, least, 0, 0, log[0]);
      return;
    }
    try (Context context = Context.open(args[0])) {
      long start = System.nanoTime();
      var denominator =
          new Denominator(
              context,
              DenominatorGraph.of(fst, "the random graph"),
              line.sequences(),
              line.frames(),
              line.graph().pdfs(),
              LEAKY,
              false);
      double plan = (System.nanoTime() - start) / 1e6;
      long rows = (long) line.frames() * line.sequences();
      Tensor<F32> outputs = context.tensor(output, rows, line.graph().pdfs());
      Tensor<F32> derivative =
          context.zeros(Ops.F32, line.frames(), line.sequences(), line.graph().pdfs());
      double[] log = new double[1];
      double least =
          least(
              () -> {
                denominator.run(outputs);
                context.assign(derivative, denominator.posteriors().neg());
                log[0] = denominator.logProb();
              },
              nanos);
      print(plan, least, denominator.kernelCount() + 1, context.stats().peakBytes(), log[0]);
    }
  }

  private static void print(double plan, double least, long kernels, long bytes, double log) {
    System.out.printf(Locale.ROOT, "%.0f %.3f %d %d %.4f%n", plan, least, kernels, bytes, log);
  }

  /** Minimum time of {@code work} in milliseconds. */
  private static double least(Runnable work, long nanos) {
    double least = Double.POSITIVE_INFINITY;
    long begin = System.nanoTime();
    long now = begin;
    for (int k = 0; k < LEAST_ROUNDS || now - begin < nanos; k++) {
      long start = System.nanoTime();
      work.run();
      now = System.nanoTime();
      least = Math.min(least, (now - start) / 1e6);
    }
    return least;
  }
}
