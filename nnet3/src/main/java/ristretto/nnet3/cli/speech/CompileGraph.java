package ristretto.nnet3.cli.speech;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.ReadFst;
import ristretto.nnet3.fst.WriteFst;
import ristretto.nnet3.hmm.ContextTree;
import ristretto.nnet3.hmm.TransitionModel;
import ristretto.nnet3.hmm.Transitions;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.search.DecodingGraph;

/** Makes a decoding graph of a lexicon and a grammar. */
public final class CompileGraph extends Tool {
  private final Option<String> symbols =
      options.string(
          "read-disambig-syms",
          "",
          "File with the labels of the lexicon that are not phones and are removed");
  private final Option<Float> transitionScale =
      options.real("transition-scale", 1, "Factor of transition log-probabilities");
  private final Option<Float> selfLoopScale =
      options.real("self-loop-scale", 1, "Factor of log-probabilities of self-loops");

  public CompileGraph() {
    super(
        "compile-graph",
        """
        Makes a decoding graph (HCLG) of a lexicon and a grammar, for small vocabularies: the graph
        is not determinized.

        Usage:  compile-graph [options] <tree> <transition-model> <lexicon-fst> <grammar-fst> <hclg-fst-out>
        e.g.:
         compile-graph --read-disambig-syms=disambig.int tree final.mdl L_disambig.fst G.fst HCLG.fst
        See also: make-lexicon-fst, fstcompile, nnet3-latgen-faster
        """,
        5,
        5);
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    ContextTree tree = ContextTree.load(arguments.get(0));
    var transitions = new Transitions(TransitionModel.load(arguments.get(1)));
    var maker = new DecodingGraph(tree, transitions, transitionScale.get(), selfLoopScale.get());
    Fst lexicon = ReadFst.load(arguments.get(2));
    Fst grammar = ReadFst.load(arguments.get(3));
    Fst graph = maker.make(lexicon, grammar, removed());
    KaldiOutput.write(arguments.get(4), false, out -> WriteFst.vector(out, graph));
    log.info(
        "Wrote a graph of %d states and %d arcs to %s",
        graph.states(), graph.arcs(), arguments.get(4));
    return 0;
  }

  private Set<Integer> removed() {
    Set<Integer> removed = new HashSet<>();
    if (!symbols.get().isEmpty()) {
      try (KaldiInput in = KaldiInput.open(symbols.get())) {
        in.eachLine((line, at) -> {
          try {
            removed.add(ReadFst.number(line.strip()));
          } catch (NumberFormatException e) {
            var malformed = in.malformed(at, "a line must be a label", line);
            malformed.initCause(e);
            throw malformed;
          }
        });
      }
    }
    return removed;
  }
}
