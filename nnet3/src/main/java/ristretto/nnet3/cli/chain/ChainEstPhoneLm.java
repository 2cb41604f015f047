package ristretto.nnet3.cli.chain;

import java.util.List;
import ristretto.nnet3.chain.PhoneLanguageModel;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.WriteFst;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.io.TableReader;

/** Estimates a language model of phones. */
public final class ChainEstPhoneLm extends Tool {
  private static final PhoneLanguageModel.Options NORMAL = PhoneLanguageModel.Options.DEFAULT;

  private final Option<Integer> order =
      options.integer("ngram-order", NORMAL.ngramOrder(), "Longest n-gram");
  private final Option<Integer> unpruned =
      options.integer(
          "no-prune-ngram-order", NORMAL.noPruneNgramOrder(), "Order of n-grams that are all kept");
  private final Option<Integer> extra =
      options.integer(
          "num-extra-lm-states", NORMAL.numExtraLmStates(), "States for longer histories");

  public ChainEstPhoneLm() {
    super(
        "chain-est-phone-lm",
        """
        Estimates a language model of phones without smoothing, for the denominator graph of chain
        models, and writes it as an FST.

        Usage:  chain-est-phone-lm [options] <phone-seqs-rspecifier> <phone-lm-fst-out>
        e.g.: gunzip -c input.gz | chain-est-phone-lm ark:- phone_lm.fst
        """,
        2,
        2);
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    var model =
        new PhoneLanguageModel(
            new PhoneLanguageModel.Options(order.get(), unpruned.get(), extra.get()));
    log.info("Reading phone sequences");
    try (var phones = TableReader.open(arguments.get(0), Holder.INTS)) {
      while (phones.next()) {
        model.add(phones.value());
      }
    }
    log.info("Estimating phone LM");
    Fst fst = model.estimate(line -> log.info("%s", line));
    KaldiOutput.write(arguments.get(1), false, out -> WriteFst.vector(out, fst));
    log.info("Estimated phone language model and wrote it to %s", arguments.get(1));
    return 0;
  }
}
