package ristretto.kernels.cpu.codegen;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.ScalarType;

/**
 * Bytecode {@code static void (long area, long lanes)} that calls a scalar function for selected
 * lanes of vector code. Arguments and result are in an area of memory with {@link #VECTOR_BYTES}
 * for each.
 */
final class LaneCalls {
  static final int VECTOR_BYTES = 64;
  static final MethodTypeDesc DESCRIPTOR = MethodTypeDesc.of(CD_void, CD_long, CD_long);

  private static final ClassDesc LONG = ClassDesc.of("java.lang.Long");

  private LaneCalls() {}

  /** Bytes of the area of one call. */
  static int areaBytes(int arguments) {
    return (arguments + 1) * VECTOR_BYTES;
  }

  static void write(CodeBuilder code, Function function, FunctionTable functions) {
    int lane = code.allocateLocal(TypeKind.LONG);
    Label top = code.newLabel();
    Label end = code.newLabel();
    code.labelBinding(top).lload(2).lconst_0().lcmp().ifeq(end);
    code.lload(2).invokestatic(LONG, "numberOfTrailingZeros", MethodTypeDesc.of(CD_int, CD_long));
    code.i2l().lstore(lane);
    int arguments = function.parameters().size();
    ScalarType result = Descriptors.memoryType(function.result());
    address(code, result, arguments, lane);
    for (int k = 0; k < arguments; k++) {
      ScalarType type = Descriptors.memoryType(function.parameters().get(k));
      address(code, type, k, lane);
      code.invokeinterface(
          Descriptors.SEGMENT,
          "get",
          MethodTypeDesc.of(Descriptors.primitive(type), Descriptors.layout(type), CD_long));
    }
    functions.call(code, function);
    code.invokeinterface(
        Descriptors.SEGMENT,
        "set",
        MethodTypeDesc.of(
            CD_void, Descriptors.layout(result), CD_long, Descriptors.primitive(result)));
    code.lload(2).lload(2).lconst_1().lsub().land().lstore(2).goto_(top);
    code.labelBinding(end).return_();
  }

  private static void address(CodeBuilder code, ScalarType type, int k, int lane) {
    code.getstatic(Descriptors.RAW, "ALL", Descriptors.SEGMENT)
        .getstatic(Descriptors.RAW, type.name(), Descriptors.layout(type))
        .lload(0)
        .loadConstant((long) k * VECTOR_BYTES)
        .ladd()
        .lload(lane)
        .loadConstant((long) type.bytes())
        .lmul()
        .ladd();
  }
}
