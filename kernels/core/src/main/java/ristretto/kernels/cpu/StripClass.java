package ristretto.kernels.cpu;

import static java.lang.classfile.ClassFile.ACC_FINAL;
import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_STATIC;
import static java.lang.classfile.ClassFile.ACC_SUPER;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.SourceFileAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

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

  /** Parameters of {@code run}. */
  static final int POINTERS = 1;

  static final int STRIDES = 2;
  private static final int ROWS = 3;
  static final int N = 4;
  private static final int SCRATCH = 5;

  private final Plan plan;
  private final ClassDesc self;
  private final FunctionTable functions;
  private final SegmentCalls calls;

  private StripClass(Plan plan, ClassDesc self) {
    this.plan = plan;
    this.self = self;
    this.functions = new FunctionTable(self);
    this.calls = new SegmentCalls(self, SegmentCode.DESCRIPTOR, plan.segments().size());
  }

  static byte[] write(Plan plan, ClassDesc name) {
    return new StripClass(plan, name).write();
  }

  private byte[] write() {
    return ClassFile.of()
        .build(
            self,
            builder -> {
              builder
                  .withFlags(ACC_FINAL | ACC_SUPER)
                  .withInterfaceSymbols(Names.STRIP)
                  .with(SourceFileAttribute.of("generated"));
              members(builder);
            });
  }

  private void members(ClassBuilder builder) {
    builder.withMethodBody(
        "<init>",
        MTD_void,
        0,
        code -> code.aload(0).invokespecial(CD_Object, "<init>", MTD_void).return_());
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
    for (int k = 0; k < functions.functions().size(); k++) {
      var function = functions.functions().get(k);
      builder.withMethodBody(
          functions.method(function),
          FunctionTable.descriptor(function),
          ACC_STATIC,
          code -> FunctionCode.write(code, function, functions));
      for (int lanes : functions.byVector(function)) {
        builder.withMethodBody(
            functions.method(function) + FunctionTable.VECTOR + lanes,
            LaneCalls.DESCRIPTOR,
            ACC_STATIC,
            code -> VectorFunctionCode.write(code, function, functions, lanes));
      }
      if (functions.byLanes(function)) {
        builder.withMethodBody(
            functions.method(function) + FunctionTable.LANES,
            LaneCalls.DESCRIPTOR,
            ACC_STATIC,
            code -> LaneCalls.write(code, function, functions));
      }
    }
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
    code.iconst_0().istore(row);
    if (perCall) {
      folds.begin();
    }
    code.labelBinding(rows).iload(row).iload(ROWS).if_icmpge(end);
    if (!perCall) {
      folds.begin();
    }
    code.iconst_0().istore(from).labelBinding(strips).iload(from).iload(N).if_icmpge(done);
    code.iload(N);
    if (!plan.single()) {
      // n - from does not overflow where from + STRIP may.
      code.iload(from).isub().loadConstant(Plan.STRIP);
      code.invokestatic(Names.MATH, "min", MethodTypeDesc.of(CD_int, CD_int, CD_int));
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

  /**
   * Generates the calls for all full vectors of a strip, then for its last elements in the areas of
   * {@link RestCopy}.
   */
  private void vectors(CodeBuilder code, int row, int from, int to) {
    Label few = code.newLabel();
    Label none = code.newLabel();
    int bound = code.allocateLocal(TypeKind.INT);
    int rest = code.allocateLocal(TypeKind.LONG);
    code.iload(to).iload(to).iload(from).isub().loadConstant(plan.granularity() - 1).iand();
    code.isub().istore(bound).iload(from).iload(bound).if_icmpge(few);
    code.lconst_0().lstore(rest);
    calls(code, row, from, bound, rest);
    code.labelBinding(few).iload(bound).iload(to).if_icmpge(none);
    code.lload(SCRATCH).loadConstant((long) plan.restOffset()).ladd().lstore(rest);
    copy(code, "in", row, bound, to, rest);
    calls(code, row, bound, to, rest);
    copy(code, "out", row, bound, to, rest);
    code.labelBinding(none);
  }

  private void copy(CodeBuilder code, String method, int row, int from, int to, int rest) {
    code.loadConstant(plan.restLayout())
        .aload(POINTERS)
        .aload(STRIDES)
        .iload(row)
        .iload(from)
        .iload(to);
    code.lload(rest);
    MethodTypeDesc descriptor = COPY;
    if (method.equals("in")) {
      code.loadConstant(plan.granularity());
      descriptor = descriptor.insertParameterTypes(7, CD_int);
    }
    code.invokestatic(Names.REST_COPY, method, descriptor);
  }

  private void calls(CodeBuilder code, int row, int from, int to, int rest) {
    calls.write(
        code, c -> c.aload(1).aload(2).iload(row).iload(from).iload(to).lload(5).lload(rest));
  }
}
