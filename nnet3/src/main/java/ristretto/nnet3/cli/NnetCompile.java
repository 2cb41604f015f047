package ristretto.nnet3.cli;

import java.util.List;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.CompilerOptions;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.network.Nnet;

/** Compiles a request and prints the computation. */
final class NnetCompile extends Tool {
  NnetCompile() {
    super(
        "nnet3-compile",
        """
        Compiles a request, in the format of nnet3-eval, and prints the request, the matrices of
        the computation and their contents, and the assignments with their kernels.

        Usage:  nnet3-compile [options] <nnet> <request>
        e.g.
        nnet3-compile final.raw request.txt
        See also: nnet3-eval, nnet3-info
        """,
        2,
        2);
  }

  private final Option<Boolean> check =
      options.bool(
          "check",
          true,
          "Verify the computation: reads follow writes, live memory is not overwritten");

  private final Option<Float> seconds =
      options.real(
          "seconds",
          0,
          "If above 0, also run the computation on noise for this long, and log the times of the"
              + " rounds (Ristretto's own option)");

  private final CompilerOptions compilation = new CompilerOptions(options);

  @Override
  public int run(List<String> arguments, CommandLog log) {
    Nnet nnet = Nnet.load(arguments.get(0));
    ComputationRequest request = NnetEval.request(arguments.get(1));
    try (Context context = compilation.open()) {
      System.out.print(request);
      long start = System.nanoTime();
      Computation computation =
          Computation.compile(nnet, request, compilation.deviceParameters(context, log));
      log.info("Compiled in %.1f ms, with all kernels", (System.nanoTime() - start) / 1e6);
      if (check.get()) {
        computation.check();
      }
      if (seconds.get() > 0) {
        log.info("%s", RunTimes.measure(computation, seconds.get()).line());
      }
      System.out.println(computation.print().stripTrailing());
    }
    return 0;
  }
}
