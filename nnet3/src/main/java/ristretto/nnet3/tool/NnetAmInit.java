package ristretto.nnet3.tool;

import java.util.List;
import ristretto.nnet3.AmNnet;
import ristretto.nnet3.Nnet;

/** Creates an acoustic model from a transition model and a network. */
final class NnetAmInit implements Tool {
  private final Options options =
      new Options(
          "nnet3-am-init",
          """
          Makes an acoustic model of a raw network and a transition model: that of a tree and a
          topology, or that of a file, which may be a model that begins with one. It has no priors;
          nnet3-am-adjust-priors sets them.

          Usage:  nnet3-am-init [options] <tree-in> <topology-in> <input-raw-nnet> <output-am-nnet>
            or:  nnet3-am-init [options] <trans-model-in> <input-raw-nnet> <output-am-nnet>
          e.g.:
           nnet3-am-init tree topo 0.raw 0.mdl
          See also: nnet3-init, nnet3-am-copy, nnet3-am-info, nnet3-am-adjust-priors
          """);
  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary model");

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(3, 4);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    int last = arguments.size() - 1;
    Nnet nnet = Nnet.load(arguments.get(last - 1));
    AmNnet model =
        last == 3
            ? AmNnet.of(arguments.get(0), arguments.get(1), nnet)
            : AmNnet.of(arguments.get(0), nnet);
    model.save(arguments.get(last), binary.get());
    log.info(
        "Initialized am-nnet (neural net acoustic model) and wrote to %s", arguments.get(last));
    return 0;
  }
}
