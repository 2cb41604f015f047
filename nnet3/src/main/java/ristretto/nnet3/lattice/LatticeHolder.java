package ristretto.nnet3.lattice;

import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/**
 * Holder for tables of lattices.
 *
 * @param compact true to write compact lattices; false to write an arc per frame
 */
record LatticeHolder(boolean compact) implements Holder<CompactLattice> {
  @Override
  public boolean ownHeader() {
    return true;
  }

  @Override
  public CompactLattice read(KaldiInput in) {
    return ReadLattice.read(in);
  }

  @Override
  public void write(KaldiOutput out, CompactLattice lattice) {
    new WriteLattice(out, compact).write(compact ? lattice : lattice.byFrames());
  }
}
