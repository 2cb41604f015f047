package ristretto.nnet3.cli;

import java.util.List;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.network.AmNnet;

/** Prints information about an acoustic model. */
final class NnetAmInfo extends Tool {
  NnetAmInfo() {
    super(
        "nnet3-am-info",
        """
        Prints information about an acoustic model: dimensions, priors, contexts, nodes, and
        components with statistics of their parameters.

        Usage:  nnet3-am-info [options] <nnet>
        e.g.:
         nnet3-am-info 0.mdl
        See also: nnet3-info
        """,
        1,
        1);
  }

  private final Option<Boolean> onlyFinite = options.onlyFinite();

  @Override
  public int run(List<String> arguments, CommandLog log) {
    // Kaldi prints singular values from this level on
    boolean singularValues = options.verbose() >= 2;
    System.out.print(AmNnet.load(arguments.get(0), onlyFinite.get()).info(singularValues));
    return 0;
  }
}
