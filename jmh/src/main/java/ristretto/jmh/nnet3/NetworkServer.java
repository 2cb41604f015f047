package ristretto.jmh.nnet3;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/**
 * Measures requests of recipes in this process, and prints a line for each. Arguments: the minimum
 * time of each measurement in milliseconds, true for CPU time or false for wall time, then pairs of
 * recipe and request.
 */
final class NetworkServer {
  private static final int LEAST_ROUNDS = 3;

  /**
   * Minimum number of rounds of a minibatch, whose kernels run too rarely for an early switch to
   * vector code.
   */
  private static final int ROUNDS_OF_MINIBATCH = 8;

  /** Number of requests that differ from the first one. */
  private static final int OTHERS = 4;

  private static final Pattern SEQUENCES = Pattern.compile("( n=0:)([0-9]+)");

  /** Matches time ranges of more than one frame. */
  private static final Pattern TIMES = Pattern.compile("( t=-?[0-9]+:)(?!1(?![0-9]))([0-9]+)");

  private final long leastNanos;

  private final boolean processorTime;

  private NetworkServer(long leastNanos, boolean processorTime) {
    this.leastNanos = leastNanos;
    this.processorTime = processorTime;
  }

  public static void main(String[] args) {
    var server =
        new NetworkServer(1_000_000L * Long.parseLong(args[0]), Boolean.parseBoolean(args[1]));
    for (int k = 2; k < args.length; k += 2) {
      System.out.println(server.measure(new Recipe(args[k]), args[k + 1]).line());
    }
  }

  private NetworkLap measure(Recipe recipe, String which) {
    Nnet nnet = recipe.nnet(which);
    ComputationRequest request = recipe.request(which, UnaryOperator.identity());
    try (Context context = Context.open("cpu")) {
      var deviceParameters = new DeviceParameters(context);
      boolean minibatch = which.equals("train");
      long start = now();
      compile(nnet, deviceParameters, request);
      double first = (now() - start) / 1e6;
      double compile = least(() -> compile(nnet, deviceParameters, request), LEAST_ROUNDS);
      var compiler = new Compiler(nnet, deviceParameters, 2 * OTHERS + 1);
      Computation computation = compiler.compile(request);
      double sequences = others(compiler, recipe, which, k -> text -> more(text, SEQUENCES, k));
      long kernels = context.stats().cacheMisses();
      double length = others(compiler, recipe, which, k -> text -> more(text, TIMES, 3 * k));
      kernels = context.stats().cacheMisses() - kernels;
      Map<String, Matrix> inputs = computation.noise();
      double forward =
          least(() -> computation.run(inputs), minibatch ? ROUNDS_OF_MINIBATCH : LEAST_ROUNDS);
      return NetworkLap.of(
          recipe.name(),
          which,
          new NetworkLap.Times(first, compile, sequences, length, forward),
          kernels,
          computation);
    }
  }

  private static String more(String text, Pattern range, int by) {
    return range.matcher(text).replaceAll(m -> m.group(1) + (Integer.parseInt(m.group(2)) + by));
  }

  private static void compile(
      Nnet nnet, DeviceParameters deviceParameters, ComputationRequest request) {
    new Compiler(nnet, deviceParameters, 1).compile(request);
  }

  /** Minimum compilation time of requests that differ from all previous ones, in milliseconds. */
  private double others(
      Compiler compiler, Recipe recipe, String which, IntFunction<UnaryOperator<String>> change) {
    double least = Double.POSITIVE_INFINITY;
    for (int k = 1; k <= OTHERS; k++) {
      ComputationRequest other = recipe.request(which, change.apply(k));
      long start = now();
      compiler.compile(other);
      least = Math.min(least, (now() - start) / 1e6);
    }
    return least;
  }

  private long now() {
    return processorTime
        ? ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime()
        : System.nanoTime();
  }

  /** Minimum time of {@code work} in milliseconds. */
  private double least(Runnable work, int rounds) {
    double least = Double.POSITIVE_INFINITY;
    long begin = now();
    long now = begin;
    for (int k = 0; k < rounds || now - begin < leastNanos; k++) {
      long start = now();
      work.run();
      now = now();
      least = Math.min(least, (now - start) / 1e6);
    }
    return least;
  }
}
