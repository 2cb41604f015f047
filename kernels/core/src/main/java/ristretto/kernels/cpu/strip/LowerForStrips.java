package ristretto.kernels.cpu.strip;

import java.util.List;
import ristretto.kernels.debug.Passes;
import ristretto.kernels.scalar.ExpandRandom;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Lowers a kernel's tape to the form of strips: no Random rows, no BOOL in memory (inputs and
 * outputs become I32, 0 or 1), and I64 indices that fit are read as I32, for twice as many lanes.
 */
public final class LowerForStrips {
  private LowerForStrips() {}

  /**
   * Lowers the tape of {@code key}.
   *
   * @param name label of the kernel, for the debug ladder
   */
  public static StripSpec apply(StripKey key, String name) {
    long start = System.nanoTime();
    Tape tape = ExpandRandom.apply(key.tape());
    Passes.done(name, "ExpandRandom", start, key.tape(), tape);
    start = System.nanoTime();
    Tape lowered = lower(tape, key.narrowed());
    Passes.done(name, "LowerForStrips", start, tape, lowered);
    return new StripSpec(lowered, key.inputs(), key.stores(), key.folding());
  }

  private static Tape lower(Tape tape, List<Integer> narrowed) {
    boolean plain = narrowed.isEmpty();
    for (Node node : tape.nodes()) {
      plain &= !(node instanceof Node.Input in && in.type() == ScalarType.BOOL);
    }
    for (int k = 0; k < tape.outputs().size(); k++) {
      plain &= tape.outputType(k) != ScalarType.BOOL;
    }
    return plain ? tape : rewrite(tape, narrowed);
  }

  private static Tape rewrite(Tape tape, List<Integer> narrowed) {
    var out = new TapeBuilder();
    int[] map = new int[tape.size()];
    for (int row = 0; row < map.length; row++) {
      Node node = tape.node(row);
      if (node instanceof Node.Input in
          && (in.type() == ScalarType.BOOL || narrowed.contains(in.slot()))) {
        map[row] = out.convert(out.input(in.slot(), ScalarType.I32), in.type());
      } else if (node instanceof Node.Apply n && n.op() == Op.CONVERT) {
        map[row] = out.convert(unwidened(out, map[n.a()]), n.type());
      } else {
        map[row] = out.intern(TapeBuilder.renumber(node, map));
      }
    }
    int[] outputs = new int[tape.outputs().size()];
    for (int k = 0; k < outputs.length; k++) {
      int row = map[tape.outputs().get(k)];
      outputs[k] = out.type(row) == ScalarType.BOOL ? out.convert(row, ScalarType.I32) : row;
    }
    return out.build(outputs);
  }

  /**
   * Returns the I32 row that {@code row} widens to I64, else {@code row}; converting either of them
   * gives equal results.
   */
  private static int unwidened(TapeBuilder out, int row) {
    return out.node(row) instanceof Node.Apply n
            && n.op() == Op.CONVERT
            && n.type() == ScalarType.I64
            && out.type(n.a()) == ScalarType.I32
        ? n.a()
        : row;
  }
}
