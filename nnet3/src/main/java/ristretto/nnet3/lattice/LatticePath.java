package ristretto.nnet3.lattice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Path of a lattice.
 *
 * @param arcs its arcs, of which labels and weights count
 * @param end weight of its end
 */
public record LatticePath(List<CompactLattice.Arc> arcs, CompactLattice.Weight end) {
  /** Copies the list. */
  public LatticePath {
    arcs = List.copyOf(arcs);
  }

  private Stream<CompactLattice.Weight> weights() {
    return Stream.concat(arcs.stream().map(CompactLattice.Arc::weight), Stream.of(end));
  }

  /** Labels without epsilons. */
  public int[] words() {
    return arcs.stream().mapToInt(CompactLattice.Arc::label).filter(k -> k != 0).toArray();
  }

  /** Transition of each frame, numbered from 1. */
  public int[] transitions() {
    return weights().flatMapToInt(weight -> Arrays.stream(weight.transitions())).toArray();
  }

  /** Cost of the graph. */
  public double graph() {
    return weights().mapToDouble(CompactLattice.Weight::graph).sum();
  }

  /** Cost of the network's outputs. */
  public double acoustic() {
    return weights().mapToDouble(CompactLattice.Weight::acoustic).sum();
  }

  /** Sum of both costs. */
  public double cost() {
    return graph() + acoustic();
  }

  /** Returns the lattice that has only this path. */
  public CompactLattice lattice() {
    var states = new ArrayList<CompactLattice.State>();
    for (CompactLattice.Arc arc : arcs) {
      var only = new CompactLattice.Arc(arc.label(), arc.weight(), states.size() + 1);
      states.add(new CompactLattice.State(null, List.of(only)));
    }
    states.add(new CompactLattice.State(end, List.of()));
    return new CompactLattice(0, states);
  }
}
