package ristretto.nnet3.chain;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.FstBuilder;
import ristretto.nnet3.fst.PushWeights;
import ristretto.nnet3.lattice.CompactLattice;

/**
 * Phones of an utterance and the output frames at which each may occur.
 *
 * @param phones acceptor of the phones
 * @param frames phones that may occur at each output frame
 */
public record AllowedPhones(Fst phones, List<TreeSet<Integer>> frames) {
  /**
   * Tolerances: frames by which phones may be early or late.
   *
   * @param subsampling number of input frames per output frame
   * @param leftTolerance input frames by which a phone may be early
   * @param rightTolerance input frames by which a phone may be late
   * @param lmScale factor of a lattice's graph costs
   */
  public record Options(int subsampling, int leftTolerance, int rightTolerance, float lmScale) {
    /** Checks the numbers. */
    public Options {
      if (subsampling < 1
          || leftTolerance < 0
          || rightTolerance < 0
          || leftTolerance + rightTolerance + 1 < subsampling) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT,
                "[options] --left-tolerance and --right-tolerance must not be negative, and their"
                    + " sum plus 1 must be at least --frame-subsampling-factor, which is at least"
                    + " 1; got %d, %d and %d; correct them.",
                leftTolerance,
                rightTolerance,
                subsampling));
      }
      if (!(lmScale >= 0 && lmScale < 1)) {
        throw new IllegalArgumentException(
            "[options] --lm-scale must be at least 0 and below 1; got %s; correct it."
                .formatted(lmScale));
      }
    }
  }

  /**
   * Allows each phone around its place in an alignment.
   *
   * @param pairs each phone and its duration in input frames
   */
  public static AllowedPhones ofAlignment(int[] pairs, Options options) {
    var phones = new FstBuilder();
    phones.start(0);
    int total = 0;
    for (int k = 0; k < pairs.length; k += 2) {
      if (pairs[k] < 1 || pairs[k + 1] < 1 || pairs[k + 1] > Integer.MAX_VALUE / 2 - total) {
        throw new FileFormatException(
            String.format(
                Locale.ROOT,
                "[chain] phones and their durations must be above 0; got phone %d of %d frames;"
                    + " correct the alignment.",
                pairs[k],
                pairs[k + 1]));
      }
      phones.arc(k / 2, pairs[k], pairs[k], 0, k / 2 + 1);
      total += pairs[k + 1];
    }
    if (total == 0) {
      throw new FileFormatException(
          "[chain] an alignment must have phones; got none; leave the utterance out.");
    }
    phones.finalCost(pairs.length / 2, 0);
    var frames = new Frames(total, options);
    int at = 0;
    for (int k = 0; k < pairs.length; k += 2) {
      frames.allow(pairs[k], at, at + pairs[k + 1]);
      at += pairs[k + 1];
    }
    return new AllowedPhones(phones.build(), frames.all);
  }

  /**
   * Allows each phone around its places in a lattice of phones.
   *
   * @throws FileFormatException if the lattice is empty, has epsilons, or has paths of different
   *     lengths
   */
  public static AllowedPhones ofLattice(CompactLattice lattice, Options options) {
    int[] times = lattice.times();
    int total = lattice.frames();
    var frames = new Frames(total, options);
    var phones = new FstBuilder();
    phones.start(lattice.start());
    for (int s = 0; s < lattice.states().size(); s++) {
      CompactLattice.State state = lattice.states().get(s);
      for (CompactLattice.Arc arc : state.arcs()) {
        if (arc.label() == 0) {
          throw new FileFormatException(
              "[chain] a lattice of phones must have no epsilon arcs; got one; make it with"
                  + " lattice-align-phones --replace-output-symbols=true.");
        }
        phones.arc(
            s, arc.label(), arc.label(), arc.weight().graph() * options.lmScale, arc.target());
        frames.allow(arc.label(), times[s], times[s] + arc.weight().transitions().length);
      }
      if (state.end() != null) {
        phones.finalCost(s, state.end().graph() * options.lmScale);
        if (times[s] != total) {
          throw new FileFormatException(
              String.format(
                  Locale.ROOT,
                  "[chain] all paths of a lattice of phones must have the same number of frames;"
                      + " got %d and %d; align the lattice with lattice-align-phones.",
                  times[s],
                  total));
        }
      }
    }
    Fst fst = phones.build();
    return new AllowedPhones(options.lmScale == 0 ? fst : PushWeights.apply(fst, true), frames.all);
  }

  /** Phones of output frames. */
  private static final class Frames {
    private final int total;
    private final Options options;
    final List<TreeSet<Integer>> all = new ArrayList<>();

    Frames(int total, Options options) {
      this.total = total;
      this.options = options;
      for (int k = 0; k < subsampled(total); k++) {
        all.add(new TreeSet<>());
      }
    }

    private int subsampled(int frame) {
      return Math.ceilDiv(frame, options.subsampling);
    }

    void allow(int phone, int from, int to) {
      int begin = subsampled(Math.max(0, from - options.leftTolerance));
      int end = subsampled((int) Math.min(total, (long) to + options.rightTolerance));
      for (int k = begin; k < end; k++) {
        all.get(k).add(phone);
      }
    }
  }
}
