package ristretto.kernels.cpu.codegen;

import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.cpu.strip.LaneFold;
import ristretto.kernels.cpu.strip.ScalarLaneFolds;
import ristretto.kernels.scalar.ScalarType;

/**
 * Bytecode {@code static void (long lanes, long to)} that folds the lanes of an accumulator by
 * vectors, with bits equal to those of {@link ScalarLaneFolds}.
 */
final class VectorFoldCode {
  static final MethodTypeDesc DESCRIPTOR = MethodTypeDesc.of(CD_void, CD_long, CD_long);

  private static final int LANES = 0;
  private static final int TO = 2;

  private final CodeBuilder code;
  private final LaneFold fold;
  private final int lanes;

  private VectorFoldCode(CodeBuilder code, LaneFold fold, int lanes) {
    this.code = code;
    this.fold = fold;
    this.lanes = lanes;
  }

  static boolean supports(LaneFold fold) {
    return VectorHardware.PRESENT
        && (fold.sums()
            ? VectorHardware.lanes(ScalarType.F64) >= 2
            : fold.type() == ScalarType.F32);
  }

  /**
   * Generates the code.
   *
   * @param lanes logical lanes of the accumulator
   */
  static void write(CodeBuilder code, LaneFold fold, int lanes) {
    var self = new VectorFoldCode(code, fold, lanes);
    if (fold.sums()) {
      self.sum();
    } else {
      self.extreme();
    }
    code.return_();
  }

  /**
   * Adds halves until one vector is left, which is stored over the lanes and summed by {@link
   * ScalarLaneFolds}.
   */
  private void sum() {
    int width = Math.min(lanes, VectorHardware.lanes(ScalarType.F64));
    var vectors = new VectorInstructions(code, width);
    combine(vectors, "ADD", ScalarType.F64);
    vectors.store(ScalarType.F64, () -> code.lload(LANES));
    code.lload(LANES)
        .loadConstant(width)
        .lload(TO)
        .loadConstant(fold.wide() ? 1 : 0)
        .invokestatic(
            Descriptors.LANE_FOLDS,
            "sum",
            MethodTypeDesc.of(CD_void, CD_long, CD_int, CD_long, CD_boolean));
  }

  private void extreme() {
    int width = Math.min(lanes, VectorHardware.lanes(ScalarType.F32));
    combine(new VectorInstructions(code, width), fold.kind().name(), fold.type());
    ClassDesc vector = Descriptors.vector(ScalarType.F32);
    code.getstatic(Descriptors.OPERATORS, fold.kind().name(), Descriptors.ASSOCIATIVE)
        .invokevirtual(vector, "reduceLanes", MethodTypeDesc.of(CD_float, Descriptors.ASSOCIATIVE))
        .lload(TO)
        .loadConstant(fold.wide() ? 1 : 0)
        .invokestatic(
            Descriptors.LANE_FOLDS,
            "extreme",
            MethodTypeDesc.of(CD_void, CD_float, CD_long, CD_boolean));
  }

  /** Pushes the combination of all vectors, in {@code type}. */
  private void combine(VectorInstructions vectors, String operator, ScalarType type) {
    int width = vectors.lanes();
    int count = lanes / width;
    int[] locals = new int[count];
    for (int v = 0; v < count; v++) {
      long offset = (long) fold.type().bytes() * width * v;
      vectors.load(fold.type(), () -> code.lload(LANES).loadConstant(offset).ladd());
      if (type != fold.type()) {
        vectors.convert(fold.type(), type);
      }
      locals[v] = code.allocateLocal(TypeKind.REFERENCE);
      code.astore(locals[v]);
    }
    for (int half = count / 2; half > 0; half /= 2) {
      for (int v = 0; v < half; v++) {
        int other = locals[v + half];
        code.aload(locals[v]);
        vectors.binary(type, operator, Descriptors.ASSOCIATIVE, () -> code.aload(other));
        code.astore(locals[v]);
      }
    }
    code.aload(locals[0]);
  }
}
