package ristretto.jmh.training;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Result of a line: each side with its faster number of threads. */
record Standing(TrainingLine line, List<Lap> laps) {
  /** Maximum relative difference between the sides' losses, whose sums differ in order. */
  private static final double SAME_LOSS = 2e-3;

  Optional<Lap> best(Racer.Side side) {
    return laps.stream().filter(l -> l.side() == side).min(Comparator.comparingDouble(Lap::least));
  }

  /** Time of the rival relative to ours; empty unless both are measured. */
  Optional<Double> ratio() {
    return best(line.rival()).flatMap(t -> best(Racer.Side.OURS).map(o -> t.least() / o.least()));
  }

  /** Returns the missed requirements, or "ok". */
  String verdict() {
    Optional<Lap> ours = best(Racer.Side.OURS);
    Optional<Lap> torch = best(Racer.Side.TORCH);
    if (ours.isEmpty() || torch.isEmpty()) {
      return "";
    }
    for (int k = 0; k < ours.get().losses().size(); k++) {
      double mine = ours.get().losses().get(k);
      double theirs = torch.get().losses().get(k);
      if (!(Math.abs(mine - theirs) <= SAME_LOSS * Math.max(1, Math.abs(theirs)))) {
        return "not the same: loss " + mine + " instead of " + theirs + " in step " + (k + 1);
      }
    }
    var missed = new ArrayList<String>();
    if (ratio().get() < line.wanted()) {
      missed.add("time");
    }
    if (torch.get().peak() > 0 && ours.get().peak() > line.memory() * torch.get().peak()) {
      missed.add("memory");
    }
    return missed.isEmpty() ? "ok" : "missed: " + String.join(", ", missed);
  }
}
