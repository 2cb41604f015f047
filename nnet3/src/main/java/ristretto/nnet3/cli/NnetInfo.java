package ristretto.nnet3.cli;

import java.util.List;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.network.Nnet;

/** Prints information about a network. */
final class NnetInfo extends Tool {
  NnetInfo() {
    super(
        "nnet3-info",
        """
        Prints information about a 'raw' neural network: contexts, nodes, and components with
        statistics of their parameters.

        Usage:  nnet3-info [options] <raw-nnet>
        e.g.:
         nnet3-info 0.raw
        See also: nnet3-am-info
        """,
        1,
        1);
  }

  private final Option<Boolean> onlyFinite = options.onlyFinite();

  @Override
  public int run(List<String> arguments, CommandLog log) {
    // Kaldi prints singular values from this level on
    boolean singularValues = options.verbose() >= 2;
    System.out.print(Nnet.load(arguments.get(0), onlyFinite.get()).info(singularValues));
    return 0;
  }
}
