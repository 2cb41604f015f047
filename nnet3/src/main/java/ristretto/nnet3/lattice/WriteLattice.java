package ristretto.nnet3.lattice;

import java.util.StringJoiner;
import ristretto.nnet3.fst.FstHeader;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.KaldiOutput;

/** Writes compact lattices in Kaldi's text and binary forms. */
final class WriteLattice {
  private static final int VERSION = 2;
  private static final int DIGITS = 7;

  /** OpenFst's properties of a list of states of an acceptor. */
  private static final long PROPERTIES = 0x10003L;

  private WriteLattice() {}

  static void write(KaldiOutput out, CompactLattice lattice) {
    if (out.binary()) {
      binary(out, lattice);
    } else {
      text(out, lattice);
    }
  }

  private static void binary(KaldiOutput out, CompactLattice lattice) {
    int states = lattice.states().size();
    new FstHeader("vector", "compactlattice44", VERSION, 0, PROPERTIES, lattice.start(), states)
        .write(out, 0);
    for (CompactLattice.State state : lattice.states()) {
      CompactLattice.Weight end =
          state.end() != null
              ? state.end()
              : new CompactLattice.Weight(
                  Float.POSITIVE_INFINITY, Float.POSITIVE_INFINITY, new int[0]);
      weight(out, end);
      out.writeRaw(state.arcs().size(), Long.BYTES);
      for (CompactLattice.Arc arc : state.arcs()) {
        out.writeRaw(arc.label(), Integer.BYTES);
        out.writeRaw(arc.label(), Integer.BYTES);
        weight(out, arc.weight());
        out.writeRaw(arc.target(), Integer.BYTES);
      }
    }
  }

  private static void weight(KaldiOutput out, CompactLattice.Weight weight) {
    out.writeRaw(Float.floatToRawIntBits(weight.graph()), Integer.BYTES);
    out.writeRaw(Float.floatToRawIntBits(weight.acoustic()), Integer.BYTES);
    out.writeRaw(weight.transitions().length, Integer.BYTES);
    for (int transition : weight.transitions()) {
      out.writeRaw(transition, Integer.BYTES);
    }
  }

  private static void text(KaldiOutput out, CompactLattice lattice) {
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

  private static void lines(StringBuilder to, CompactLattice lattice, int s) {
    CompactLattice.State state = lattice.states().get(s);
    for (CompactLattice.Arc arc : state.arcs()) {
      to.append(s).append('\t').append(arc.target()).append('\t').append(arc.label());
      weight(to, arc.weight());
    }
    if (state.end() != null) {
      to.append(s);
      weight(to, state.end());
    }
  }

  /** Writes a weight that is not 0. */
  private static void weight(StringBuilder to, CompactLattice.Weight weight) {
    boolean nothing =
        weight.graph() == 0 && weight.acoustic() == 0 && weight.transitions().length == 0;
    if (!nothing) {
      var words = new StringJoiner("_");
      for (int transition : weight.transitions()) {
        words.add(Integer.toString(transition));
      }
      to.append('\t').append(FloatText.of(weight.graph(), DIGITS)).append(',');
      to.append(FloatText.of(weight.acoustic(), DIGITS)).append(',').append(words);
    }
    to.append('\n');
  }
}
