package ristretto.kernels.cpu.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/** Bytecode generator for rows in scalar code; a BOOL is an int, 0 or 1. */
final class ScalarTapeCode extends TapeCode {
  private static final ClassDesc FLOAT = ClassDesc.of("java.lang.Float");
  private static final ClassDesc DOUBLE = ClassDesc.of("java.lang.Double");
  private static final ClassDesc FUSED_MULTIPLY_ADD =
      ClassDesc.of(FusedMultiplyAdd.class.getName());

  ScalarTapeCode(CodeBuilder code, Tape tape, FunctionTable functions) {
    super(code, tape, functions);
  }

  @Override
  void push(int row) {
    if (tape.node(row) instanceof Node.Const c) {
      pushConstant(code, c);
    } else {
      code.loadLocal(Descriptors.kind(type(row)), local(row));
    }
  }

  static void pushConstant(CodeBuilder code, Node.Const c) {
    switch (c.type()) {
      case F32 -> code.loadConstant(c.asFloat());
      case F64 -> code.loadConstant(c.asDouble());
      case I32, BOOL -> code.loadConstant((int) c.bits());
      case I64 -> code.loadConstant(c.bits());
      case F16, BF16, I8, U8, I16, U16, U32, U64 -> throw new AssertionError(c);
    }
  }

  @Override
  void define(int row) {
    place(row, code.allocateLocal(Descriptors.kind(type(row))));
    code.storeLocal(Descriptors.kind(type(row)), local(row));
  }

  @Override
  void compute(int row) {
    switch (tape.node(row)) {
      case Node.Apply n -> apply(n);
      case Node.Call n -> call(n);
      case Node.Const _, Node.Input _, Node.Random _ ->
          throw new IllegalStateException("row %" + row);
    }
    define(row);
  }

  private void apply(Node.Apply n) {
    ScalarType type = type(n.a());
    switch (n.op().kind()) {
      case SELECT -> select(n);
      case CAST -> {
        push(n.a());
        if (n.op() == Op.CONVERT) {
          convert(type, n.type());
        } else {
          bitcast(type, n.type());
        }
      }
      case COMPARE -> compare(n, type);
      case NUMERIC, FLOATING, INTEGRAL, LOGICAL, BITWISE -> {
        if (type.isInteger() && (n.op() == Op.DIV || n.op() == Op.REM)) {
          divide(n, type);
        } else {
          pushAll(n);
          arithmetic(n.op(), type);
        }
      }
    }
  }

  private void pushOrCall(int row) {
    if (uses.lazy(row)) {
      call((Node.Call) tape.node(row));
    } else {
      push(row);
    }
  }

  private void call(Node.Call n) {
    n.arguments().forEach(this::push);
    functions.call(code, n.function());
  }

  private void pushAll(Node.Apply n) {
    push(n.a());
    if (n.b() >= 0) {
      push(n.b());
    }
    if (n.c() >= 0) {
      push(n.c());
    }
  }

  private void select(Node.Apply n) {
    Label otherwise = code.newLabel();
    Label end = code.newLabel();
    push(n.a());
    code.ifeq(otherwise);
    pushOrCall(n.b());
    code.goto_(end).labelBinding(otherwise);
    pushOrCall(n.c());
    code.labelBinding(end);
  }

  private void compare(Node.Apply n, ScalarType type) {
    push(n.a());
    push(n.b());
    Label yes = code.newLabel();
    Label end = code.newLabel();
    if (type == ScalarType.I32 || type == ScalarType.BOOL) {
      switch (n.op().relation()) {
        case LESS -> code.if_icmplt(yes);
        case AT_MOST -> code.if_icmple(yes);
        case GREATER -> code.if_icmpgt(yes);
        case AT_LEAST -> code.if_icmpge(yes);
        case EQUAL -> code.if_icmpeq(yes);
        case UNEQUAL -> code.if_icmpne(yes);
      }
    } else {
      // NaN must make < and <= false: compare "greater" on NaN for them, "less" for the others.
      boolean less = n.op() == Op.LT || n.op() == Op.LE;
      switch (type) {
        case I64 -> code.lcmp();
        case F32 -> {
          if (less) {
            code.fcmpg();
          } else {
            code.fcmpl();
          }
        }
        default -> {
          if (less) {
            code.dcmpg();
          } else {
            code.dcmpl();
          }
        }
      }
      switch (n.op().relation()) {
        case LESS -> code.iflt(yes);
        case AT_MOST -> code.ifle(yes);
        case GREATER -> code.ifgt(yes);
        case AT_LEAST -> code.ifge(yes);
        case EQUAL -> code.ifeq(yes);
        case UNEQUAL -> code.ifne(yes);
      }
    }
    code.iconst_0().goto_(end).labelBinding(yes).iconst_1().labelBinding(end);
  }

  /** Pushes the quotient or remainder of integers: 0 if the divisor is 0. */
  private void divide(Node.Apply n, ScalarType type) {
    Label zero = code.newLabel();
    Label end = code.newLabel();
    boolean wide = type == ScalarType.I64;
    push(n.b());
    if (wide) {
      code.lconst_0().lcmp();
    }
    code.ifeq(zero);
    push(n.a());
    push(n.b());
    if (n.op() == Op.DIV) {
      by(type, code::idiv, code::ldiv, null, null);
    } else {
      by(type, code::irem, code::lrem, null, null);
    }
    code.goto_(end).labelBinding(zero);
    if (wide) {
      code.lconst_0();
    } else {
      code.iconst_0();
    }
    code.labelBinding(end);
  }

