package ristretto.nnet3.cli.chain;

import java.util.List;
import java.util.Optional;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.chain.AllowedPhones;
import ristretto.nnet3.chain.ChainSupervision;
import ristretto.nnet3.chain.MakeSupervision;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.hmm.ContextTree;
import ristretto.nnet3.hmm.TransitionModel;
import ristretto.nnet3.hmm.Transitions;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.lattice.CompactLattice;

/** Makes the supervision of each utterance from its phones. */
public final class ChainGetSupervision extends Tool {
  private final Option<Boolean> lattices =
      options.bool("lattice-input", false, "Read phone lattices");
  private final Option<Integer> left =
      options.integer("left-tolerance", 5, "Input frames by which a phone may be early");
  private final Option<Integer> right =
      options.integer("right-tolerance", 5, "Input frames by which a phone may be late");
  private final Option<Integer> subsampling =
      options.integer("frame-subsampling-factor", 1, "Number of input frames per output frame");
  private final Option<Float> lmScale =
      options.real("lm-scale", 0f, "Factor of the lattices' graph costs");
  private final Option<Boolean> toPdfs =
      options.bool("convert-to-pdfs", true, "Write pdfs plus 1 as labels, in place of transitions");

  public ChainGetSupervision() {
    super(
        "chain-get-supervision",
        """
        Makes the supervision of each utterance for chain models, from its phones and their
        durations (ali-to-phones --write-lengths=true) or from its lattice of phones
        (lattice-align-phones --replace-output-symbols=true).

        Usage:  chain-get-supervision [options] <tree> <transition-model> [<phones-with-lengths-rspecifier>|<phone-lattice-rspecifier>] <supervision-wspecifier>
        e.g.:
        chain-get-supervision --frame-subsampling-factor=3 tree 0.trans_mdl \\
           ark:phones.ark ark:sup.ark
        """,
        4,
        4);
    options.real("weight", 1f, "Not used, as in Kaldi: supervisions have the weight 1");
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    AllowedPhones.Options tolerances;
    try {
      tolerances =
          new AllowedPhones.Options(subsampling.get(), left.get(), right.get(), lmScale.get());
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
    var transitions = new Transitions(TransitionModel.load(arguments.get(1)));
    var maker = new MakeSupervision(ContextTree.load(arguments.get(0)), transitions, toPdfs.get());
    int done = 0;
    int errors = 0;
    try (var from = TableReader.open(arguments.get(2), holder());
        var to = TableWriter.open(arguments.get(3), ChainSupervision.HOLDER)) {
      while (from.next()) {
        Optional<ChainSupervision> made = make(maker, from, tolerances, log);
        if (made.isPresent()) {
          to.write(from.key(), made.get());
          done++;
        } else {
          errors++;
        }
      }
      if (done > 0) {
        to.commit();
      }
    }
    log.info(
        "Generated chain supervision information for %d utterances, errors on %d", done, errors);
    return done > errors ? 0 : 1;
  }

  private Holder<?> holder() {
    return lattices.get() ? CompactLattice.HOLDER : Holder.INT_PAIRS;
  }

  private static Optional<ChainSupervision> make(
      MakeSupervision maker,
      TableReader<?> from,
      AllowedPhones.Options tolerances,
      CommandLog log) {
    try {
      AllowedPhones allowed =
          from.value() instanceof CompactLattice lattice
              ? AllowedPhones.ofLattice(lattice, tolerances)
              : AllowedPhones.ofAlignment((int[]) from.value(), tolerances);
      Optional<ChainSupervision> made = maker.of(allowed);
      if (made.isEmpty()) {
        log.warning(
            "Failed creating supervision for utterance %s: no path has its length (too many phones"
                + " for too few frames?)",
            from.key());
      }
      return made;
    } catch (FileFormatException e) {
      log.warning("Failed creating supervision for utterance %s: %s", from.key(), e.getMessage());
      return Optional.empty();
    }
  }
}
