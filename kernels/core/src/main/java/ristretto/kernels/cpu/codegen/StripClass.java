package ristretto.kernels.cpu.codegen;

import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_STATIC;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import ristretto.kernels.cpu.strip.LaneFold;
import ristretto.kernels.cpu.strip.Strip;

/**
 * Class file of a plan with vector segments: {@code run} loops over rows and strips and calls the
 * segments in order; each segment and each lifted function is a static method.
 */
final class StripClass {
  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(CD_void, CD_long.arrayType(), CD_long.arrayType(), CD_int, CD_int, CD_long);

  private static final MethodTypeDesc COPY =
      MethodTypeDesc.of(
          CD_void,
          CD_String,
          CD_long.arrayType(),
          CD_long.arrayType(),
          CD_int,
          CD_int,
          CD_int,
          CD_long);

  private static final MethodTypeDesc FILL =
      MethodTypeDesc.of(
          CD_void,
          CD_String,
          CD_long.arrayType(),
          CD_long.arrayType(),
          CD_int,
          CD_int,
          CD_long.arrayType());

  /** Parameters of {@code run}. */
  static final int POINTERS = 1;

  static final int STRIDES = 2;
  private static final int ROWS = 3;
  static final int N = 4;
  private static final int SCRATCH = 5;

  private final SegmentPlan plan;
  private final ClassDesc self;
  private final FunctionTable functions;
  private final SegmentCalls calls;

  /** Local of the pointers that segments get: a {@link RowTable} in strips that gather. */
  private int table = POINTERS;

  private StripClass(SegmentPlan plan, ClassDesc self) {
    this.plan = plan;
    this.self = self;
    this.functions = new FunctionTable(self);
    this.calls = new SegmentCalls(self, SegmentCode.DESCRIPTOR, plan.segments().size());
  }

  static byte[] write(SegmentPlan plan, ClassDesc name) {
    return GeneratedClass.write(name, Descriptors.STRIP, new StripClass(plan, name)::members);
  }

  private void members(ClassBuilder builder) {
    builder.withMethodBody(
        "scratchBytes",
        MethodTypeDesc.of(CD_int),
        ACC_PUBLIC,
        code -> code.loadConstant(plan.scratchBytes()).ireturn());
    builder.withMethodBody("run", RUN, ACC_PUBLIC, this::run);
    int count = plan.segments().size();
    for (int k = 0; k < count; k++) {
      Segment segment = plan.segments().get(k);
      builder.withMethodBody(
          SegmentCalls.SEGMENT + k,
          SegmentCode.DESCRIPTOR,
          ACC_STATIC,
          code -> {
            if (segment.vector()) {
              VectorSegmentCode.write(code, plan, segment, functions);
            } else {
              ScalarSegmentCode.write(code, plan, segment, functions);
            }
          });
    }
    calls.defineGroups(
        builder, c -> c.aload(0).aload(1).iload(2).iload(3).iload(4).lload(5).lload(7));
    var folds = plan.spec().folding().folds();
    for (int k = 0; k < folds.size(); k++) {
      LaneFold fold = folds.get(k);
      if (FoldCode.byVectors(plan, fold)) {
        builder.withMethodBody(
            FoldCode.METHOD + k,
            VectorFoldCode.DESCRIPTOR,
            ACC_STATIC,
            code -> VectorFoldCode.write(code, fold, plan.spec().lanes()));
      }
    }
    functions.define(builder);
  }

  private void run(CodeBuilder code) {
    int row = code.allocateLocal(TypeKind.INT);
    int from = code.allocateLocal(TypeKind.INT);
    int to = code.allocateLocal(TypeKind.INT);
    Label rows = code.newLabel();
    Label end = code.newLabel();
    Label strips = code.newLabel();
    Label done = code.newLabel();
    var folds = new FoldCode(code, plan, self, row);
    boolean perCall = plan.spec().folding().perCall();
    if (plan.gathers()) {
      table = code.allocateLocal(TypeKind.REFERENCE);
      code.loadConstant(plan.tableLayout().length())
          .invokestatic(
              Descriptors.ROW_TABLE, "current", MethodTypeDesc.of(CD_long.arrayType(), CD_int))
          .astore(table);
    }
    code.iconst_0().istore(row);
    if (perCall) {
      folds.begin();
    }
    code.labelBinding(rows).iload(row).iload(ROWS).if_icmpge(end);
    if (!perCall) {
      folds.begin();
    }
    if (plan.gathers()) {
      fillTable(code, row);
    }
    code.iconst_0().istore(from).labelBinding(strips).iload(from).iload(N).if_icmpge(done);
    code.iload(N);
    if (!plan.single()) {
      // n - from does not overflow where from + STRIP may.
      code.iload(from).isub().loadConstant(Strip.LENGTH);
      code.invokestatic(Descriptors.MATH, "min", MethodTypeDesc.of(CD_int, CD_int, CD_int));
      code.iload(from).iadd();
    }
    code.istore(to);
    vectors(code, row, from, to);
    code.iload(to).istore(from).goto_(strips).labelBinding(done);
    if (!perCall) {
      folds.end();
    }
    code.iinc(row, 1).goto_(rows).labelBinding(end);
    if (perCall) {
      folds.end();
    }
    code.return_();
  }

  /** Generates the call that fills the {@link RowTable}, for the first of its rows. */
  private void fillTable(CodeBuilder code, int row) {
    Label filled = code.newLabel();
    code.iload(row).loadConstant(RowTable.ROWS - 1).iand().ifne(filled);
    code.loadConstant(plan.tableLayout()).aload(POINTERS).aload(STRIDES).iload(row).iload(ROWS);
    code.aload(table).invokestatic(Descriptors.ROW_TABLE, "fill", FILL).labelBinding(filled);
  }

  /**
   * Generates the calls for all full vectors of a strip, then for its last elements in the areas of
   * {@link TailCopy}.
   */
  private void vectors(CodeBuilder code, int row, int from, int to) {
    Label few = code.newLabel();
    Label none = code.newLabel();
    int bound = code.allocateLocal(TypeKind.INT);
    int tail = code.allocateLocal(TypeKind.LONG);
    code.iload(to).iload(to).iload(from).isub().loadConstant(plan.granularity() - 1).iand();
    code.isub().istore(bound).iload(from).iload(bound).if_icmpge(few);
    code.lconst_0().lstore(tail);
    calls(code, row, from, bound, tail);
    code.labelBinding(few).iload(bound).iload(to).if_icmpge(none);
    code.lload(SCRATCH).loadConstant((long) plan.tailOffset()).ladd().lstore(tail);
    copy(code, "in", row, bound, to, tail);
    calls(code, row, bound, to, tail);
    copy(code, "out", row, bound, to, tail);
    code.labelBinding(none);
  }

  private void copy(CodeBuilder code, String method, int row, int from, int to, int tail) {
    code.loadConstant(plan.tailLayout())
        .aload(POINTERS)
        .aload(STRIDES)
        .iload(row)
        .iload(from)
        .iload(to);
    code.lload(tail);
    MethodTypeDesc descriptor = COPY;
    if (method.equals("in")) {
      code.loadConstant(plan.granularity());
      descriptor = descriptor.insertParameterTypes(7, CD_int);
    }
    code.invokestatic(Descriptors.TAIL_COPY, method, descriptor);
  }

  private void calls(CodeBuilder code, int row, int from, int to, int tail) {
    calls.write(
        code,
        c -> c.aload(table).aload(STRIDES).iload(row).iload(from).iload(to).lload(5).lload(tail));
  }
}
