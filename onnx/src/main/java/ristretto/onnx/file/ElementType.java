package ristretto.onnx.file;

import ristretto.expr.Ops;
import ristretto.expr.type.DType;
import ristretto.symbolic.onnx.OnnxException;

/**
 * Element type of ONNX, with the dtype that holds its values. The dtypes of types that Ristretto
 * does not have are wider, except that of UINT64, whose values wrap to those of I64.
 */
public enum ElementType {
  /** 32-bit floating point. */
  FLOAT(1, 32, Ops.F32),
  /** 64-bit floating point. */
  DOUBLE(11, 64, Ops.F64),
  /** 16-bit floating point of IEEE 754. */
  FLOAT16(10, 16, Ops.F16),
  /** 16-bit floating point with the exponent of FLOAT. */
  BFLOAT16(16, 16, Ops.BF16),
  /** Signed 8-bit integer. */
  INT8(3, 8, Ops.I8),
  /** Unsigned 8-bit integer. */
  UINT8(2, 8, Ops.U8),
  /** Signed 16-bit integer, held as I32. */
  INT16(5, 16, Ops.I32),
  /** Unsigned 16-bit integer, held as I32. */
  UINT16(4, 16, Ops.I32),
  /** Signed 32-bit integer. */
  INT32(6, 32, Ops.I32),
  /** Unsigned 32-bit integer, held as I64. */
  UINT32(12, 32, Ops.I64),
  /** Signed 64-bit integer. */
  INT64(7, 64, Ops.I64),
  /** Unsigned 64-bit integer, held as the I64 of equal bits. */
  UINT64(13, 64, Ops.I64),
  /** Boolean. */
  BOOL(9, 8, Ops.BOOL),
  /** Signed 4-bit integer, held as I8. */
  INT4(22, 4, Ops.I8),
  /** Unsigned 4-bit integer, held as U8. */
  UINT4(21, 4, Ops.U8),
  /** Signed 2-bit integer, held as I8. */
  INT2(26, 2, Ops.I8),
  /** Unsigned 2-bit integer, held as U8. */
  UINT2(25, 2, Ops.U8),
  /** No type. */
  UNDEFINED(0, 0, null),
  /** Text. */
  STRING(8, 0, null),
  /** Complex number of two FLOAT. */
  COMPLEX64(14, 64, null),
  /** Complex number of two DOUBLE. */
  COMPLEX128(15, 128, null),
  /** 8-bit floating point, 4 bits of exponent, no infinities. */
  FLOAT8E4M3FN(17, 8, null),
  /** 8-bit floating point, 4 bits of exponent, no infinities, no negative zero. */
  FLOAT8E4M3FNUZ(18, 8, null),
  /** 8-bit floating point, 5 bits of exponent. */
  FLOAT8E5M2(19, 8, null),
  /** 8-bit floating point, 5 bits of exponent, no infinities, no negative zero. */
  FLOAT8E5M2FNUZ(20, 8, null),
  /** 4-bit floating point. */
  FLOAT4E2M1(23, 4, null),
  /** 8-bit exponent. */
  FLOAT8E8M0(24, 8, null);

  private final int code;
  private final int bits;
  private final DType<?> dtype;

  ElementType(int code, int bits, DType<?> dtype) {
    this.code = code;
    this.bits = bits;
    this.dtype = dtype;
  }

  /**
   * Returns the type with a number of the ONNX schema.
   *
   * @throws OnnxException if the schema has no type of that number
   */
  public static ElementType of(long code) {
    for (ElementType type : values()) {
      if (type.code == code) {
        return type;
      }
    }
    throw new OnnxException(
        "[onnx] element types must have a number of the ONNX schema, 0 to 26; got %s; export the"
                .formatted(code)
            + " model again, or with an older version of ONNX.");
  }

  /** Returns the type whose values are those of a dtype. */
  public static ElementType of(DType<?> dtype) {
    for (ElementType type : values()) {
      if (type.dtype == dtype && type.bits == 8 * dtype.bytes()) {
        return type;
      }
    }
    throw new AssertionError(dtype);
  }

  /** Number of bits of an element in a file. */
  int bits() {
    return bits;
  }

  /** Returns true if a dtype holds the values. */
  public boolean isSupported() {
    return dtype != null;
  }

  /** Returns true if the dtype that holds the values has other values too. */
  public boolean isEmulated() {
    return dtype != null && of(dtype) != this;
  }

  /** Returns true for unsigned integers. */
  public boolean isUnsigned() {
    return name().startsWith("UINT");
  }

  /** Number of bits of an integer type; 0 for others. */
  public int integerBits() {
    return isUnsigned() || name().startsWith("INT") ? bits : 0;
  }

  /**
   * Returns the dtype that holds the values.
   *
   * @throws OnnxException if there is none
   */
  @SuppressWarnings("unchecked")
  public DType<Object> dtype() {
    if (dtype == null) {
      throw new OnnxException(
          "[onnx] tensors must be of floating-point numbers of 16, 32 or 64 bits, integers or"
              + " booleans; got "
              + this
              + "; convert the model to one of these types.");
    }
    return (DType<Object>) dtype;
  }
}
