package ristretto.kernels.cpu.codegen;

import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/**
 * Bytecode of single operations on vectors of a fixed number of lanes, and on their masks. Operands
 * are on the stack unless stated otherwise; results are pushed. A mask has the element type of the
 * vectors that it was made for.
 */
final class VectorInstructions {
  private final CodeBuilder code;
  private final int lanes;

  VectorInstructions(CodeBuilder code, int lanes) {
    this.code = code;
    this.lanes = lanes;
  }

  int lanes() {
    return lanes;
  }

  /** Pushes the species of {@code type} with this generator's lanes. */
  void species(ScalarType type) {
    species(type, lanes * type.bytes() * 8);
  }

  private void species(ScalarType type, int bits) {
    code.getstatic(Descriptors.vector(type), "SPECIES_" + bits, Descriptors.SPECIES);
  }

  /** Broadcasts the scalar on the stack, above its species. */
  void broadcast(ScalarType type) {
    ClassDesc vector = Descriptors.vector(type);
    code.invokestatic(
        vector,
        "broadcast",
        MethodTypeDesc.of(vector, Descriptors.SPECIES, Descriptors.primitive(type)));
  }

  void constant(Node.Const c) {
    species(c.type());
    ScalarTapeCode.pushConstant(code, c);
    broadcast(c.type());
  }

  void constant(ScalarType type, double value) {
    constant(Node.Const.of(type, value));
  }

  /** Pushes the vector at an address. */
  void load(ScalarType type, Runnable address) {
    ClassDesc vector = Descriptors.vector(type);
    species(type);
    code.getstatic(Descriptors.RAW, "ALL", Descriptors.SEGMENT);
    address.run();
    code.getstatic(Descriptors.RAW, "ORDER", Descriptors.ORDER)
        .invokestatic(
            vector,
            "fromMemorySegment",
            MethodTypeDesc.of(
                vector, Descriptors.SPECIES, Descriptors.SEGMENT, CD_long, Descriptors.ORDER));
  }

  /** Stores the vector on the stack at an address. */
  void store(ScalarType type, Runnable address) {
    code.getstatic(Descriptors.RAW, "ALL", Descriptors.SEGMENT);
    address.run();
    code.getstatic(Descriptors.RAW, "ORDER", Descriptors.ORDER)
        .invokevirtual(
            Descriptors.vector(type),
            "intoMemorySegment",
            MethodTypeDesc.of(CD_void, Descriptors.SEGMENT, CD_long, Descriptors.ORDER));
  }

  void unary(ScalarType type, String operator) {
    ClassDesc vector = Descriptors.vector(type);
    code.getstatic(Descriptors.OPERATORS, operator, Descriptors.UNARY)
        .invokevirtual(vector, "lanewise", MethodTypeDesc.of(vector, Descriptors.UNARY));
  }

  /**
   * Applies an operator to the vector on the stack and to that which {@code second} pushes.
   *
   * @param kind class of the operator: binary or associative
   */
  void binary(ScalarType type, String operator, ClassDesc kind, Runnable second) {
    ClassDesc vector = Descriptors.vector(type);
    code.getstatic(Descriptors.OPERATORS, operator, kind);
    second.run();
    code.invokevirtual(
        vector, "lanewise", MethodTypeDesc.of(vector, Descriptors.BINARY, Descriptors.VECTOR));
  }

  /** Applies an operator to the vector on the stack and to the two that {@code others} pushes. */
  void ternary(ScalarType type, String operator, Runnable others) {
    ClassDesc vector = Descriptors.vector(type);
    code.getstatic(Descriptors.OPERATORS, operator, Descriptors.TERNARY);
    others.run();
    code.invokevirtual(
        vector,
        "lanewise",
        MethodTypeDesc.of(vector, Descriptors.TERNARY, Descriptors.VECTOR, Descriptors.VECTOR));
  }

  /** Applies a binary operator to the vector on the stack and to the scalar {@code second}. */
  void uniform(ScalarType type, String operator, Node.Const second) {
    ClassDesc vector = Descriptors.vector(type);
    code.getstatic(Descriptors.OPERATORS, operator, Descriptors.BINARY);
    ScalarTapeCode.pushConstant(code, second);
    code.invokevirtual(
        vector,
        "lanewise",
        MethodTypeDesc.of(vector, Descriptors.BINARY, Descriptors.primitive(second.type())));
  }

