package ristretto.nnet3.fst;

import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.KaldiOutput;

/** Writes transducers: OpenFst's binary types vector and compact_acceptor, and OpenFst's text. */
public final class WriteFst {
  private static final int VERSION = 2;

  /** Significant digits of costs in text. */
  private static final int DIGITS = 7;

  private WriteFst() {}

  private static FstHeader header(String type, Fst fst, long properties) {
    return new FstHeader(type, "standard", VERSION, 0, properties, fst.start(), fst.states());
  }

  private static void cost(KaldiOutput out, float cost) {
    out.writeRaw(Float.floatToRawIntBits(cost), Integer.BYTES);
  }

  /** Writes a transducer of OpenFst's type vector. */
  public static void vector(KaldiOutput out, Fst fst) {
    // OpenFst does not count the arcs of such a file before it writes them.
    header("vector", fst, fst.properties()).write(out, 0);
    for (int s = 0; s < fst.states(); s++) {
      cost(out, fst.finalCost(s));
      out.writeRaw(fst.firstArc(s + 1) - fst.firstArc(s), Long.BYTES);
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        out.writeRaw(fst.input(k), Integer.BYTES);
        out.writeRaw(fst.output(k), Integer.BYTES);
        cost(out, fst.cost(k));
        out.writeRaw(fst.target(k), Integer.BYTES);
      }
    }
  }

  /** Writes an acceptor of OpenFst's type compact_acceptor; only input labels are written. */
  public static void compactAcceptor(KaldiOutput out, Fst fst) {
    header("compact_acceptor", fst, FstProperties.of(fst)).write(out, fst.arcs());
    int offset = 0;
    for (int s = 0; s < fst.states(); s++) {
      out.writeRaw(offset, Integer.BYTES);
      offset += fst.firstArc(s + 1) - fst.firstArc(s) + (fst.isFinal(s) ? 1 : 0);
    }
    out.writeRaw(offset, Integer.BYTES);
    for (int s = 0; s < fst.states(); s++) {
      if (fst.isFinal(s)) {
        out.writeRaw(-1, Integer.BYTES);
        cost(out, fst.finalCost(s));
        out.writeRaw(-1, Integer.BYTES);
      }
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        out.writeRaw(fst.input(k), Integer.BYTES);
        cost(out, fst.cost(k));
        out.writeRaw(fst.target(k), Integer.BYTES);
      }
    }
  }

  /** Writes lines of OpenFst's text, the start state's first, and a blank line. */
  public static void text(KaldiOutput out, Fst fst) {
    out.writeText("\n");
    var to = new StringBuilder();
    if (fst.start() >= 0) {
      lines(to, fst, fst.start());
    }
    for (int s = 0; s < fst.states(); s++) {
      if (s != fst.start()) {
        lines(to, fst, s);
      }
    }
    out.writeText(to.append('\n').toString());
  }

  private static void lines(StringBuilder to, Fst fst, int s) {
    for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
      to.append(s).append('\t').append(fst.target(k)).append('\t').append(fst.input(k));
      to.append('\t').append(fst.output(k));
      cost(to, fst.cost(k));
    }
    if (fst.isFinal(s)) {
      to.append(s);
      cost(to, fst.finalCost(s));
    }
  }

  private static void cost(StringBuilder to, float cost) {
    if (cost != 0) {
      to.append('\t');
      to.append(
          Float.isInfinite(cost)
              ? cost > 0 ? "Infinity" : "-Infinity"
              : FloatText.of(cost, DIGITS));
    }
    to.append('\n');
  }
}
