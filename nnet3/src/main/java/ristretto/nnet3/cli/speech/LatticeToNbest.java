package ristretto.nnet3.cli.speech;

import java.util.List;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.lattice.BestPaths;
import ristretto.nnet3.lattice.CompactLattice;
import ristretto.nnet3.lattice.LatticePath;

/** Writes the best paths of lattices, each as a lattice. */
public final class LatticeToNbest extends Tool {
  private final Option<Float> acousticScale =
      options.real("acoustic-scale", 1, "Factor of acoustic costs");
  private final Option<Float> lmScale = options.real("lm-scale", 1, "Factor of costs of the graph");
  private final Option<Integer> most = options.integer("n", 1, "Maximum number of paths");

  public LatticeToNbest() {
    super(
        "lattice-to-nbest",
        """
        Writes the n best paths of each lattice, each as a lattice. The keys are KEY-1 for the best
        path, and so on.

        Usage:  lattice-to-nbest [options] <lattice-rspecifier> <lattice-wspecifier>
        e.g.:
         lattice-to-nbest --acoustic-scale=0.1 --n=10 ark:lat.ark ark:nbest.ark
        See also: lattice-best-path
        """,
        2,
        2);
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    if (most.get() < 1) {
      throw new UsageException(
          "[options] --n must be at least 1; got %s; correct it.".formatted(most.get()));
    }
    int done = 0;
    int failed = 0;
    int paths = 0;
    try (var lattices = TableReader.open(arguments.get(0), CompactLattice.HOLDER);
        var writer = TableWriter.open(arguments.get(1), CompactLattice.HOLDER)) {
      while (lattices.next()) {
        List<LatticePath> best =
            BestPaths.of(lattices.value(), most.get(), lmScale.get(), acousticScale.get());
        if (best.isEmpty()) {
          log.warning(
              "Possibly empty lattice for utterance-id %s (no N-best entries)", lattices.key());
          failed++;
          continue;
        }
        for (int n = 0; n < best.size(); n++) {
          writer.write(lattices.key() + "-" + (n + 1), best.get(n).lattice());
        }
        paths += best.size();
        done++;
      }
      if (done > 0) {
        writer.commit();
      }
    }
    log.info(
        "Done applying N-best algorithm to %d lattices with n = %d, average actual #paths is %s",
        done, most.get(), (double) paths / Math.max(1, done));
    log.info("Failed for %d lattices", failed);
    return done > 0 ? 0 : 1;
  }
}
