package ristretto.nnet3.tool;

import java.util.List;
import ristretto.nnet3.AmNnet;

/** Prints information about an acoustic model. */
final class NnetAmInfo implements Tool {
  private final Options options =
      new Options(
          "nnet3-am-info",
          """
          Prints what an acoustic model consists of: dimensions, priors, contexts, nodes, and components
          with statistics of their parameters.

          Usage:  nnet3-am-info [options] <nnet>
          e.g.:
           nnet3-am-info 0.mdl
          See also: nnet3-info
          """);
  private final Option<Boolean> onlyFinite = options.onlyFinite();

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(1, 1);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    // Kaldi prints singular values from this level on
    boolean singularValues = options.verbose() >= 2;
    System.out.print(AmNnet.load(arguments.get(0), onlyFinite.get()).info(singularValues));
    return 0;
  }
}
