package ristretto.kernels.lift;

import static ristretto.kernels.scalar.ScalarType.BOOL;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Lifts a method with loops to a {@link Function}: one block per {@link Region}, which at its exits
 * assigns the live local variables. A local variable slot or stack entry becomes one function local
 * per type that it holds.
 */
final class FunctionLifter {
  private final LiftSession session;
  private final MethodCode code;
  private final boolean guarded;
  private final ScalarType result;
  private final List<ScalarType> parameters = new ArrayList<>();
  private final List<ScalarType> locals = new ArrayList<>();
  private final Map<Variable, Integer> numbers = new HashMap<>();

  /** Function blocks by number; a head is numbered at the first jump to it. */
  private final List<Function.Block> blocks = new ArrayList<>();

  private final Map<Integer, Integer> headNumbers = new HashMap<>();
  private final Map<Integer, State> headTypes = new HashMap<>();
  private final List<Integer> pending = new ArrayList<>();
  private boolean returns;

  /**
   * Source of a function local: a variable slot, a stack entry, the return value or an exit choice.
   */
  private record Variable(Home home, int index, ScalarType type) {
    @Override
    public boolean equals(Object o) {
      return o instanceof Variable v && home == v.home && index == v.index && type == v.type;
    }

    @Override
    public int hashCode() {
      return 31 * index + 7 * home.ordinal() + type.ordinal();
    }
  }

  private enum Home {
    SLOT,
    STACK,
    RESULT,
    CHOICE
  }

  /**
   * Creates the lifter of one method.
   *
   * @param guarded true if the function has an additional last parameter, a BOOL; if its value is
   *     false the function returns 0 at once
   */
  FunctionLifter(LiftSession session, MethodCode code, boolean guarded) {
    this.session = session;
    this.code = code;
    this.guarded = guarded;
    this.result = Signature.type(code.signature().result());
  }

  Function lift() {
    var logic = new Logic(new TapeBuilder());
    String letters = code.signature().parameters();
    int[] arguments = new int[letters.length()];
    int slot = code.isStatic() ? 0 : 1;
    for (int k = 0; k < arguments.length; k++) {
      char letter = letters.charAt(k);
      if (letter == Signature.OBJECT) {
        arguments[k] = State.OBJECT;
      } else {
        ScalarType type = Signature.type(letter);
        int number = parameter(type);
        arguments[k] = logic.tape().input(number, type);
        if (type != BOOL) {
          numbers.put(new Variable(Home.SLOT, slot, type), number);
        }
      }
      slot += Signature.slots(letter);
    }
    if (guarded) {
      addGuard(parameter(BOOL));
    }
    blocks.add(null);
    headNumbers.put(0, blocks.size() - 1);
    lift(0, logic, LiftSession.entry(logic, code, arguments));
    while (!pending.isEmpty()) {
      int head = pending.removeLast();
      var inside = new Logic(new TapeBuilder());
      lift(head, inside, entry(head, inside));
    }
    if (!returns) {
      throw Refusals.endless(session);
    }
    return new Function(name(), parameters, locals, result, blocks);
  }

  private int parameter(ScalarType type) {
    parameters.add(type);
    locals.add(type);
    return locals.size() - 1;
  }

  /**
   * Adds the guard: block 0 continues with block 2 if the parameter is true, otherwise block 1
   * returns 0.
   */
  private void addGuard(int parameter) {
    var test = new TapeBuilder();
    blocks.add(
        new Function.Block(
            test.build(test.input(parameter, BOOL)), List.of(), new Function.End.Branch(0, 2, 1)));
    var zero = new TapeBuilder();
    blocks.add(
        new Function.Block(
            zero.build(zero.constant(result, 0)), List.of(), new Function.End.Return(0)));
  }

  /** Returns a function name that is an identifier in every generated language. */
  private String name() {
    String owner = code.owner().getSimpleName();
    String method = code.place().isLambda() ? "lambda" : code.place().method();
    var name = new StringBuilder(owner.isEmpty() ? method : owner + "_" + method);
    for (int k = 0; k < name.length(); k++) {
      char c = name.charAt(k);
      boolean plain =
          c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || k > 0 && c >= '0' && c <= '9';
      if (!plain) {
        name.setCharAt(k, '_');
      }
    }
    return name.toString();
  }

  private int number(Variable variable) {
    Integer number = numbers.get(variable);
    if (number == null) {
      number = locals.size();
      locals.add(variable.type);
      numbers.put(variable, number);
    }
    return number;
  }

  /** Returns the state on entry to a head, with live variables as inputs. */
  private State entry(int head, Logic logic) {
    State types = headTypes.get(head);
    var state = new State(code.maxLocals());
    for (int slot = 0; slot < state.locals.length; slot++) {
      state.locals[slot] = input(Home.SLOT, slot, types.locals[slot], logic);
    }
    for (int k = 0; k < types.depth(); k++) {
      state.push(input(Home.STACK, k, types.stack(k), logic));
    }
    return state;
  }

  /**
   * Returns the input row of a variable, or {@code code} if it is negative.
   *
   * @param code ordinal of the type, or State.NONE or State.OBJECT
   */
  private int input(Home home, int index, int code, Logic logic) {
    if (code < 0) {
      return code;
    }
    ScalarType type = ScalarType.values()[code];
    return logic.tape().input(number(new Variable(home, index, type)), type);
  }

