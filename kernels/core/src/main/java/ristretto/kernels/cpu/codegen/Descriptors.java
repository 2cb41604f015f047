package ristretto.kernels.cpu.codegen;

import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;

import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.scalar.ScalarType;

/**
 * Descriptors of the classes that generated code uses, by scalar type. Naming a class does not load
 * it.
 */
final class Descriptors {
  static final ClassDesc STRIP = ClassDesc.of("ristretto.kernels.cpu.strip.Strip");
  static final ClassDesc ARRAY_CODE = ClassDesc.of("ristretto.kernels.cpu.codegen.ArrayCode");
  static final ClassDesc RAW = ClassDesc.of("ristretto.kernels.cpu.memory.RawMemory");
  static final ClassDesc TAIL_COPY = ClassDesc.of("ristretto.kernels.cpu.codegen.TailCopy");
  static final ClassDesc SCALAR_INPUT = ClassDesc.of("ristretto.kernels.cpu.codegen.ScalarInput");
  static final ClassDesc ROW_TABLE = ClassDesc.of("ristretto.kernels.cpu.codegen.RowTable");
  static final ClassDesc LANE_FOLDS = ClassDesc.of("ristretto.kernels.cpu.strip.ScalarLaneFolds");
  static final ClassDesc KIND = ClassDesc.of("ristretto.kernels.ir.Reduction$Kind");
  static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
  static final ClassDesc ORDER = ClassDesc.of("java.nio.ByteOrder");
  static final ClassDesc MATH = ClassDesc.of("java.lang.Math");

  static final ClassDesc VECTOR = vector("Vector");
  static final ClassDesc MASK = vector("VectorMask");
  static final ClassDesc SPECIES = vector("VectorSpecies");
  static final ClassDesc OPERATORS = vector("VectorOperators");
  static final ClassDesc UNARY = vector("VectorOperators$Unary");
  static final ClassDesc BINARY = vector("VectorOperators$Binary");
  static final ClassDesc TERNARY = vector("VectorOperators$Ternary");
  static final ClassDesc ASSOCIATIVE = vector("VectorOperators$Associative");
  static final ClassDesc COMPARISON = vector("VectorOperators$Comparison");
  static final ClassDesc CONVERSION = vector("VectorOperators$Conversion");

  private Descriptors() {}

  private static ClassDesc vector(String name) {
    return ClassDesc.of("jdk.incubator.vector." + name);
  }

  /** Returns the type of a row in scratch memory: masks cross as integers 0 and 1. */
  static ScalarType memoryType(ScalarType type) {
    return type == ScalarType.BOOL ? ScalarType.I32 : type;
  }

  /** Returns the vector class of a type; for BOOL, the mask class. */
  static ClassDesc vector(ScalarType type) {
    return switch (type) {
      case F32 -> vector("FloatVector");
      case F64 -> vector("DoubleVector");
      case I32 -> vector("IntVector");
      case I64 -> vector("LongVector");
      case BOOL -> MASK;
      case F16, BF16, I8, U8, I16, U16, U32, U64 -> throw new AssertionError(type);
    };
  }

  static ClassDesc primitive(ScalarType type) {
    return switch (type) {
      case F32 -> CD_float;
      case F64 -> CD_double;
      case I32, BOOL -> CD_int;
      case I64 -> CD_long;
      case F16, BF16, I8, U8, I16, U16, U32, U64 -> throw new AssertionError(type);
    };
  }

  static TypeKind kind(ScalarType type) {
    return switch (type) {
      case F32 -> TypeKind.FLOAT;
      case F64 -> TypeKind.DOUBLE;
      case I32, BOOL -> TypeKind.INT;
      case I64 -> TypeKind.LONG;
      case F16, BF16, I8, U8, I16, U16, U32, U64 -> throw new AssertionError(type);
    };
  }

  /** Returns the letter of a type in the names of conversions: {@code I2F}. */
  static char letter(ScalarType type) {
    return switch (type) {
      case F32 -> 'F';
      case F64 -> 'D';
      case I32 -> 'I';
      case I64 -> 'L';
      case BOOL, F16, BF16, I8, U8, I16, U16, U32, U64 -> throw new AssertionError(type);
    };
  }

  /** Returns the class of the field of {@link RawMemory} that holds the layout of a type. */
  static ClassDesc layout(ScalarType type) {
    return ClassDesc.of(
        "java.lang.foreign.ValueLayout$Of"
            + switch (type) {
              case F32 -> "Float";
              case F64 -> "Double";
              case I32 -> "Int";
              case I64 -> "Long";
              case BOOL, F16, BF16, I8, U8, I16, U16, U32, U64 -> throw new AssertionError(type);
            });
  }
}
