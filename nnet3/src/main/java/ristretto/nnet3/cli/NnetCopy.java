package ristretto.nnet3.cli;

import java.util.List;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.EditOptions;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.network.Nnet;

/** Copies a network and optionally edits the copy. */
final class NnetCopy extends Tool {
  NnetCopy() {
    super(
        "nnet3-copy",
        """
        Copies a 'raw' neural network. Options edit its learning rates, parameters, nodes and
        components. Edits are 'convert-to-fixed-affine', 'remove-orphan-nodes',
        'remove-orphan-components', 'remove-orphans', 'set-learning-rate',
        'set-learning-rate-factor', 'rename-node', 'remove-output-nodes',
        'set-dropout-proportion', 'apply-svd' and 'reduce-rank'.

        Usage:  nnet3-copy [options] <nnet-in> <nnet-out>
        e.g.:
         nnet3-copy --binary=false 0.raw text.raw
         nnet3-copy --edits='set-learning-rate name=tdnn* learning-rate=0.01' 0.raw 1.raw
        """,
        2,
        2);
  }

  private final Option<Boolean> onlyFinite = options.onlyFinite();
  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary model");
  private final EditOptions edits = new EditOptions(options);
  private final Option<Boolean> batchNormTestMode =
      options.bool(
          "batchnorm-test-mode",
          false,
          "Put batch normalization in test mode, without --prepare-for-test");

  @Override
  public int run(List<String> arguments, CommandLog log) {
    NetworkEdits changed =
        edits.begin(edits.withConfig(Nnet.load(arguments.get(0), onlyFinite.get())), log);
    edits.scale(changed);
    edits.edit(changed);
    if (!edits.prepare(changed)) {
      changed.setBatchNormTestMode(batchNormTestMode.get());
    }
    changed.nnet().warnings().forEach(warning -> log.warning("%s", warning));
    changed.nnet().save(arguments.get(1), binary.get());
    log.info("Copied raw neural net from %s to %s", arguments.get(0), arguments.get(1));
    return 0;
  }
}
