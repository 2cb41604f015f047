package ristretto.nnet3.lattice;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Paths of a lattice in the order of their costs. Paths of a deterministic lattice have different
 * words.
 */
public final class BestPaths {
  private final CompactLattice lattice;
  private final double graphScale;
  private final double acousticScale;

  /** Least cost from each state to an end. */
  private final double[] remaining;

  /** Beginning of a path; {@code state} is -1 after the end. */
  private record Partial(
      int state, double cost, double estimate, CompactLattice.Arc arc, Partial before) {}

  private BestPaths(CompactLattice lattice, double graphScale, double acousticScale) {
    this.lattice = lattice;
    this.graphScale = graphScale;
    this.acousticScale = acousticScale;
    remaining = lattice.remainingCosts(lattice.topologicalOrder(), graphScale, acousticScale);
  }

  /** Returns up to {@code most} paths of least cost. */
  public static List<LatticePath> of(CompactLattice lattice, int most) {
    return of(lattice, most, 1, 1);
  }

  /**
   * Returns up to {@code most} paths of least scaled cost; their costs are not scaled.
   *
   * @param graphScale factor of costs of the graph
   * @param acousticScale factor of acoustic costs
   */
  public static List<LatticePath> of(
      CompactLattice lattice, int most, double graphScale, double acousticScale) {
    return new BestPaths(lattice, graphScale, acousticScale).run(most);
  }

  private double cost(CompactLattice.Weight weight) {
    return weight.cost(graphScale, acousticScale);
  }

  private List<LatticePath> run(int most) {
    var paths = new ArrayList<LatticePath>();
    var queue = new PriorityQueue<>(Comparator.comparingDouble(Partial::estimate));
    int start = lattice.start();
    if (start >= 0 && remaining[start] != Double.POSITIVE_INFINITY) {
      queue.add(new Partial(start, 0, remaining[start], null, null));
    }
    while (!queue.isEmpty() && paths.size() < most) {
      Partial best = queue.remove();
      if (best.state < 0) {
        paths.add(path(best.before));
        continue;
      }
      CompactLattice.State state = lattice.states().get(best.state);
      if (state.end() != null) {
        double cost = best.cost + cost(state.end());
        queue.add(new Partial(-1, cost, cost, null, best));
      }
      for (CompactLattice.Arc arc : state.arcs()) {
        double cost = best.cost + cost(arc.weight());
        double estimate = cost + remaining[arc.target()];
        if (estimate != Double.POSITIVE_INFINITY) {
          queue.add(new Partial(arc.target(), cost, estimate, arc, best));
        }
      }
    }
    return paths;
  }

  private LatticePath path(Partial last) {
    var arcs = new ArrayDeque<CompactLattice.Arc>();
    for (Partial part = last; part.arc != null; part = part.before) {
      arcs.addFirst(part.arc);
    }
    return new LatticePath(List.copyOf(arcs), lattice.states().get(last.state).end());
  }
}
