package ristretto.nnet3.cli.chain;

import java.util.Arrays;
import java.util.List;
import ristretto.nnet3.chain.DenominatorFst;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.ReadFst;
import ristretto.nnet3.fst.WriteFst;
import ristretto.nnet3.hmm.ContextTree;
import ristretto.nnet3.hmm.TransitionModel;
import ristretto.nnet3.hmm.Transitions;
import ristretto.nnet3.io.KaldiOutput;

/** Makes the denominator FST and the normalization FST of chain models. */
public final class ChainMakeDenFst extends Tool {
  public ChainMakeDenFst() {
    super(
        "chain-make-den-fst",
        """
        Makes the denominator FST of a language model of phones, and the FST that adds its costs to
        supervisions. Both have pdfs plus 1 as labels.

        Usage:  chain-make-den-fst [options] <tree> <transition-model> <phone-lm-fst> <den-fst-out> <normalization-fst-out>
        e.g.:
        chain-make-den-fst tree 0.trans_mdl phone_lm.fst den.fst normalization.fst
        """,
        5,
        5);
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    ContextTree tree = ContextTree.load(arguments.get(0));
    TransitionModel model = TransitionModel.load(arguments.get(1));
    Fst phones = ReadFst.load(arguments.get(2));
    Fst denominator =
        DenominatorFst.make(tree, new Transitions(model), phones, line -> log.info("%s", line));
    int[] unseen = DenominatorFst.unseen(denominator, model.distributions());
    if (unseen.length > 0) {
      log.warning("The denominator FST has no arcs of the pdfs %s.", Arrays.toString(unseen));
    }
    Fst normalization = DenominatorFst.normalization(denominator);
    KaldiOutput.write(arguments.get(3), false, out -> WriteFst.vector(out, denominator));
    KaldiOutput.write(arguments.get(4), false, out -> WriteFst.vector(out, normalization));
    log.info("Wrote %s and %s", arguments.get(3), arguments.get(4));
    return 0;
  }
}
