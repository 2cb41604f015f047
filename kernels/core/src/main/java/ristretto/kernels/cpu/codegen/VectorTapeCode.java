package ristretto.kernels.cpu.codegen;

import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Bytecode generator for rows as vectors of a fixed number of lanes, whatever their type, so that
 * lanes correspond in conversions and masks. A BOOL is a mask; a mask also has an element type
 * (that of the compared vectors) and is cast on use.
 */
final class VectorTapeCode extends TapeCode {
  static final int NONE = -1;

  private final VectorInstructions vectors;
  private final int area;
  private final int active;
  private final ScalarType activeType;
  private final ScalarType[] maskOf;

  /**
   * Creates the generator.
   *
   * @param area local of the address through which calls pass values
   * @param active local of the mask of active lanes, or {@link #NONE} if all are
   * @param activeType element type of that mask
   */
  VectorTapeCode(
      CodeBuilder code,
      Tape tape,
      FunctionTable functions,
      VectorInstructions vectors,
      int area,
      int active,
      ScalarType activeType) {
    super(code, tape, functions);
    this.vectors = vectors;
    this.area = area;
    this.active = active;
    this.activeType = activeType;
    this.maskOf = new ScalarType[tape.size()];
  }

  /** Returns true if the vector units compute a row; other rows go into scalar segments. */
  static boolean supports(Tape tape, int row) {
    if (tape.node(row) instanceof Node.Call call) {
      return VectorFunctions.supports(call.function());
    }
    if (!(tape.node(row) instanceof Node.Apply n)) {
      return false;
    }
    ScalarType from = tape.node(n.a()).type();
    return switch (n.op()) {
      case NEG, ABS, ADD, SUB, MUL, MIN, MAX, FMA, SQRT, SELECT, BITCAST -> true;
      case AND, OR, XOR, BITNOT, NOT, SHL, SHR, USHR, LT, LE, GT, GE, EQ, NE -> true;
      case MULHI -> VectorHardware.BITS >= 128;
      case DIV -> from.isFloat();
      case CONVERT ->
          VectorHardware.CONVERTS_LONGS
              || !(from == I64 && n.type().isFloat() || from.isFloat() && n.type() == I64);
      case SIGN, CBRT, EXP, EXP2, EXPM1, LOG, LOG2, LOG10, LOG1P, SIGMOID, POW, HYPOT -> false;
      case SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2, SINH, COSH, TANH -> false;
      case ASINH, ACOSH, ATANH, ERF, ERFC, FLOOR, CEIL, TRUNC, RINT, REM, COPYSIGN -> false;
    };
  }

  @Override
  void push(int row) {
    if (!(tape.node(row) instanceof Node.Const c)) {
      code.aload(local(row));
    } else if (c.type() == BOOL) {
      vectors.maskAll(F32, c.bits() != 0);
    } else {
      vectors.constant(c);
    }
  }

  /** Pushes the mask of a BOOL row for lanes of {@code type}. */
  void pushMask(int row, ScalarType type) {
    push(row);
    vectors.castMask(constant(row) ? F32 : maskOf[row], type);
  }

  /**
   * Declares the mask in {@code local}, for lanes of {@code type}, to be the value of {@code row}.
   */
  void placeMask(int row, int local, ScalarType type) {
    place(row, local);
    maskOf[row] = type;
  }

  /** Returns the element type of a row's mask. */
  ScalarType maskType(int row) {
    return constant(row) ? F32 : maskOf[row];
  }

  @Override
  void define(int row) {
    place(row, code.allocateLocal(TypeKind.REFERENCE));
    code.astore(local(row));
  }

  @Override
  void compute(int row) {
    switch (tape.node(row)) {
      case Node.Apply n -> apply(row, n);
      case Node.Call n -> call(row, n);
      case Node.Const _, Node.Input _, Node.Random _ ->
          throw new IllegalStateException("row %" + row);
    }
    define(row);
  }

  private void apply(int row, Node.Apply n) {
    ScalarType type = type(n.a());
    switch (n.op().kind()) {
      case SELECT -> select(row, n);
      case CAST -> {
        if (n.op() == Op.CONVERT) {
          convert(row, n);
        } else {
          push(n.a());
          vectors.reinterpret(type, n.type());
        }
      }
      case COMPARE -> {
        if (type == BOOL) {
          maskLogic(row, n);
        } else {
          push(n.a());
          push(n.b());
          vectors.compare(n.op(), type);
          maskOf[row] = type;
        }
      }
      case LOGICAL, BITWISE -> {
        if (type == BOOL) {
          maskLogic(row, n);
        } else {
          arithmetic(n);
        }
      }
      case NUMERIC, FLOATING, INTEGRAL -> {
        if (n.op().cost() == Op.Cost.SHIFT) {
          shift(n);
        } else if (n.op() == Op.MULHI) {
          vectors.multiplyHigh(() -> push(n.a()), () -> push(n.b()));
        } else {
          arithmetic(n);
        }
      }
    }
  }

  private void arithmetic(Node.Apply n) {
    String operator = n.op().vector();
    if (operator == null) {
      throw new IllegalStateException(n.op() + " is no vector operation");
    }
    push(n.a());
    switch (n.op().arity()) {
      case 1 -> vectors.unary(n.type(), operator);
      case 2 -> {
        boolean associative = n.op().commutative();
        vectors.binary(
            n.type(),
            operator,
            associative ? Descriptors.ASSOCIATIVE : Descriptors.BINARY,
            () -> push(n.b()));
      }
      default ->
          vectors.ternary(
              n.type(),
              operator,
              () -> {
                push(n.b());
                push(n.c());
              });
    }
  }

