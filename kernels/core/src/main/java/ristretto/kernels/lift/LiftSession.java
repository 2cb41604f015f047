package ristretto.kernels.lift;

import java.lang.classfile.instruction.FieldInstruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.LambdaException;
import ristretto.kernels.scalar.Function;

/**
 * State of lifting one lambda: the stack of methods being lifted, outermost first, and the
 * functions lifted so far.
 */
final class LiftSession {
  /**
   * Limit on interpreted instructions: calls are inlined, so methods that call each other many
   * times would grow without bound. A kernel of this size would take seconds to compile.
   */
  private static final int MAX_INSTRUCTIONS = 100_000;

  private final ClassFiles classFiles = new ClassFiles();
  private final List<Frame> frames = new ArrayList<>();
  private final Map<MethodCode, Function> functions = new HashMap<>();
  private final Map<MethodCode, Function> guardedFunctions = new HashMap<>();
  private final String origin;
  private int interpreted;

  /**
   * Starts a session.
   *
   * @param origin class that contains the lambda, for messages that concern no instruction
   */
  LiftSession(String origin) {
    this.origin = origin;
  }

  private static final class Frame {
    final MethodCode code;
    int at;

    Frame(MethodCode code) {
      this.code = code;
    }
  }

  /** Sets the instruction to be interpreted next. */
  void at(int instruction) {
    frames.getLast().at = instruction;
    if (++interpreted > MAX_INSTRUCTIONS) {
      throw refuse(
          "a lambda and the methods it calls may have "
              + MAX_INSTRUCTIONS
              + " instructions when inlined",
          "more",
          "call fewer methods, or evaluate the expression in several steps");
    }
  }

  /** Returns an exception with the current source position. */
  LambdaException refuse(String rule, String got, String instead) {
    return refuse(rule, got, instead, null);
  }

  LambdaException refuse(String rule, String got, String instead, Throwable cause) {
    var text = new StringBuilder("[lambda] ").append(rule).append("; got ").append(got);
    if (frames.isEmpty()) {
      text.append(" in ").append(origin);
    }
    for (int k = frames.size() - 1; k >= 0; k--) {
      Frame frame = frames.get(k);
      text.append(k == frames.size() - 1 ? " in " : ", called by ")
          .append(frame.code.place().at(frame.code.line(frame.at)));
    }
    return new LambdaException(text.append("; ").append(instead).toString(), cause);
  }

  /** Returns a constant row for a static final field. */
  int staticField(Logic logic, FieldInstruction field) {
    return StaticFields.read(this, frames.getLast().code.owner(), logic, field);
  }

  /**
   * Calls a static method from {@code block} of {@code region}; {@code region} is null for the
   * target of a method reference.
   */
  int call(
      Logic logic,
      Class<?> from,
      String owner,
      String name,
      String descriptor,
      int[] arguments,
      Region region,
      int block) {
    MethodCode callee = find(from, owner, name, descriptor);
    boolean library =
        owner.startsWith("java/") && !(frames.size() > 0 && inLibrary(frames.getLast().code));
    if (!library) {
      return enter(logic, callee, arguments, region, block);
    }
    int depth = frames.size();
    try {
      return enter(logic, callee, arguments, region, block);
    } catch (LambdaException e) {
      frames.subList(depth, frames.size()).clear();
      throw Refusals.libraryCall(this, owner, name, descriptor, e);
    }
  }

  private static boolean inLibrary(MethodCode code) {
    return code.owner().getName().startsWith("java.");
  }

  /** Finds a method that the code of {@code from} names. */
  MethodCode find(Class<?> from, String owner, String name, String descriptor) {
    Class<?> type;
    try {
      type = Class.forName(owner.replace('/', '.'), false, from.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      throw Refusals.noClass(this, owner);
    }
    if (!classFiles.readable(type)) {
      throw Refusals.noBytecode(this, type);
    }
    MethodCode code = classFiles.method(type, name, descriptor);
    if (code == null) {
      throw Refusals.noCode(this, owner, name, descriptor);
    }
    return code;
  }

  /**
   * Inlines or calls {@code callee} with arguments of its parameters' types.
   *
   * @return the row of its result
   */
  int enter(Logic logic, MethodCode callee, int[] arguments, Region region, int block) {
    for (int k = 0; k < frames.size(); k++) {
      if (frames.get(k).code == callee) {
        throw Refusals.recursion(this, callee);
      }
    }
    frames.add(new Frame(callee));
    int row;
    if (callee.flow().hasLoops()) {
      row = UnrollLoops.apply(this, callee, logic, arguments, region, block);
      if (row < 0) {
        int condition = region == null ? logic.constant(true) : region.pathCondition(block);
        row = callFunction(logic, callee, arguments, condition);
      }
    } else {
      var inlined = new Region(this, callee, logic, region, block);
      inlined.run(0, entry(logic, callee, arguments));
      row = inlined.result();
    }
    frames.removeLast();
    return row;
  }

  /**
   * Adds a call of {@code callee}, a method with loops. Unless {@code condition} is constant true
   * it is passed as the guard, because the loops may not terminate where the condition is false.
   */
  private int callFunction(Logic logic, MethodCode callee, int[] arguments, int condition) {
    boolean guarded = !logic.isTrue(condition);
    Map<MethodCode, Function> known = guarded ? guardedFunctions : functions;
    Function function = known.get(callee);
    if (function == null) {
      function = new FunctionLifter(this, callee, guarded).lift();
      known.put(callee, function);
    }
    var passed = new ArrayList<Integer>();
    for (int argument : arguments) {
      if (argument != State.OBJECT) {
        passed.add(argument);
      }
    }
    if (guarded) {
      passed.add(condition);
    }
    return logic.tape().call(function, passed);
  }

  /** Number of instructions interpreted so far. */
  int interpreted() {
    return interpreted;
  }

  /** Returns the entry state of a method, with the arguments in its local variables. */
  static State entry(Logic logic, MethodCode code, int[] arguments) {
    var state = new State(code.maxLocals());
    int slot = 0;
    if (!code.isStatic()) {
      state.locals[slot++] = State.OBJECT;
    }
    String letters = code.signature().parameters();
    for (int k = 0; k < arguments.length; k++) {
      char letter = letters.charAt(k);
      state.locals[slot] = letter == 'Z' ? logic.fromBool(arguments[k]) : arguments[k];
      slot += Signature.slots(letter);
    }
    return state;
  }

  /** Returns the row of a call through a reference to a static method. */
  int reference(
      Logic logic, Class<?> from, String owner, String name, String descriptor, int[] arguments) {
    Signature signature = Signature.of(descriptor);
    if (!signature.primitive()) {
      throw Refusals.objectCall(this, owner, name, descriptor);
    }
    int row = MathCalls.lift(logic, owner, name, signature, arguments);
    return row >= 0 ? row : call(logic, from, owner, name, descriptor, arguments, null, 0);
  }
}
