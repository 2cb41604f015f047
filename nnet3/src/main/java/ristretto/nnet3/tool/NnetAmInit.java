package ristretto.nnet3.tool;

import java.util.List;
import ristretto.nnet3.AmNnet;
import ristretto.nnet3.Nnet;

/** Makes an acoustic model of a transition model and a network. */
final class NnetAmInit implements Tool {
  private final Options options =
      new Options(
          "nnet3-am-init",
          """
          Makes an acoustic model of a raw network and a transition model, or a model that begins
          with one. It has no priors; nnet3-am-adjust-priors sets them.

          Usage:  nnet3-am-init [options] <trans-model-in> <input-raw-nnet> <output-am-nnet>
          e.g.:
           nnet3-am-init final.mdl 0.raw 0.mdl
          See also: nnet3-init, nnet3-am-copy, nnet3-am-info, nnet3-am-adjust-priors
          """);
  private final Option<Boolean> binary =
      options.bool("binary", true, "Write a binary model: must be as the transition model is");

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(3, 3);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    Nnet nnet = Nnet.load(arguments.get(1));
    AmNnet.of(arguments.get(0), nnet).save(arguments.get(2), binary.get());
    log.info("Initialized am-nnet (neural net acoustic model) and wrote to %s", arguments.get(2));
    return 0;
  }
}
