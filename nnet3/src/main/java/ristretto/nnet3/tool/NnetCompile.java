package ristretto.nnet3.tool;

import java.util.List;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.compile.Computation;

/** Compiles a request and prints the computation. */
final class NnetCompile implements Tool {
  private final Options options =
      new Options(
          "nnet3-compile",
          """
          Compiles a request, in the format of nnet3-eval, and prints the request, the matrices of
          the computation with what they hold, and its assignments with the kernels they became.

          Usage:  nnet3-compile [options] <nnet> <request>
          e.g.
          nnet3-compile final.raw request.txt
          See also: nnet3-eval, nnet3-info
          """);

  private final Option<Boolean> check =
      options.bool("check", true, "Check that all that is read was written, and so on");

  private final Option<Float> seconds =
      options.real(
          "seconds",
          0,
          "If above 0, also run the computation on noise for this long, and log the times of the"
              + " rounds (ours)");

  private final CompilerOptions compilation = new CompilerOptions(options);

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(2, 2);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    Nnet nnet = Nnet.load(arguments.get(0));
    ComputationRequest request = NnetEval.request(arguments.get(1));
    try (Context context = compilation.open()) {
      System.out.print(request);
      long start = System.nanoTime();
      Computation computation =
          Computation.compile(nnet, request, compilation.resident(context, log));
      log.info("Compiled in %.1f ms, with all kernels", (System.nanoTime() - start) / 1e6);
      if (check.get()) {
        computation.check();
      }
      if (seconds.get() > 0) {
        log.info("%s", RoundTimes.measure(computation, nnet, request, seconds.get()).line());
      }
      System.out.println(computation.print().stripTrailing());
    }
    return 0;
  }
}
