package ristretto.nnet3.cli.speech;

import java.util.List;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.fst.SymbolTable;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.lattice.BestPaths;
import ristretto.nnet3.lattice.CompactLattice;
import ristretto.nnet3.lattice.LatticePath;

/** Writes the words of the best path of lattices. */
public final class LatticeBestPath extends Tool {
  private final Option<Float> acousticScale =
      options.real("acoustic-scale", 1, "Factor of acoustic costs");
  private final Option<Float> lmScale = options.real("lm-scale", 1, "Factor of costs of the graph");
  private final Option<String> wordTable =
      options.string("word-symbol-table", "", "Names of words, to print the words");

  public LatticeBestPath() {
    super(
        "lattice-best-path",
        """
        Writes the words, and optionally the transitions, of the best path of each lattice.

        Usage:  lattice-best-path [options] <lattice-rspecifier> [<words-wspecifier> [<alignments-wspecifier>]]
        e.g.:
         lattice-best-path --acoustic-scale=0.1 ark:lat.ark ark,t:words.txt
        See also: lattice-to-nbest, compute-wer
        """,
        1,
        3);
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    SymbolTable names = wordTable.get().isEmpty() ? null : SymbolTable.load(wordTable.get());
    int done = 0;
    int failed = 0;
    long frames = 0;
    double cost = 0;
    try (var lattices = TableReader.open(arguments.get(0), CompactLattice.HOLDER);
        var words = writer(arguments, 1);
        var alignments = writer(arguments, 2)) {
      while (lattices.next()) {
        String key = lattices.key();
        List<LatticePath> best =
            BestPaths.of(lattices.value(), 1, lmScale.get(), acousticScale.get());
        if (best.isEmpty()) {
          log.warning("Best-path failed for key %s", key);
          failed++;
          continue;
        }
        LatticePath path = best.getFirst();
        int[] labels = path.words();
        int[] transitions = path.transitions();
        if (names != null) {
          log.err().printf("%s %s%n", key, names.text(labels));
        }
        if (words != null) {
          words.write(key, labels);
        }
        if (alignments != null) {
          alignments.write(key, transitions);
        }
        cost += lmScale.get() * path.graph() + acousticScale.get() * path.acoustic();
        frames += transitions.length;
        done++;
      }
      if (done > 0) {
        commit(words);
        commit(alignments);
      }
    }
    log.info(
        "Overall cost per frame is %s over %d frames.", FloatText.of(cost / frames, 6), frames);
    log.info("Done %d lattices, failed for %d", done, failed);
    return done > 0 ? 0 : 1;
  }

  private static TableWriter<int[]> writer(List<String> arguments, int k) {
    return k < arguments.size() ? TableWriter.open(arguments.get(k), Holder.INTS) : null;
  }

  private static void commit(TableWriter<int[]> writer) {
    if (writer != null) {
      writer.commit();
    }
  }
}
