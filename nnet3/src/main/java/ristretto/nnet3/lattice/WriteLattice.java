package ristretto.nnet3.lattice;

import java.util.StringJoiner;
import ristretto.nnet3.fst.FstHeader;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.KaldiOutput;

/**
 * Writes lattices in Kaldi's text and binary forms.
 *
 * @param compact true for compact lattices; false for lattices with at most one transition per arc,
 *     which is the input label
 */
record WriteLattice(KaldiOutput out, boolean compact) {
  private static final int VERSION = 2;
  private static final int DIGITS = 6;

  /** OpenFst's properties of a list of states, and of an acceptor. */
  private static final long EXPANDED = 3;

  private static final long ACCEPTOR = 0x10000L;

  void write(CompactLattice lattice) {
    if (out.binary()) {
      binary(lattice);
    } else {
      text(lattice);
    }
  }

  private void binary(CompactLattice lattice) {
    int states = lattice.states().size();
    String arcs = compact ? "compactlattice44" : "lattice4";
    long properties = compact ? EXPANDED | ACCEPTOR : EXPANDED;
    new FstHeader("vector", arcs, VERSION, 0, properties, lattice.start(), states).write(out, 0);
    for (CompactLattice.State state : lattice.states()) {
      CompactLattice.Weight end =
          state.end() != null
              ? state.end()
              : new CompactLattice.Weight(
                  Float.POSITIVE_INFINITY, Float.POSITIVE_INFINITY, new int[0]);
      weight(end);
      out.writeRaw(state.arcs().size(), Long.BYTES);
      for (CompactLattice.Arc arc : state.arcs()) {
        out.writeRaw(compact ? arc.label() : transition(arc), Integer.BYTES);
        out.writeRaw(arc.label(), Integer.BYTES);
        weight(arc.weight());
        out.writeRaw(arc.target(), Integer.BYTES);
      }
    }
  }

  private static int transition(CompactLattice.Arc arc) {
    int[] transitions = arc.weight().transitions();
    return transitions.length == 0 ? 0 : transitions[0];
  }

  private void weight(CompactLattice.Weight weight) {
    out.writeRaw(Float.floatToRawIntBits(weight.graph()), Integer.BYTES);
    out.writeRaw(Float.floatToRawIntBits(weight.acoustic()), Integer.BYTES);
    if (compact) {
      out.writeRaw(weight.transitions().length, Integer.BYTES);
      for (int transition : weight.transitions()) {
        out.writeRaw(transition, Integer.BYTES);
      }
    }
  }

  private void text(CompactLattice lattice) {
    out.writeText("\n");
    var to = new StringBuilder();
    if (lattice.start() >= 0) {
      lines(to, lattice, lattice.start());
    }
    for (int s = 0; s < lattice.states().size(); s++) {
      if (s != lattice.start()) {
        lines(to, lattice, s);
      }
    }
    out.writeText(to.append('\n').toString());
  }

  private void lines(StringBuilder to, CompactLattice lattice, int s) {
    CompactLattice.State state = lattice.states().get(s);
    for (CompactLattice.Arc arc : state.arcs()) {
      to.append(s).append('\t').append(arc.target());
      if (!compact) {
        to.append('\t').append(transition(arc));
      }
      to.append('\t').append(arc.label());
      weight(to, arc.weight());
    }
    if (state.end() != null) {
      to.append(s);
      weight(to, state.end());
    }
  }

  /** Writes a weight that is not 0. */
  private void weight(StringBuilder to, CompactLattice.Weight weight) {
    boolean nothing = weight.graph() == 0 && weight.acoustic() == 0;
    if (!nothing || compact && weight.transitions().length > 0) {
      to.append('\t').append(FloatText.of(weight.graph(), DIGITS));
      to.append(',').append(FloatText.of(weight.acoustic(), DIGITS));
      if (compact) {
        var words = new StringJoiner("_");
        for (int transition : weight.transitions()) {
          words.add(Integer.toString(transition));
        }
        to.append(',').append(words);
      }
    }
    to.append('\n');
  }
}
