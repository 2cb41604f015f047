package ristretto.kernels.cpu;

import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Bytecode {@code static void (long lanes, long to)} that folds the lanes of an accumulator by
 * vectors, with bits equal to those of {@link LaneFolds}.
 */
final class VectorFoldCode {
  static final MethodTypeDesc DESCRIPTOR = MethodTypeDesc.of(CD_void, CD_long, CD_long);

  private static final Tape NONE = new TapeBuilder().build();
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
   * LaneFolds}.
   */
  private void sum() {
    int width = Math.min(lanes, VectorHardware.lanes(ScalarType.F64));
    var rows = rows(width);
    vectors(rows, width, "ADD", ScalarType.F64);
    rows.store(ScalarType.F64, () -> code.lload(LANES));
    code.lload(LANES)
        .loadConstant(width)
        .lload(TO)
        .loadConstant(fold.wide() ? 1 : 0)
        .invokestatic(
            Names.LANE_FOLDS,
            "sum",
            MethodTypeDesc.of(CD_void, CD_long, CD_int, CD_long, CD_boolean));
  }

  private void extreme() {
    int width = Math.min(lanes, VectorHardware.lanes(ScalarType.F32));
    vectors(rows(width), width, fold.kind().name(), fold.type());
    ClassDesc vector = Names.vector(ScalarType.F32);
    code.getstatic(Names.OPERATORS, fold.kind().name(), Names.ASSOCIATIVE)
        .invokevirtual(vector, "reduceLanes", MethodTypeDesc.of(CD_float, Names.ASSOCIATIVE))
        .lload(TO)
        .loadConstant(fold.wide() ? 1 : 0)
        .invokestatic(
            Names.LANE_FOLDS, "extreme", MethodTypeDesc.of(CD_void, CD_float, CD_long, CD_boolean));
  }

  private VectorRows rows(int width) {
    return new VectorRows(code, NONE, null, width, 0, VectorRows.NONE, ScalarType.F32);
  }

  /** Pushes the combination of all vectors of {@code width} lanes, in {@code type}. */
  private void vectors(VectorRows rows, int width, String operator, ScalarType type) {
    int count = lanes / width;
    int[] locals = new int[count];
    for (int v = 0; v < count; v++) {
      long offset = (long) fold.type().bytes() * width * v;
      rows.load(fold.type(), () -> code.lload(LANES).loadConstant(offset).ladd());
      if (type != fold.type()) {
        rows.convert(fold.type(), type);
      }
      locals[v] = code.allocateLocal(TypeKind.REFERENCE);
      code.astore(locals[v]);
    }
    ClassDesc vector = Names.vector(type);
    for (int half = count / 2; half > 0; half /= 2) {
      for (int v = 0; v < half; v++) {
        code.aload(locals[v])
            .getstatic(Names.OPERATORS, operator, Names.ASSOCIATIVE)
            .aload(locals[v + half])
            .invokevirtual(
                vector, "lanewise", MethodTypeDesc.of(vector, Names.BINARY, Names.VECTOR))
            .astore(locals[v]);
      }
    }
    code.aload(locals[0]);
  }
}
