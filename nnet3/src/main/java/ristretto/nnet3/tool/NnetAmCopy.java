package ristretto.nnet3.tool;

import java.util.List;
import ristretto.nnet3.AmNnet;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.component.Edits;

/** Copies an acoustic model and optionally edits its network. */
final class NnetAmCopy implements Tool {
  private final Options options =
      new Options(
          "nnet3-am-copy",
          """
          Copies an acoustic model (transition model, neural network, priors), and can change its
          network on the way, put another one in its place, or write it alone.

          Usage:  nnet3-am-copy [options] <nnet-in> <nnet-out>
          e.g.:
           nnet3-am-copy --edits=remove-orphans 1.mdl 2.mdl
           nnet3-am-copy --raw=true 1.mdl 1.raw
          """);
  private final Option<Boolean> onlyFinite = options.onlyFinite();
  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary model");
  private final Option<Boolean> raw =
      options.bool("raw", false, "Write the network alone, without transition model and priors");
  private final Option<String> setRawNnet =
      options.string(
          "set-raw-nnet", "", "Network to put in the place of the model's, first of all");
  private final Option<Boolean> convertRepeatedToBlock =
      options.bool(
          "convert-repeated-to-block",
          false,
          "Make RepeatedAffineComponents BlockAffineComponents, after --set-raw-nnet");
  private final ModelEdits edits = new ModelEdits(options);

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(2, 2);
  }

  @Override
  public int run(List<String> arguments, Log log) {
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
    Edits changed = edits.begin(nnet, log);
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
