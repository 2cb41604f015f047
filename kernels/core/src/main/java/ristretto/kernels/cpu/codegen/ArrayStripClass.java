package ristretto.kernels.cpu.codegen;

import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_STATIC;

import java.lang.classfile.ClassBuilder;
import java.lang.constant.ClassDesc;

/**
 * Class file of a plan of scalar segments, an {@link ArrayCode}: {@code run} calls the segments in
 * order.
 */
final class ArrayStripClass {
  private final SegmentPlan plan;
  private final ArrayLayout layout;
  private final ClassDesc self;
  private final FunctionTable functions;

  private ArrayStripClass(SegmentPlan plan, ArrayLayout layout, ClassDesc self) {
    this.plan = plan;
    this.layout = layout;
    this.self = self;
    this.functions = new FunctionTable(self);
  }

  static byte[] write(SegmentPlan plan, ArrayLayout layout, ClassDesc name) {
    return GeneratedClass.write(
        name, Descriptors.ARRAY_CODE, new ArrayStripClass(plan, layout, name)::members);
  }

  private void members(ClassBuilder builder) {
    int count = plan.segments().size();
    var calls = new SegmentCalls(self, ArraySegmentCode.DESCRIPTOR, count);
    builder.withMethodBody(
        "run",
        ArraySegmentCode.DESCRIPTOR,
        ACC_PUBLIC,
        code -> {
          calls.write(code, c -> c.aload(1).iload(2));
          code.return_();
        });
    calls.defineGroups(builder, c -> c.aload(0).iload(1));
    for (int k = 0; k < count; k++) {
      Segment segment = plan.segments().get(k);
      builder.withMethodBody(
          SegmentCalls.SEGMENT + k,
          ArraySegmentCode.DESCRIPTOR,
          ACC_STATIC,
          code -> ArraySegmentCode.write(code, plan, layout, segment, functions));
    }
    functions.define(builder);
  }
}
