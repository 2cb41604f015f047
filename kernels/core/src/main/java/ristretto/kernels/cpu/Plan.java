package ristretto.kernels.cpu;

import java.util.List;
import java.util.Map;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * How the rows of an expanded tape are spread over segments. Each segment is a loop of its own over
 * at most {@link #STRIP} elements, because long bodies starve the out-of-order window of the
 * processor and overflow the compilers' limits; values that cross from one segment to a later one
 * lie in scratch strips that stay in the L1 cache.
 *
 * <p>The scratch starts with the area of {@link LaneCalls}, if there are any.
 *
 * @param slots byte offset into the scratch by crossing row
 */
record Plan(
    StripSpec spec,
    Tape tape,
    Uses uses,
    List<Segment> segments,
    Map<Integer, Integer> slots,
    int scratchBytes) {
  /** Elements that all segments work on before the next strip; a multiple of every lane count. */
  static final int STRIP = 1024;

  /** Type of a row in scratch memory: masks cross as integers 0 and 1. */
  static ScalarType memoryType(ScalarType type) {
    return type == ScalarType.BOOL ? ScalarType.I32 : type;
  }

  /** Pointer index of tape output {@code k}. */
  int outputPointer(int k) {
    return spec.inputs().size() + k;
  }

  StripSpec.Access access(Node.Input in) {
    return spec.inputs().get(in.slot());
  }

  boolean single() {
    return segments.size() == 1;
  }
}