  /** Assignments at the end of a block. */
  private static final class Assignments {
    final List<Integer> rows = new ArrayList<>();
    final List<Integer> targets = new ArrayList<>();
  }

  private void lift(int head, Logic logic, State entry) {
    int self = headNumbers.get(head);
    var region = new Region(session, code, logic, null, 0);
    region.run(head, entry);
    List<Integer> exits = inLoopFirst(region.exits(), head);
    if (exits.isEmpty()) {
      throw Refusals.endless(session);
    }
    var assignments = new Assignments();
    Map<Variable, List<Integer>> wanted = new HashMap<>();
    var order = new ArrayList<Variable>();
    for (int exit : exits) {
      if (exit != Region.RETURN) {
        wants(region, exit, logic, wanted, order);
      }
    }
    for (Variable variable : order) {
      int local = variable.home == Home.SLOT ? variable.index : -1;
      int row = region.valueAt(wanted.get(variable), local, variable.index);
      assign(logic, number(variable), row, assignments);
    }
    if (exits.size() == 1 && exits.getFirst() == Region.RETURN) {
      returns = true;
      assignments.rows.add(region.result());
      blocks.set(self, end(logic, assignments, new Function.End.Return(0)));
      return;
    }
    int[] goals = new int[exits.size()];
    for (int k = 0; k < goals.length; k++) {
      goals[k] =
          exits.get(k) == Region.RETURN
              ? returnBlock(region, logic, assignments)
              : headNumber(exits.get(k));
    }
    if (goals.length == 1) {
      blocks.set(self, end(logic, assignments, new Function.End.Jump(goals[0])));
      return;
    }
    // With more than two exits, further conditions are stored in locals and tested by blocks of
    // their own.
    int otherwise = goals[goals.length - 1];
    for (int k = goals.length - 2; k > 0; k--) {
      int choice = number(new Variable(Home.CHOICE, k, BOOL));
      assign(logic, choice, region.leavesTo(exits.get(k)), assignments);
      var test = new TapeBuilder();
      var branch = new Function.End.Branch(0, goals[k], otherwise);
      blocks.add(new Function.Block(test.build(test.input(choice, BOOL)), List.of(), branch));
      otherwise = blocks.size() - 1;
    }
    assignments.rows.add(region.leavesTo(exits.getFirst()));
    var branch = new Function.End.Branch(assignments.targets.size(), goals[0], otherwise);
    blocks.set(self, end(logic, assignments, branch));
  }

  /** Returns the exits with the loop's back edge first, so that it is tested first. */
  private static List<Integer> inLoopFirst(List<Integer> exits, int head) {
    var ordered = new ArrayList<>(exits);
    if (ordered.remove((Integer) head)) {
      ordered.addFirst(head);
    }
    return ordered;
  }

  /**
   * Records the variables that must be assigned when control leaves to {@code exit}, and their
   * types.
   */
  private void wants(
      Region region,
      int exit,
      Logic logic,
      Map<Variable, List<Integer>> wanted,
      List<Variable> order) {
    State values = region.stateAt(exit);
    var types = new State(code.maxLocals());
    BitSet live = code.flow().live(exit);
    for (int slot = live.nextSetBit(0); slot >= 0; slot = live.nextSetBit(slot + 1)) {
      types.locals[slot] = want(Home.SLOT, slot, values.locals[slot], exit, logic, wanted, order);
    }
    for (int k = 0; k < values.depth(); k++) {
      types.push(want(Home.STACK, k, values.stack(k), exit, logic, wanted, order));
    }
    headTypes.putIfAbsent(exit, types);
  }

  private static int want(
      Home home,
      int index,
      int value,
      int exit,
      Logic logic,
      Map<Variable, List<Integer>> wanted,
      List<Variable> order) {
    if (value < 0) {
      return value;
    }
    ScalarType type = logic.tape().type(value);
    var variable = new Variable(home, index, type);
    List<Integer> exits = wanted.get(variable);
    if (exits == null) {
      exits = new ArrayList<>();
      wanted.put(variable, exits);
      order.add(variable);
    }
    exits.add(exit);
    return type.ordinal();
  }

  private static void assign(Logic logic, int local, int row, Assignments assignments) {
    if (!(logic.tape().node(row) instanceof Node.Input in && in.slot() == local)) {
      assignments.targets.add(local);
      assignments.rows.add(row);
    }
  }

  private int headNumber(int head) {
    Integer number = headNumbers.get(head);
    if (number == null) {
      blocks.add(null);
      number = blocks.size() - 1;
      headNumbers.put(head, number);
      pending.add(head);
    }
    return number;
  }

  /** Assigns the returned value to a local and adds a block that returns it. */
  private int returnBlock(Region region, Logic logic, Assignments assignments) {
    returns = true;
    int local = number(new Variable(Home.RESULT, 0, result));
    assign(logic, local, region.result(), assignments);
    var tape = new TapeBuilder();
    blocks.add(
        new Function.Block(
            tape.build(tape.input(local, result)), List.of(), new Function.End.Return(0)));
    return blocks.size() - 1;
  }

  private static Function.Block end(Logic logic, Assignments assignments, Function.End end) {
    int[] rows = new int[assignments.rows.size()];
    for (int k = 0; k < rows.length; k++) {
      rows[k] = assignments.rows.get(k);
    }
    return new Function.Block(logic.tape().build(rows), assignments.targets, end);
  }
}
