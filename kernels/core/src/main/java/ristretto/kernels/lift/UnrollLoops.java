package ristretto.kernels.lift;

import java.util.BitSet;
import java.util.List;

/**
 * Inlines a method whose loops have small constant trip counts, such as a polynomial over {@code k
 * < 4}. Plain rows take part in fusion, common subexpression elimination and differentiation; a
 * call does not.
 */
final class UnrollLoops {
  /** Limit on interpreted regions: two nested loops of 4 iterations each have about 25. */
  private static final int MAX_REGIONS = 32;

  /** Limit on interpreted instructions; a longer body is better compiled once, as a function. */
  private static final int MAX_INSTRUCTIONS = 500;

  private UnrollLoops() {}

  /** Returns the row of the result, or -1 if a trip count is not constant or too large. */
  static int apply(
      LiftSession session,
      MethodCode code,
      Logic logic,
      int[] arguments,
      Region caller,
      int callerBlock) {
    int limit = session.interpreted() + MAX_INSTRUCTIONS;
    int head = 0;
    State state = LiftSession.entry(logic, code, arguments);
    for (int turn = 0; turn < MAX_REGIONS && session.interpreted() < limit; turn++) {
      var region = new Region(session, code, logic, caller, callerBlock);
      region.run(head, state);
      if (region.exits().size() != 1) {
        return -1;
      }
      head = region.exits().getFirst();
      if (head == Region.RETURN) {
        return region.result();
      }
      state = stateAt(region, head, code);
    }
    return -1;
  }

  private static State stateAt(Region region, int head, MethodCode code) {
    State sample = region.stateAt(head);
    List<Integer> exits = List.of(head);
    var state = new State(sample.locals.length);
    BitSet live = code.flow().live(head);
    for (int local = live.nextSetBit(0); local >= 0; local = live.nextSetBit(local + 1)) {
      int value = sample.locals[local];
      state.locals[local] = value < 0 ? value : region.valueAt(exits, local, -1);
    }
    for (int k = 0; k < sample.depth(); k++) {
      int value = sample.stack(k);
      state.push(value < 0 ? value : region.valueAt(exits, -1, k));
    }
    return state;
  }
}
