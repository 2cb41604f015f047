package ristretto.nnet3.cli;

import java.util.List;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.network.Nnet;

/** Creates a network from a config, or changes an existing network by a config. */
final class NnetInit extends Tool {
  NnetInit() {
    super(
        "nnet3-init",
        """
        Creates a neural network from a config file, and writes it as a 'raw' model, without a
        transition model and priors. If the first of three arguments is a model, the config extends
        that model, or replaces parts of it.

        Usage:  nnet3-init [options] [<existing-model-in>] <config-in> <raw-nnet-out>
        e.g.:
         nnet3-init nnet.config 0.raw
        or: nnet3-init 1.raw nnet.config 2.raw
        See also: nnet3-copy, nnet3-info
        """,
        2,
        3);
  }

  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary model");
  private final Option<Integer> seed =
      options.integer("srand", 0, "Seed of the initial parameters");

  @Override
  public int run(List<String> arguments, CommandLog log) {
    String config = arguments.get(arguments.size() - 2);
    String text = KaldiInput.text(config, "a config");
    Nnet nnet;
    if (arguments.size() == 3) {
      Nnet existing = Nnet.load(arguments.get(0));
      log.info("Read raw neural net from %s", arguments.get(0));
      nnet = existing.withConfig(config, text, seed.get());
    } else {
      nnet = Nnet.fromConfig(config, text, seed.get());
    }
    nnet.warnings().forEach(warning -> log.warning("%s", warning));
    String to = arguments.get(arguments.size() - 1);
    nnet.save(to, binary.get());
    log.info("Initialized raw neural net and wrote it to %s", to);
    return 0;
  }
}
