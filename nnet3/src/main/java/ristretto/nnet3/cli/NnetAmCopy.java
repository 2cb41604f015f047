package ristretto.nnet3.cli;

import java.util.List;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.EditOptions;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.network.AmNnet;
import ristretto.nnet3.network.Nnet;

/** Copies an acoustic model and optionally edits its network. */
final class NnetAmCopy extends Tool {
  NnetAmCopy() {
    super(
        "nnet3-am-copy",
        """
        Copies an acoustic model (transition model, neural network, priors). Options edit or replace
        its network, or write the network alone.

        Usage:  nnet3-am-copy [options] <nnet-in> <nnet-out>
        e.g.:
         nnet3-am-copy --edits=remove-orphans 1.mdl 2.mdl
         nnet3-am-copy --raw=true 1.mdl 1.raw
        """,
        2,
        2);
  }

  private final Option<Boolean> onlyFinite = options.onlyFinite();
  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary model");
  private final Option<Boolean> raw =
      options.bool("raw", false, "Write the network alone, without transition model and priors");
  private final Option<String> setRawNnet =
      options.string(
          "set-raw-nnet", "", "Network that replaces the model's, before all other edits");
  private final Option<Boolean> convertRepeatedToBlock =
      options.bool(
          "convert-repeated-to-block",
          false,
          "Convert RepeatedAffineComponents to BlockAffineComponents, after --set-raw-nnet");
  private final EditOptions edits = new EditOptions(options);

  @Override
  public int run(List<String> arguments, CommandLog log) {
    String from = arguments.get(0);
    String to = arguments.get(1);
    AmNnet model = AmNnet.load(from, onlyFinite.get());
    if (!setRawNnet.get().isEmpty()) {
      int priors = model.priors().length;
      model = model.withNnet(Nnet.load(setRawNnet.get(), onlyFinite.get()));
      if (model.priors().length < priors) {
        log.warning(
            "Removing priors since there is a dimension mismatch after changing the nnet: %d vs."
                + " %d",
            priors, model.nnet().outputDim("output"));
      }
    }
    Nnet nnet = edits.withConfig(model.nnet());
    NetworkEdits changed = edits.begin(nnet, log);
    if (convertRepeatedToBlock.get()) {
      changed.convertRepeatedToBlock();
    }
    edits.edit(changed);
    edits.scale(changed);
    edits.prepare(changed);
    changed.nnet().warnings().forEach(warning -> log.warning("%s", warning));
    if (raw.get()) {
      changed.nnet().save(to, binary.get());
      log.info("Copied neural net from %s to raw format as %s", from, to);
    } else {
      model.withNnet(changed.nnet()).save(to, binary.get());
      log.info("Copied neural net from %s to %s", from, to);
    }
    return 0;
  }
}