  private void arithmetic(Op op, ScalarType type) {
    switch (op) {
      case ADD -> by(type, code::iadd, code::ladd, code::fadd, code::dadd);
      case SUB -> by(type, code::isub, code::lsub, code::fsub, code::dsub);
      case MUL -> by(type, code::imul, code::lmul, code::fmul, code::dmul);
      case DIV -> by(type, null, null, code::fdiv, code::ddiv);
      case REM -> by(type, null, null, code::frem, code::drem);
      case NEG -> by(type, code::ineg, code::lneg, code::fneg, code::dneg);
      case AND -> by(type, code::iand, code::land, null, null);
      case OR -> by(type, code::ior, code::lor, null, null);
      case XOR -> by(type, code::ixor, code::lxor, null, null);
      case BITNOT ->
          by(type, () -> code.iconst_m1().ixor(), () -> code.loadConstant(-1L).lxor(), null, null);
      case NOT -> code.iconst_1().ixor();
      case SHL -> by(type, code::ishl, () -> code.l2i().lshl(), null, null);
      case SHR -> by(type, code::ishr, () -> code.l2i().lshr(), null, null);
      case USHR -> by(type, code::iushr, () -> code.l2i().lushr(), null, null);
      case MULHI -> multiplyHigh();
      case FMA -> fusedMultiplyAdd(type);
      case MIN, MAX, ABS -> math(op, type);
      case SQRT -> {
        if (type == ScalarType.F32) {
          // A square root rounded to double and then to float is rounded correctly.
          code.f2d();
        }
        math(op, ScalarType.F64);
        if (type == ScalarType.F32) {
          code.d2f();
        }
      }
      case EXP, EXPM1, LOG, LOG10, LOG1P, CBRT, POW, HYPOT -> math(op, requireDouble(op, type));
      case SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2, SINH, COSH, TANH ->
          math(op, requireDouble(op, type));
      case SIGN, EXP2, LOG2, SIGMOID, ASINH, ACOSH, ATANH, ERF, ERFC -> throw unexpanded(op, type);
      case FLOOR, CEIL, TRUNC, RINT, COPYSIGN -> throw unexpanded(op, type);
      case LT, LE, GT, GE, EQ, NE, SELECT, CONVERT, BITCAST -> throw unexpanded(op, type);
    }
  }

  private static ScalarType requireDouble(Op op, ScalarType type) {
    if (type != ScalarType.F64) {
      throw unexpanded(op, type);
    }
    return type;
  }

  private static IllegalStateException unexpanded(Op op, ScalarType type) {
    return new IllegalStateException(op + " of " + type + " has not been expanded");
  }

  /** Multiplies the two ints on the stack; pushes the upper half of their unsigned product. */
  private void multiplyHigh() {
    code.i2l().loadConstant(0xFFFFFFFFL).land();
    int b = code.allocateLocal(Descriptors.kind(ScalarType.I64));
    code.lstore(b).i2l().loadConstant(0xFFFFFFFFL).land().lload(b).lmul();
    code.bipush(32).lushr().l2i();
  }

  private void fusedMultiplyAdd(ScalarType type) {
    ClassDesc c = Descriptors.primitive(type);
    ClassDesc holder = FusedMultiplyAdd.IN_HARDWARE ? Descriptors.MATH : FUSED_MULTIPLY_ADD;
    code.invokestatic(holder, "fma", MethodTypeDesc.of(c, c, c, c));
  }

  private void math(Op op, ScalarType type) {
    ClassDesc c = Descriptors.primitive(type);
    ClassDesc[] parameters = new ClassDesc[op.arity()];
    java.util.Arrays.fill(parameters, c);
    code.invokestatic(Descriptors.MATH, op.math(), MethodTypeDesc.of(c, parameters));
  }

  private static void by(ScalarType type, Runnable i, Runnable l, Runnable f, Runnable d) {
    (switch (type) {
          case I32, BOOL -> i;
          case I64 -> l;
          case F32 -> f;
          case F64 -> d;
          case F16, BF16, I8, U8, I16, U16, U32, U64 -> throw new AssertionError(type);
        })
        .run();
  }

  private void convert(ScalarType from, ScalarType to) {
    if (to == ScalarType.BOOL) {
      toBool(from);
    } else {
      // A BOOL is the int 0 or 1.
      code.conversion(Descriptors.kind(from), Descriptors.kind(to));
    }
  }

  private void toBool(ScalarType from) {
    Label yes = code.newLabel();
    Label end = code.newLabel();
    switch (from) {
      case I64 -> code.lconst_0().lcmp();
      case F32 -> code.fconst_0().fcmpl();
      case F64 -> code.dconst_0().dcmpl();
      default -> {}
    }
    code.ifne(yes).iconst_0().goto_(end).labelBinding(yes).iconst_1().labelBinding(end);
  }

  private void bitcast(ScalarType from, ScalarType to) {
    ClassDesc holder = from == ScalarType.F32 || to == ScalarType.F32 ? FLOAT : DOUBLE;
    String method =
        switch (from) {
          case F32 -> "floatToRawIntBits";
          case F64 -> "doubleToRawLongBits";
          case I32 -> "intBitsToFloat";
          default -> "longBitsToDouble";
        };
    if (from != to) {
      code.invokestatic(
          holder,
          method,
          MethodTypeDesc.of(Descriptors.primitive(to), Descriptors.primitive(from)));
    }
  }
}
