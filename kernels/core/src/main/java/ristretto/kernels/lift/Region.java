package ristretto.kernels.lift;

import java.lang.classfile.Instruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import ristretto.kernels.lift.Paths.Leaf;
import ristretto.kernels.lift.Paths.Visited;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/**
 * Blocks from one head up to the next heads or returns, interpreted over tape rows. The blocks are
 * acyclic, so all of them are evaluated, and at a join a value is a select over the branch
 * conditions. This is safe because IR operations never trap. A call of a function with loops gets
 * its path condition as an additional argument, because the loops may not terminate on a path that
 * is not taken.
 */
final class Region {
  /** Exit of return instructions; other exits are numbers of heads. */
  static final int RETURN = -1;

  private final LiftSession session;
  private final MethodCode code;
  private final Logic logic;
  private final Region caller;
  private final int callerBlock;
  private final Instructions instructions;
  private final Paths paths;
  private final List<Integer> exits = new ArrayList<>();
  private int start;

  /**
   * Creates a region.
   *
   * @param caller the region whose block {@code callerBlock} calls the method that is inlined here;
   *     null for a method that is not inlined
   */
  Region(LiftSession session, MethodCode code, Logic logic, Region caller, int callerBlock) {
    this.session = session;
    this.code = code;
    this.logic = logic;
    this.caller = caller;
    this.callerBlock = callerBlock;
    this.instructions = new Instructions(session, code, logic);
    this.paths = new Paths(logic, code.blocks().size());
  }

  /** Interprets the blocks from {@code head} on, with the given entry state. */
  void run(int head, State entry) {
    start = head;
    int[] order = order(head);
    for (int k = 0; k < order.length; k++) {
      State state = k == 0 ? entry : join(order[k]);
      if (state != null) {
        var block = new Visited(order[k], state);
        interpret(block);
        paths.add(block);
      }
    }
    for (int target : paths.targets()) {
      if (isExit(target)) {
        exits.add(target);
      }
    }
  }

  /** Exits of this region: heads and {@link #RETURN}. */
  List<Integer> exits() {
    return exits;
  }

  /** Returns the row of the return value. */
  int result() {
    return paths.mergeTo(
        List.of(RETURN),
        new Leaf() {
          @Override
          int value(Visited from, int arm) {
            return arm == RETURN ? from.result : isExit(arm) ? Paths.NO_VALUE : Paths.INSIDE;
          }
        });
  }

  /** Returns a BOOL row that is true if control leaves to {@code exit}. */
  int leavesTo(int exit) {
    return paths.merge(
        new Leaf() {
          @Override
          int value(Visited from, int arm) {
            return arm == exit
                ? logic.constant(true)
                : isExit(arm) ? logic.constant(false) : Paths.INSIDE;
          }
        },
        logic.constant(false));
  }

  /**
   * Returns the value of a local variable, or of a stack entry if {@code local} is negative, on the
   * paths to one of {@code wanted}.
   */
  int valueAt(List<Integer> wanted, int local, int stack) {
    return paths.mergeTo(
        wanted,
        new Leaf() {
          @Override
          int value(Visited from, int arm) {
            if (wanted.contains(arm)) {
              return local >= 0 ? from.state.locals[local] : from.state.stack(stack);
            }
            return isExit(arm) ? Paths.NO_VALUE : Paths.INSIDE;
          }
        });
  }

  /**
   * Returns the state on one of the paths to {@code exit}; the types of values agree on all of
   * them.
   */
  State stateAt(int exit) {
    return paths.source(exit, 0).state;
  }

  private boolean isExit(int arm) {
    return arm == RETURN || code.flow().isHead(arm);
  }

  /** Returns the blocks of this region in reverse postorder. */
  private int[] order(int head) {
    var postorder = new ArrayList<Integer>();
    postorder(head, new BitSet(), postorder);
    int n = postorder.size();
    int[] order = new int[n];
    for (int k = 0; k < n; k++) {
      order[k] = postorder.get(n - 1 - k);
    }
    return order;
  }

  private void postorder(int block, BitSet seen, List<Integer> result) {
    seen.set(block);
    List<Integer> successors = code.blocks().get(block).successors();
    for (int k = successors.size() - 1; k >= 0; k--) {
      int successor = successors.get(k);
      if (!seen.get(successor) && !code.flow().isHead(successor)) {
        postorder(successor, seen, result);
      }
    }
    result.add(block);
  }

