package ristretto.kernels.lift;

import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Interprets single instructions over tape rows; refuses instructions that cannot become part of a
 * kernel.
 */
final class Instructions {
  private final LiftSession session;
  private final MethodCode code;
  private final Logic logic;
  private final TapeBuilder tape;
  private Region region;
  private int block;

  Instructions(LiftSession session, MethodCode code, Logic logic) {
    this.session = session;
    this.code = code;
    this.logic = logic;
    this.tape = logic.tape();
  }

  /** Sets the block of the instructions that follow. */
  void enter(Region region, int block) {
    this.region = region;
    this.block = block;
  }

  /** Interprets one instruction other than a branch, switch or return. */
  void execute(int at, State state) {
    Instruction instruction = code.instruction(at);
    if (code.inTry(at)) {
      throw Refusals.tryBlock(session);
    }
    switch (instruction.opcode().kind()) {
      case LOAD -> state.push(state.locals[((LoadInstruction) instruction).slot()]);
      case STORE -> store(((StoreInstruction) instruction).slot(), state);
      case INCREMENT -> {
        var increment = (IncrementInstruction) instruction;
        int slot = increment.slot();
        state.locals[slot] =
            tape.apply(Op.ADD, state.locals[slot], tape.constant(I32, increment.constant()));
      }
      case CONSTANT -> state.push(constant((ConstantInstruction) instruction));
      case OPERATOR -> operator(instruction, state);
      case CONVERT -> {
        var convert = (ConvertInstruction) instruction;
        state.push(convert(state.pop(), convert.toType()));
      }
      case STACK -> shuffle(instruction.opcode(), state);
      case FIELD_ACCESS -> {
        var field = (FieldInstruction) instruction;
        if (field.opcode() != Opcode.GETSTATIC) {
          throw Refusals.field(session, field);
        }
        state.push(session.staticField(logic, field));
      }
      case INVOKE -> invoke((InvokeInstruction) instruction, state);
      case NOP -> {}
      default -> throw Refusals.instruction(session, instruction);
    }
  }

  private void store(int slot, State state) {
    int value = state.pop();
    state.locals[slot] = value;
    if (value >= 0 && wide(value)) {
      state.locals[slot + 1] = State.NONE;
    }
  }

  private int constant(ConstantInstruction instruction) {
    Object value = instruction.constantValue();
    return switch (instruction.typeKind()) {
      case INT -> tape.constantBits(I32, (Integer) value);
      case LONG -> tape.constantBits(I64, (Long) value);
      case FLOAT -> tape.constantBits(F32, Float.floatToRawIntBits((Float) value) & 0xFFFFFFFFL);
      case DOUBLE -> tape.constantBits(F64, Double.doubleToRawLongBits((Double) value));
      default -> throw Refusals.instruction(session, instruction);
    };
  }

  private void operator(Instruction instruction, State state) {
    Opcode opcode = instruction.opcode();
    switch (opcode) {
      case ARRAYLENGTH -> throw Refusals.instruction(session, instruction);
      case INEG, LNEG, FNEG, DNEG -> state.push(tape.apply(Op.NEG, state.pop()));
      case LSHL, LSHR, LUSHR -> {
        int count = tape.convert(state.pop(), I64);
        state.push(tape.apply(operation(opcode), state.pop(), count));
      }
      case IAND, IOR, IXOR -> {
        int b = state.pop();
        state.push(logic.bitwise(operation(opcode), state.pop(), b));
      }
      case LCMP, FCMPL, FCMPG, DCMPL, DCMPG -> {
        int b = state.pop();
        int nan =
            opcode == Opcode.LCMP ? 0 : opcode == Opcode.FCMPL || opcode == Opcode.DCMPL ? -1 : 1;
        state.push(logic.threeWay(state.pop(), b, nan));
      }
      default -> {
        int b = state.pop();
        state.push(tape.apply(operation(opcode), state.pop(), b));
      }
    }
  }

  private static Op operation(Opcode opcode) {
    return switch (opcode) {
      case IADD, LADD, FADD, DADD -> Op.ADD;
      case ISUB, LSUB, FSUB, DSUB -> Op.SUB;
      case IMUL, LMUL, FMUL, DMUL -> Op.MUL;
      case IDIV, LDIV, FDIV, DDIV -> Op.DIV;
      case IREM, LREM, FREM, DREM -> Op.REM;
      case ISHL, LSHL -> Op.SHL;
      case ISHR, LSHR -> Op.SHR;
      case IUSHR, LUSHR -> Op.USHR;
      case IAND, LAND -> Op.AND;
      case IOR, LOR -> Op.OR;
      case IXOR, LXOR -> Op.XOR;
      default -> throw new IllegalStateException("no operator: " + opcode);
    };
  }

