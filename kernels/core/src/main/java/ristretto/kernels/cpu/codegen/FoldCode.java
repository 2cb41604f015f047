package ristretto.kernels.cpu.codegen;

import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import ristretto.kernels.cpu.strip.LaneFold;
import ristretto.kernels.cpu.strip.ScalarLaneFolds;

/**
 * Bytecode around the segments of a row in the {@code run} of {@link StripClass}: initializes the
 * accumulators that the strip folds, and folds them after the row.
 */
final class FoldCode {
  private static final MethodTypeDesc CLEAR = MethodTypeDesc.of(CD_void, CD_long, CD_int, CD_long);

  private static final MethodTypeDesc FOLD =
      MethodTypeDesc.of(CD_void, CD_long, CD_int, CD_long, Descriptors.KIND, CD_boolean);

  static final String METHOD = "fold";

  private final CodeBuilder code;
  private final SegmentPlan plan;
  private final ClassDesc self;
  private final int row;

  /**
   * Creates the generator.
   *
   * @param row local of the row number
   */
  FoldCode(CodeBuilder code, SegmentPlan plan, ClassDesc self, int row) {
    this.code = code;
    this.plan = plan;
    this.self = self;
    this.row = row;
  }

  /** Generates the code before the elements of a row or of a call. */
  void begin() {
    Label end = code.newLabel();
    if (plan.startsInRegisters()) {
      // Rows with at least one full step start with constants in registers.
      code.iload(StripClass.N).loadConstant(plan.granularity()).if_icmpge(end);
    }
    for (LaneFold fold : plan.spec().folding().folds()) {
      lanes(fold);
      code.loadConstant(plan.spec().lanes() * fold.type().bytes())
          .loadConstant(fold.pattern())
          .invokestatic(Descriptors.LANE_FOLDS, "clear", CLEAR);
    }
    code.labelBinding(end);
  }

  /** Generates the code after the last element of a row or of a call. */
  void end() {
    var folds = plan.spec().folding().folds();
    for (int k = 0; k < folds.size(); k++) {
      LaneFold fold = folds.get(k);
      lanes(fold);
      if (byVectors(plan, fold)) {
        address(plan.outputPointer(fold.output()));
        code.invokestatic(self, METHOD + k, VectorFoldCode.DESCRIPTOR);
        continue;
      }
      code.loadConstant(plan.spec().lanes());
      address(plan.outputPointer(fold.output()));
      code.getstatic(Descriptors.KIND, fold.kind().name(), Descriptors.KIND)
          .loadConstant(fold.wide() ? 1 : 0)
          .invokestatic(Descriptors.LANE_FOLDS, fold.method(), FOLD);
    }
  }

  /**
   * Returns true if a method of the generated class folds by vectors, rather than {@link
   * ScalarLaneFolds}.
   */
  static boolean byVectors(SegmentPlan plan, LaneFold fold) {
    return plan.vector() && VectorFoldCode.supports(fold);
  }

  private void lanes(LaneFold fold) {
    address(plan.spec().stores().get(fold.output()));
  }

  private void address(int pointer) {
    code.aload(StripClass.POINTERS).loadConstant(pointer).laload();
    if (!plan.spec().folding().perCall()) {
      code.aload(StripClass.STRIDES).loadConstant(pointer).laload();
      code.iload(row).i2l().lmul().ladd();
    }
  }
}