  /** Returns the state on entry to {@code block}, or null if no path leads to it. */
  private State join(int block) {
    int sources = paths.sources(block);
    if (sources <= 1) {
      return sources == 0 ? null : paths.source(block, 0).state.copy();
    }
    State first = paths.source(block, 0).state;
    var wanted = List.of(block);
    var joined = new State(first.locals.length);
    BitSet live = code.flow().live(block);
    for (int local = live.nextSetBit(0); local >= 0; local = live.nextSetBit(local + 1)) {
      joined.locals[local] = joinValue(wanted, local, -1);
    }
    for (int k = 0; k < first.depth(); k++) {
      joined.push(joinValue(wanted, -1, k));
    }
    return joined;
  }

  private int joinValue(List<Integer> wanted, int local, int stack) {
    int value = Paths.NO_VALUE;
    boolean equal = true;
    ScalarType type = null;
    for (int k = 0; k < paths.sources(wanted.getFirst()); k++) {
      State from = paths.source(wanted.getFirst(), k).state;
      int other = local >= 0 ? from.locals[local] : from.stack(stack);
      if (other == State.NONE) {
        return State.NONE;
      }
      equal &= type == null && value == Paths.NO_VALUE || other == value;
      value = other;
      if (other >= 0) {
        ScalarType otherType = logic.tape().type(other);
        if (type != null && type != otherType) {
          return State.NONE;
        }
        type = otherType;
      }
    }
    if (equal) {
      return value;
    }
    if (value < 0) {
      return State.NONE;
    }
    return valueAt(wanted, local, stack);
  }

  /**
   * Returns a BOOL row that is true if control reaches {@code block}, the block being interpreted.
   */
  private int reached(int block) {
    if (block == start) {
      return logic.constant(true);
    }
    return paths.merge(
        new Leaf() {
          @Override
          int value(Visited from, int arm) {
            return arm == block
                ? logic.constant(true)
                : isExit(arm) ? logic.constant(false) : Paths.INSIDE;
          }
        },
        logic.constant(false));
  }

  private void interpret(Visited visit) {
    Block block = code.blocks().get(visit.block);
    State state = visit.state;
    instructions.enter(this, visit.block);
    if (block.start() == block.end()) {
      visit.arms.addAll(block.successors());
      return;
    }
    int last = block.end() - 1;
    for (int at = block.start(); at < last; at++) {
      session.at(at);
      instructions.execute(at, state);
    }
    session.at(last);
    Instruction end = code.instruction(last);
    switch (end.opcode().kind()) {
      case BRANCH -> {
        if (block.successors().size() == 1) {
          visit.arms.addAll(block.successors());
        } else {
          twoWay(visit, instructions.condition(end.opcode(), state), block.successors());
        }
      }
      case TABLE_SWITCH ->
          multiWay(visit, ((TableSwitchInstruction) end).cases(), block.successors());
      case LOOKUP_SWITCH ->
          multiWay(visit, ((LookupSwitchInstruction) end).cases(), block.successors());
      case RETURN -> {
        visit.result = instructions.returned(state);
        visit.arms.add(RETURN);
      }
      default -> {
        instructions.execute(last, state);
        visit.arms.addAll(block.successors());
      }
    }
  }

  private void twoWay(Visited visit, int condition, List<Integer> successors) {
    if (!logic.isFalse(condition)) {
      visit.arms.add(successors.get(0));
    }
    if (!logic.isTrue(condition)) {
      visit.arms.add(successors.get(1));
    }
    visit.conditions.add(condition);
  }

  /** Adds the arms of a switch; cases with the same target share one arm. */
  private void multiWay(Visited visit, List<SwitchCase> cases, List<Integer> successors) {
    int key = visit.state.pop();
    int defaultTarget = successors.getLast();
    for (int k = 0; k < cases.size(); k++) {
      int target = successors.get(k);
      int value = logic.tape().constant(ScalarType.I32, cases.get(k).caseValue());
      int equal = logic.tape().apply(Op.EQ, key, value);
      if (target == defaultTarget || logic.isFalse(equal)) {
        continue;
      }
      if (logic.isTrue(equal)) {
        visit.arms.clear();
        visit.conditions.clear();
        visit.arms.add(target);
        return;
      }
      int arm = visit.arms.indexOf(target);
      if (arm < 0) {
        visit.arms.add(target);
        visit.conditions.add(equal);
      } else {
        visit.conditions.set(arm, logic.or(visit.conditions.get(arm), equal));
      }
    }
    visit.arms.add(defaultTarget);
  }

  /**
   * Returns a BOOL row that is true if control reaches {@code block}, the block being interpreted;
   * the row includes the path conditions of all callers.
   */
  int pathCondition(int block) {
    int here = reached(block);
    return caller == null ? here : logic.and(caller.pathCondition(callerBlock), here);
  }
}
