package ristretto.nnet3.tool;

import java.util.List;
import ristretto.nnet3.Nnet;

/** Prints information about a network. */
final class NnetInfo implements Tool {
  private final Options options =
      new Options(
          "nnet3-info",
          """
          Prints what a 'raw' neural network consists of: contexts, nodes, and components with statistics
          of their parameters.

          Usage:  nnet3-info [options] <raw-nnet>
          e.g.:
           nnet3-info 0.raw
          See also: nnet3-am-info
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
    System.out.print(Nnet.load(arguments.get(0), onlyFinite.get()).info(singularValues));
    return 0;
  }
}
