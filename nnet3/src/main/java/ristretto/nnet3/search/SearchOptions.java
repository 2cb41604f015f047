package ristretto.nnet3.search;

import java.util.Locale;
import ristretto.nnet3.ComputationException;

/**
 * Options of the beam search, named as Kaldi's.
 *
 * @param beam paths whose cost exceeds the least cost of a frame by more than this are dropped
 * @param maxActive maximum number of states per frame
 * @param minActive the beam is widened until this many states are left
 * @param latticeBeam paths in the lattice cost at most this much more than the best path
 * @param pruneInterval frames between prunings of the lattice
 * @param beamDelta added to the beam that {@code maxActive} or {@code minActive} imply
 */
public record SearchOptions(
    double beam,
    int maxActive,
    int minActive,
    double latticeBeam,
    int pruneInterval,
    double beamDelta) {
  /** Kaldi's default options. */
  public static final SearchOptions DEFAULT =
      new SearchOptions(16, Integer.MAX_VALUE, 200, 10, 25, 0.5);

  /** Refuses options that would drop every path. */
  public SearchOptions {
    boolean valid =
        beam > 0
            && maxActive > 1
            && minActive >= 0
            && minActive <= maxActive
            && latticeBeam > 0
            && pruneInterval > 0
            && beamDelta > 0;
    if (!valid) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[search] --beam, --lattice-beam, --prune-interval and --beam-delta must be positive,"
                  + " --max-active at least 2 and --min-active at most that; got %s, %s, %d, %s, %d"
                  + " and %d; correct them.",
              beam,
              latticeBeam,
              pruneInterval,
              beamDelta,
              maxActive,
              minActive));
    }
  }
}