  private void shift(Node.Apply n) {
    push(n.a());
    if (tape.node(n.b()) instanceof Node.Const c) {
      // A shift by a uniform count is a single cheap instruction.
      var count = new Node.Const(c.type(), c.bits() & (c.type() == I64 ? 63 : 31));
      vectors.uniform(n.type(), n.op().vector(), count);
    } else {
      vectors.binary(n.type(), n.op().vector(), Descriptors.BINARY, () -> push(n.b()));
    }
  }

  private void select(int row, Node.Apply n) {
    if (n.type() == BOOL) {
      ScalarType type = maskType(n.a());
      push(n.a());
      pushMask(n.b(), type);
      vectors.maskOp("and");
      pushMask(n.c(), type);
      push(n.a());
      vectors.maskOp("andNot");
      vectors.maskOp("or");
      maskOf[row] = type;
    } else if (uses.lazy(n.b()) || uses.lazy(n.c())) {
      selectLazily(n);
    } else {
      push(n.c());
      push(n.b());
      pushMask(n.a(), n.type());
      vectors.blend(n.type());
    }
  }

  /**
   * Computes a select with lazy calls: starts with the value that is no call, then makes each call
   * if a lane selects it.
   */
  private void selectLazily(Node.Apply n) {
    int result = code.allocateLocal(TypeKind.REFERENCE);
    if (uses.lazy(n.b()) && uses.lazy(n.c())) {
      vectors.constant(n.type(), 0);
    } else {
      push(uses.lazy(n.b()) ? n.c() : n.b());
    }
    code.astore(result);
    if (uses.lazy(n.b())) {
      callWhere(n.a(), true, (Node.Call) tape.node(n.b()), result);
    }
    if (uses.lazy(n.c())) {
      callWhere(n.a(), false, (Node.Call) tape.node(n.c()), result);
    }
    code.aload(result);
  }

  /**
   * Blends the result of {@code call} into local {@code result} where the condition is {@code
   * wanted}.
   */
  private void callWhere(int condition, boolean wanted, Node.Call call, int result) {
    int mask = code.allocateLocal(TypeKind.REFERENCE);
    Label none = code.newLabel();
    ScalarType type = call.type();
    pushMask(condition, type);
    if (!wanted) {
      vectors.maskNot();
    }
    andActive(type);
    code.astore(mask).aload(mask);
    vectors.anyTrue();
    code.ifeq(none);
    call(call, () -> lanesOf(mask));
    int called = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(called).aload(result).aload(called).aload(mask);
    vectors.blend(type);
    code.astore(result).labelBinding(none);
  }

  /** Restricts the mask on the stack, for lanes of {@code type}, to the active lanes. */
  private void andActive(ScalarType type) {
    if (active != NONE) {
      code.aload(active);
      vectors.castMask(activeType, type);
      vectors.maskOp("and");
    }
  }

  /** Pushes the result of a function; its arguments and result pass through memory. */
  private void call(Node.Call call, Runnable pushLanes) {
    int arguments = call.arguments().size();
    for (int k = 0; k < arguments; k++) {
      int row = call.arguments().get(k);
      push(row);
      if (type(row) == BOOL) {
        vectors.fromMask(maskType(row), I32);
      }
      vectors.store(Descriptors.memoryType(type(row)), area(k));
    }
    code.lload(area);
    pushLanes.run();
    if (VectorFunctions.fits(call.function(), vectors.lanes())) {
      functions.callVector(code, call.function(), vectors.lanes());
    } else {
      functions.callLanes(code, call.function());
    }
    vectors.load(Descriptors.memoryType(call.type()), area(arguments));
  }

  private void call(int row, Node.Call n) {
    if (active == NONE) {
      int lanes = vectors.lanes();
      call(n, () -> code.loadConstant(lanes == 64 ? -1L : (1L << lanes) - 1));
    } else {
      call(n, () -> lanesOf(active));
    }
    if (n.type() == BOOL) {
      vectors.toMask(I32);
      maskOf[row] = I32;
    }
  }

  private void lanesOf(int mask) {
    code.aload(mask);
    vectors.maskToLong();
  }

  private Runnable area(int k) {
    return () -> code.lload(area).loadConstant((long) k * LaneCalls.VECTOR_BYTES).ladd();
  }

  private void maskLogic(int row, Node.Apply n) {
    ScalarType type = constant(n.a()) && n.b() >= 0 ? maskType(n.b()) : maskType(n.a());
    pushMask(n.a(), type);
    if (n.b() >= 0) {
      pushMask(n.b(), type);
    }
    if (n.op() != Op.NOT) {
      vectors.maskOp(n.op() == Op.AND ? "and" : n.op() == Op.OR ? "or" : "xor");
    }
    if (n.op() == Op.NOT || n.op() == Op.EQ) {
      vectors.maskNot();
    }
    maskOf[row] = type;
  }

  private void convert(int row, Node.Apply n) {
    ScalarType from = type(n.a());
    ScalarType to = n.type();
    if (from == to) {
      push(n.a());
      maskOf[row] = from == BOOL ? maskType(n.a()) : null;
    } else if (from == BOOL) {
      vectors.constant(to, 0);
      vectors.constant(to, 1);
      pushMask(n.a(), to);
      vectors.blend(to);
    } else if (to == BOOL) {
      push(n.a());
      vectors.constant(from, 0);
      vectors.compare(Op.NE, from);
      maskOf[row] = from;
    } else {
      push(n.a());
      vectors.convert(from, to);
    }
  }
}
