package ristretto.nnet3.cli.speech;

import java.util.List;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.SymbolTable;
import ristretto.nnet3.fst.WriteFst;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.search.Lexicon;

/** Makes the transducer of a lexicon. */
public final class MakeLexiconFst extends Tool {
  private final Option<String> silence =
      options.string("sil-phone", "", "Phone that may come before, between and after words");
  private final Option<Float> probability =
      options.real("sil-prob", 0, "Probability of --sil-phone; 0 for no silence");
  private final Option<Boolean> probabilities =
      options.bool("pron-probs", false, "True if the second word of each line is a probability");

  public MakeLexiconFst() {
    super(
        "make-lexicon-fst",
        """
        Makes the transducer from phones to words of a lexicon, with optional silence, as Kaldi's
        script utils/lang/make_lexicon_fst.py and fstcompile do.

        Usage:  make-lexicon-fst [options] <lexicon.txt> <phones.txt> <words.txt> <lexicon-fst-out>
        e.g.:
         make-lexicon-fst --sil-prob=0.5 --sil-phone=SIL lexicon.txt phones.txt words.txt L.fst
        See also: fstcompile, compile-graph
        """,
        4,
        4);
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    if (silence.get().isEmpty() != (probability.get() == 0)) {
      throw new UsageException(
          "[options] --sil-phone and --sil-prob must be given together; got only one; add the"
              + " other.");
    }
    Lexicon lexicon = Lexicon.load(arguments.get(0), probabilities.get());
    Fst fst =
        lexicon.fst(
            SymbolTable.load(arguments.get(1)),
            SymbolTable.load(arguments.get(2)),
            silence.get(),
            probability.get());
    KaldiOutput.write(arguments.get(3), false, out -> WriteFst.vector(out, fst));
    log.info(
        "Wrote a lexicon of %d states and %d arcs to %s",
        fst.states(), fst.arcs(), arguments.get(3));
    return 0;
  }
}
