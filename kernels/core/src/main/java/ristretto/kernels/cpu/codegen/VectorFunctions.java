package ristretto.kernels.cpu.codegen;

import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Lifted functions that vector code can compute, and the memory through which their calls pass
 * values.
 */
final class VectorFunctions {
  private VectorFunctions() {}

  /** Returns true if the vector units compute every row of a function. */
  static boolean supports(Function function) {
    for (Function.Block block : function.blocks()) {
      Tape tape = block.tape();
      var uses = new UseAnalysis(tape);
      for (int row = 0; row < tape.size(); row++) {
        if (uses.computed(row) && !VectorTapeCode.supports(tape, row)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns true if a function, or one that it calls, has values of 8 bytes. */
  static boolean wide(Function function) {
    boolean wide = function.locals().stream().anyMatch(type -> type.bytes() == 8);
    wide |= function.result().bytes() == 8;
    for (Function.Block block : function.blocks()) {
      Tape tape = block.tape();
      var uses = new UseAnalysis(tape);
      for (int row = 0; row < tape.size(); row++) {
        wide |= tape.node(row).type().bytes() == 8;
        if (uses.computed(row) && tape.node(row) instanceof Node.Call call) {
          wide |= wide(call.function());
        }
      }
    }
    return wide;
  }

  /** Returns true if a function can be computed by vectors of {@code lanes} lanes. */
  static boolean fits(Function function, int lanes) {
    ScalarType widest = wide(function) ? ScalarType.F64 : ScalarType.F32;
    return lanes <= VectorHardware.lanes(widest) && supports(function);
  }

  /**
   * Bytes of the areas of all calls of a tape; areas of nested calls are behind those of their
   * callers.
   */
  static int areaBytes(Tape tape) {
    int most = 0;
    for (Node node : tape.nodes()) {
      if (node instanceof Node.Call call) {
        int own = LaneCalls.areaBytes(call.arguments().size());
        for (Function.Block block : call.function().blocks()) {
          most = Math.max(most, own + areaBytes(block.tape()));
        }
      }
    }
    return most;
  }
}