  private int convert(int row, TypeKind to) {
    return switch (to) {
      case INT -> tape.convert(row, I32);
      case LONG -> tape.convert(row, I64);
      case FLOAT -> tape.convert(row, F32);
      case DOUBLE -> tape.convert(row, F64);
      case BYTE -> signExtend(row, 24);
      case SHORT -> signExtend(row, 16);
      case CHAR -> tape.apply(Op.AND, row, tape.constant(I32, 0xFFFF));
      default -> throw new IllegalStateException("no conversion to " + to);
    };
  }

  private int signExtend(int row, int bits) {
    int count = tape.constant(I32, bits);
    return tape.apply(Op.SHR, tape.apply(Op.SHL, row, count), count);
  }

  private boolean wide(int row) {
    ScalarType type = tape.type(row);
    return type == I64 || type == F64;
  }

  private void shuffle(Opcode opcode, State state) {
    switch (opcode) {
      case POP -> take(state, 1);
      case POP2 -> take(state, 2);
      case DUP -> duplicate(state, 1, 0);
      case DUP_X1 -> duplicate(state, 1, 1);
      case DUP_X2 -> duplicate(state, 1, 2);
      case DUP2 -> duplicate(state, 2, 0);
      case DUP2_X1 -> duplicate(state, 2, 1);
      case DUP2_X2 -> duplicate(state, 2, 2);
      case SWAP -> {
        int b = state.pop();
        int a = state.pop();
        state.push(b);
        state.push(a);
      }
      default -> throw new IllegalStateException("no stack operation: " + opcode);
    }
  }

  /** Pops values that fill {@code slots} stack slots; returns them in push order. */
  private int[] take(State state, int slots) {
    if (slots == 0) {
      return new int[0];
    }
    int top = state.pop();
    if (slots == 1 || top >= 0 && wide(top)) {
      return new int[] {top};
    }
    return new int[] {state.pop(), top};
  }

  /** Inserts a copy of the top {@code slots} slots {@code below} slots further down. */
  private void duplicate(State state, int slots, int below) {
    int[] top = take(state, slots);
    int[] next = take(state, below);
    push(state, top);
    push(state, next);
    push(state, top);
  }

  private static void push(State state, int[] values) {
    for (int value : values) {
      state.push(value);
    }
  }

  private void invoke(InvokeInstruction call, State state) {
    if (call.opcode() != Opcode.INVOKESTATIC) {
      throw Refusals.instanceCall(session, call);
    }
    String owner = call.owner().asInternalName();
    String name = call.name().stringValue();
    if (JShell.stopCheck(owner, name) || nullCheck(owner, name)) {
      return;
    }
    String descriptor = call.type().stringValue();
    Signature signature = Signature.of(descriptor);
    if (!signature.primitive()) {
      throw Refusals.objectCall(session, owner, name, descriptor);
    }
    int[] arguments = new int[signature.parameters().length()];
    for (int k = arguments.length - 1; k >= 0; k--) {
      int value = state.pop();
      arguments[k] = signature.parameters().charAt(k) == 'Z' ? logic.toBool(value) : value;
    }
    int row = MathCalls.lift(logic, owner, name, signature, arguments);
    if (row < 0) {
      row = session.call(logic, code.owner(), owner, name, descriptor, arguments, region, block);
    }
    state.push(signature.result() == 'Z' ? logic.fromBool(row) : row);
  }

  /**
   * Returns true for null checks, which compilers insert before the use of an object; the use
   * itself is refused.
   */
  private static boolean nullCheck(String owner, String name) {
    return owner.equals("java/util/Objects") && name.equals("requireNonNull");
  }

  /** Returns the BOOL row of a conditional branch. */
  int condition(Opcode opcode, State state) {
    return switch (opcode) {
      case IFEQ -> logic.compareWithZero(Op.EQ, state.pop());
      case IFNE -> logic.compareWithZero(Op.NE, state.pop());
      case IFLT -> logic.compareWithZero(Op.LT, state.pop());
      case IFGE -> logic.compareWithZero(Op.GE, state.pop());
      case IFGT -> logic.compareWithZero(Op.GT, state.pop());
      case IFLE -> logic.compareWithZero(Op.LE, state.pop());
      case IF_ICMPEQ -> compare(Op.EQ, state);
      case IF_ICMPNE -> compare(Op.NE, state);
      case IF_ICMPLT -> compare(Op.LT, state);
      case IF_ICMPGE -> compare(Op.GE, state);
      case IF_ICMPGT -> compare(Op.GT, state);
      case IF_ICMPLE -> compare(Op.LE, state);
      default -> throw Refusals.referenceComparison(session);
    };
  }

  private int compare(Op op, State state) {
    int b = state.pop();
    return tape.apply(op, state.pop(), b);
  }

  /** Returns the row that a return instruction returns, of the method's result type. */
  int returned(State state) {
    int row = state.pop();
    return code.signature().result() == 'Z' ? logic.toBool(row) : row;
  }
}
