package ristretto.kernels.cpu;

import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Bytecode generator for rows as vectors of a fixed number of lanes, whatever their type, so that
 * lanes correspond in conversions and masks. A BOOL is a mask; a mask also has an element type
 * (that of the compared vectors) and is cast on use.
 */
final class VectorRows extends Rows {
  static final int NONE = -1;

  private static final MethodTypeDesc TO_LONG = MethodTypeDesc.of(CD_long);

  private final int lanes;
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
  VectorRows(
      CodeBuilder code,
      Tape tape,
      FunctionTable functions,
      int lanes,
      int area,
      int active,
      ScalarType activeType) {
    super(code, tape, functions);
    this.lanes = lanes;
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
      default -> false;
    };
  }

  @Override
  void push(int row) {
    if (!(tape.node(row) instanceof Node.Const c)) {
      code.aload(local(row));
    } else if (c.type() == BOOL) {
      species(F32);
      code.loadConstant((int) c.bits());
      code.invokeinterface(Names.SPECIES, "maskAll", MethodTypeDesc.of(Names.MASK, CD_boolean));
    } else {
      species(c.type());
      ScalarRows.pushConstant(code, c);
      broadcast(c.type());
    }
  }

  /** Pushes the mask of a BOOL row for lanes of {@code type}. */
  void pushMask(int row, ScalarType type) {
    push(row);
    castMask(constant(row) ? F32 : maskOf[row], type);
  }

  void castMask(ScalarType from, ScalarType to) {
    if (from != to) {
      species(to);
      code.invokevirtual(Names.MASK, "cast", MethodTypeDesc.of(Names.MASK, Names.SPECIES));
    }
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

  /** Pushes the species of {@code type} with this generator's lanes. */
  void species(ScalarType type) {
    int bits = lanes * type.bytes() * 8;
    code.getstatic(Names.vector(type), "SPECIES_" + bits, Names.SPECIES);
  }

  /** Broadcasts the scalar on the stack, above its species. */
  void broadcast(ScalarType type) {
    ClassDesc vector = Names.vector(type);
    code.invokestatic(
        vector, "broadcast", MethodTypeDesc.of(vector, Names.SPECIES, Names.primitive(type)));
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
    switch (n.op()) {
      case SELECT -> select(row, n);
      case CONVERT -> convert(row, n);
      case BITCAST -> {
        push(n.a());
        reinterpret(type, n.type());
      }
      case LT, LE, GT, GE, EQ, NE -> {
        if (type == BOOL) {
          maskLogic(row, n);
        } else {
          push(n.a());
          push(n.b());
          compare(n.op(), type);
          maskOf[row] = type;
        }
      }
      case AND, OR, XOR, NOT -> {
        if (type == BOOL) {
          maskLogic(row, n);
        } else {
          arithmetic(n);
        }
      }
      case SHL, SHR, USHR -> shift(n);
      case MULHI -> multiplyHigh(n);
      default -> arithmetic(n);
    }
  }

  /** Compares the two vectors on the stack; pushes the mask. */
  private void compare(Op op, ScalarType type) {
    int b = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(b)
        .getstatic(Names.OPERATORS, op.name(), Names.COMPARISON)
        .aload(b)
        .invokevirtual(
            Names.vector(type),
            "compare",
            MethodTypeDesc.of(Names.MASK, Names.COMPARISON, Names.VECTOR));
  }

  private void arithmetic(Node.Apply n) {
    String operator =
        switch (n.op()) {
          case NEG, ABS, SQRT, ADD, SUB, MUL, DIV, MIN, MAX, FMA, AND, OR, XOR -> n.op().name();
          case BITNOT -> "NOT";
          default -> throw new IllegalStateException(n.op() + " is no vector operation");
        };
    ClassDesc vector = Names.vector(n.type());
    push(n.a());
    switch (n.op().arity()) {
      case 1 ->
          code.getstatic(Names.OPERATORS, operator, Names.UNARY)
              .invokevirtual(vector, "lanewise", MethodTypeDesc.of(vector, Names.UNARY));
      case 2 -> {
        boolean associative = n.op().commutative();
        code.getstatic(Names.OPERATORS, operator, associative ? Names.ASSOCIATIVE : Names.BINARY);
        push(n.b());
        lanewise(vector);
      }
      default -> {
        code.getstatic(Names.OPERATORS, operator, Names.TERNARY);
        push(n.b());
        push(n.c());
        code.invokevirtual(
            vector,
            "lanewise",
            MethodTypeDesc.of(vector, Names.TERNARY, Names.VECTOR, Names.VECTOR));
      }
    }
  }

  /** Applies the binary operator on the stack between its two vectors. */
  private void lanewise(ClassDesc vector) {
    code.invokevirtual(vector, "lanewise", MethodTypeDesc.of(vector, Names.BINARY, Names.VECTOR));
  }

  private void shift(Node.Apply n) {
    ClassDesc vector = Names.vector(n.type());
    String operator =
        switch (n.op()) {
          case SHL -> "LSHL";
          case SHR -> "ASHR";
          default -> "LSHR";
        };
    push(n.a());
    code.getstatic(Names.OPERATORS, operator, Names.BINARY);
    if (tape.node(n.b()) instanceof Node.Const c) {
      // A shift by a uniform count is a single cheap instruction.
      ScalarRows.pushConstant(
          code, new Node.Const(c.type(), c.bits() & (c.type() == I64 ? 63 : 31)));
      code.invokevirtual(
          vector, "lanewise", MethodTypeDesc.of(vector, Names.BINARY, Names.primitive(c.type())));
    } else {
      push(n.b());
      lanewise(vector);
    }
  }

  /** Multiplies even and odd lanes as longs, which C2 recognizes as unsigned 32-bit products. */
  private void multiplyHigh(Node.Apply n) {
    int bits = lanes * 32;
    ClassDesc longs = Names.vector(I64);
    Runnable even =
        () -> {
          code.getstatic(Names.OPERATORS, "AND", Names.ASSOCIATIVE);
          code.getstatic(longs, "SPECIES_" + bits, Names.SPECIES).loadConstant(0xFFFFFFFFL);
          broadcast(I64);
          lanewise(longs);
        };
    Runnable odd = () -> shiftLong("LSHR");
    int a = asLongs(n.a());
    int b = asLongs(n.b());
    product(a, b, even);
    shiftLong("LSHR");
    product(a, b, odd);
    shiftLong("LSHR");
    shiftLong("LSHL");
    int high = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(high).getstatic(Names.OPERATORS, "OR", Names.ASSOCIATIVE).aload(high);
    lanewise(longs);
    code.invokevirtual(longs, "reinterpretAsInts", MethodTypeDesc.of(Names.vector(I32)));
  }

  private int asLongs(int row) {
    push(row);
    int local = code.allocateLocal(TypeKind.REFERENCE);
    code.invokevirtual(
            Names.vector(I32), "reinterpretAsLongs", MethodTypeDesc.of(Names.vector(I64)))
        .astore(local);
    return local;
  }

  private void product(int a, int b, Runnable half) {
    code.aload(a);
    half.run();
    code.getstatic(Names.OPERATORS, "MUL", Names.ASSOCIATIVE).aload(b);
    half.run();
    lanewise(Names.vector(I64));
  }

  private void shiftLong(String operator) {
    ClassDesc longs = Names.vector(I64);
    code.getstatic(Names.OPERATORS, operator, Names.BINARY)
        .loadConstant(32L)
        .invokevirtual(
            longs, "lanewise", MethodTypeDesc.of(longs, Names.BINARY, Names.primitive(I64)));
  }

  private void select(int row, Node.Apply n) {
    if (n.type() == BOOL) {
      ScalarType type = maskType(n.a());
      push(n.a());
      pushMask(n.b(), type);
      maskOp("and");
      pushMask(n.c(), type);
      push(n.a());
      maskOp("andNot");
      maskOp("or");
      maskOf[row] = type;
    } else if (uses.lazy(n.b()) || uses.lazy(n.c())) {
      selectLazily(n);
    } else {
      push(n.c());
      push(n.b());
      pushMask(n.a(), n.type());
      blend(n.type());
    }
  }

  /**
   * Computes a select with lazy calls: starts with the value that is no call, then makes each call
   * if a lane selects it.
   */
  private void selectLazily(Node.Apply n) {
    int result = code.allocateLocal(TypeKind.REFERENCE);
    if (uses.lazy(n.b()) && uses.lazy(n.c())) {
      species(n.type());
      ScalarRows.pushConstant(code, Node.Const.of(n.type(), 0));
      broadcast(n.type());
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
      maskNot();
    }
    andActive(type);
    code.astore(mask).aload(mask);
    code.invokevirtual(Names.MASK, "anyTrue", MethodTypeDesc.of(CD_boolean)).ifeq(none);
    call(call, () -> code.aload(mask).invokevirtual(Names.MASK, "toLong", TO_LONG));
    int called = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(called).aload(result).aload(called).aload(mask);
    blend(type);
    code.astore(result).labelBinding(none);
  }

  /** Restricts the mask on the stack, for lanes of {@code type}, to the active lanes. */
  private void andActive(ScalarType type) {
    if (active != NONE) {
      code.aload(active);
      castMask(activeType, type);
      maskOp("and");
    }
  }

  /** Pushes the result of a function; its arguments and result pass through memory. */
  private void call(Node.Call call, Runnable pushLanes) {
    int arguments = call.arguments().size();
    for (int k = 0; k < arguments; k++) {
      int row = call.arguments().get(k);
      push(row);
      if (type(row) == BOOL) {
        fromMask(maskType(row), I32);
      }
      store(Plan.memoryType(type(row)), area(k));
    }
    code.lload(area);
    pushLanes.run();
    if (VectorFunctions.fits(call.function(), lanes)) {
      functions.callVector(code, call.function(), lanes);
    } else {
      functions.callLanes(code, call.function());
    }
    load(Plan.memoryType(call.type()), area(arguments));
  }

  private void call(int row, Node.Call n) {
    if (active == NONE) {
      call(n, () -> code.loadConstant(lanes == 64 ? -1L : (1L << lanes) - 1));
    } else {
      call(n, () -> code.aload(active).invokevirtual(Names.MASK, "toLong", TO_LONG));
    }
    if (n.type() == BOOL) {
      toMask(I32);
      maskOf[row] = I32;
    }
  }

  private Runnable area(int k) {
    return () -> code.lload(area).loadConstant((long) k * LaneCalls.VECTOR_BYTES).ladd();
  }

  /** Pushes the vector at an address. */
  void load(ScalarType type, Runnable address) {
    ClassDesc vector = Names.vector(type);
    species(type);
    code.getstatic(Names.RAW, "ALL", Names.SEGMENT);
    address.run();
    code.getstatic(Names.RAW, "ORDER", Names.ORDER)
        .invokestatic(
            vector,
            "fromMemorySegment",
            MethodTypeDesc.of(vector, Names.SPECIES, Names.SEGMENT, CD_long, Names.ORDER));
  }

  /** Stores the vector on the stack at an address. */
  void store(ScalarType type, Runnable address) {
    code.getstatic(Names.RAW, "ALL", Names.SEGMENT);
    address.run();
    code.getstatic(Names.RAW, "ORDER", Names.ORDER)
        .invokevirtual(
            Names.vector(type),
            "intoMemorySegment",
            MethodTypeDesc.of(CD_void, Names.SEGMENT, CD_long, Names.ORDER));
  }

  /**
   * Blends the operands on the stack: the value where the mask is false, the value where it is
   * true, and the mask.
   */
  void blend(ScalarType type) {
    ClassDesc vector = Names.vector(type);
    code.invokevirtual(vector, "blend", MethodTypeDesc.of(vector, Names.VECTOR, Names.MASK));
  }

  private void maskLogic(int row, Node.Apply n) {
    ScalarType type = constant(n.a()) && n.b() >= 0 ? maskType(n.b()) : maskType(n.a());
    pushMask(n.a(), type);
    if (n.b() >= 0) {
      pushMask(n.b(), type);
    }
    switch (n.op()) {
      case AND -> maskOp("and");
      case OR -> maskOp("or");
      case XOR, NE -> maskOp("xor");
      case EQ -> {
        maskOp("xor");
        maskNot();
      }
      case NOT -> maskNot();
      default -> throw new IllegalStateException(n.op() + " of masks");
    }
    maskOf[row] = type;
  }

  void maskOp(String method) {
    code.invokevirtual(Names.MASK, method, MethodTypeDesc.of(Names.MASK, Names.MASK));
  }

  private void maskNot() {
    code.invokevirtual(Names.MASK, "not", MethodTypeDesc.of(Names.MASK));
  }

  private void convert(int row, Node.Apply n) {
    ScalarType from = type(n.a());
    ScalarType to = n.type();
    if (from == to) {
      push(n.a());
      maskOf[row] = from == BOOL ? maskType(n.a()) : null;
    } else if (from == BOOL) {
      constant(to, 0);
      constant(to, 1);
      pushMask(n.a(), to);
      blend(to);
    } else if (to == BOOL) {
      push(n.a());
      constant(from, 0);
      compare(Op.NE, from);
      maskOf[row] = from;
    } else {
      push(n.a());
      convert(from, to);
    }
  }

  private void constant(ScalarType type, double value) {
    species(type);
    ScalarRows.pushConstant(code, Node.Const.of(type, value));
    broadcast(type);
  }

  /** Converts the vector on the stack. */
  void convert(ScalarType from, ScalarType to) {
    code.getstatic(Names.OPERATORS, Names.letter(from) + "2" + Names.letter(to), Names.CONVERSION);
    species(to);
    code.iconst_0()
        .invokevirtual(
            Names.vector(from),
            "convertShape",
            MethodTypeDesc.of(Names.VECTOR, Names.CONVERSION, Names.SPECIES, CD_int))
        .checkcast(Names.vector(to));
  }

  private void reinterpret(ScalarType from, ScalarType to) {
    if (from == to) {
      return;
    }
    String method =
        switch (to) {
          case F32 -> "reinterpretAsFloats";
          case F64 -> "reinterpretAsDoubles";
          case I32 -> "reinterpretAsInts";
          default -> "reinterpretAsLongs";
        };
    code.invokevirtual(Names.vector(from), method, MethodTypeDesc.of(Names.vector(to)));
  }

  /** Converts the vector on the stack to the mask of its lanes that are not 0. */
  void toMask(ScalarType type) {
    constant(type, 0);
    compare(Op.NE, type);
  }

  /** Converts the mask on the stack, for lanes of {@code from}, to a vector of 0 and 1. */
  void fromMask(ScalarType from, ScalarType to) {
    castMask(from, to);
    int mask = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(mask);
    constant(to, 0);
    constant(to, 1);
    code.aload(mask);
    blend(to);
  }
}