  /**
   * Pushes the high halves of the unsigned products of two vectors of I32, which {@code a} and
   * {@code b} push. Even and odd lanes are multiplied as longs, which C2 recognizes.
   */
  void multiplyHigh(Runnable a, Runnable b) {
    Runnable even =
        () ->
            binary(
                I64,
                "AND",
                Descriptors.ASSOCIATIVE,
                () -> {
                  species(I64, lanes * 32);
                  code.loadConstant(0xFFFFFFFFL);
                  broadcast(I64);
                });
    Runnable odd = () -> shift32("LSHR");
    int x = asLongs(a);
    int y = asLongs(b);
    product(x, y, even);
    shift32("LSHR");
    product(x, y, odd);
    shift32("LSHR");
    shift32("LSHL");
    int high = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(high);
    binary(I64, "OR", Descriptors.ASSOCIATIVE, () -> code.aload(high));
    reinterpret(I64, I32);
  }

  private int asLongs(Runnable push) {
    push.run();
    int local = code.allocateLocal(TypeKind.REFERENCE);
    reinterpret(I32, I64);
    code.astore(local);
    return local;
  }

  private void product(int x, int y, Runnable half) {
    code.aload(x);
    half.run();
    binary(
        I64,
        "MUL",
        Descriptors.ASSOCIATIVE,
        () -> {
          code.aload(y);
          half.run();
        });
  }

  private void shift32(String operator) {
    uniform(I64, operator, new Node.Const(I64, 32));
  }

  /** Converts the vector on the stack. */
  void convert(ScalarType from, ScalarType to) {
    code.getstatic(
        Descriptors.OPERATORS,
        Descriptors.letter(from) + "2" + Descriptors.letter(to),
        Descriptors.CONVERSION);
    species(to);
    code.iconst_0()
        .invokevirtual(
            Descriptors.vector(from),
            "convertShape",
            MethodTypeDesc.of(
                Descriptors.VECTOR, Descriptors.CONVERSION, Descriptors.SPECIES, CD_int))
        .checkcast(Descriptors.vector(to));
  }

  /** Changes the type of the bits on the stack. */
  void reinterpret(ScalarType from, ScalarType to) {
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
    code.invokevirtual(Descriptors.vector(from), method, MethodTypeDesc.of(Descriptors.vector(to)));
  }

  /** Compares the two vectors on the stack; pushes the mask. */
  void compare(Op op, ScalarType type) {
    int b = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(b)
        .getstatic(Descriptors.OPERATORS, op.vector(), Descriptors.COMPARISON)
        .aload(b)
        .invokevirtual(
            Descriptors.vector(type),
            "compare",
            MethodTypeDesc.of(Descriptors.MASK, Descriptors.COMPARISON, Descriptors.VECTOR));
  }

  /**
   * Blends the operands on the stack: the value where the mask is false, the value where it is
   * true, and the mask.
   */
  void blend(ScalarType type) {
    ClassDesc vector = Descriptors.vector(type);
    code.invokevirtual(
        vector, "blend", MethodTypeDesc.of(vector, Descriptors.VECTOR, Descriptors.MASK));
  }

  /** Pushes a mask of all lanes, or of none, for lanes of {@code type}. */
  void maskAll(ScalarType type, boolean all) {
    species(type);
    code.loadConstant(all ? 1 : 0);
    code.invokeinterface(
        Descriptors.SPECIES, "maskAll", MethodTypeDesc.of(Descriptors.MASK, CD_boolean));
  }

  /** Casts the mask on the stack to lanes of another type. */
  void castMask(ScalarType from, ScalarType to) {
    if (from != to) {
      species(to);
      code.invokevirtual(
          Descriptors.MASK, "cast", MethodTypeDesc.of(Descriptors.MASK, Descriptors.SPECIES));
    }
  }

  /** Combines the two masks on the stack: and, andNot, or, xor. */
  void maskOp(String method) {
    code.invokevirtual(
        Descriptors.MASK, method, MethodTypeDesc.of(Descriptors.MASK, Descriptors.MASK));
  }

  void maskNot() {
    code.invokevirtual(Descriptors.MASK, "not", MethodTypeDesc.of(Descriptors.MASK));
  }

  /** Pushes true if the mask on the stack has a lane. */
  void anyTrue() {
    code.invokevirtual(Descriptors.MASK, "anyTrue", MethodTypeDesc.of(CD_boolean));
  }

  /** Converts the mask on the stack to a long with one bit for each lane. */
  void maskToLong() {
    code.invokevirtual(Descriptors.MASK, "toLong", MethodTypeDesc.of(CD_long));
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
