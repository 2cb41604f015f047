package ristretto.kernels.cpu;

import static java.lang.classfile.ClassFile.ACC_FINAL;
import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_STATIC;
import static java.lang.classfile.ClassFile.ACC_SUPER;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.SourceFileAttribute;
import java.lang.constant.ClassDesc;

/**
 * Class file of a plan of scalar segments, an {@link ArrayCode}: {@code run} calls the segments in
 * order.
 */
final class ArrayStripClass {
  private final Plan plan;
  private final ArrayLayout layout;
  private final ClassDesc self;
  private final FunctionTable functions;

  private ArrayStripClass(Plan plan, ArrayLayout layout, ClassDesc self) {
    this.plan = plan;
    this.layout = layout;
    this.self = self;
    this.functions = new FunctionTable(self);
  }

  static byte[] write(Plan plan, ArrayLayout layout, ClassDesc name) {
    return new ArrayStripClass(plan, layout, name).write();
  }

  private byte[] write() {
    return ClassFile.of()
        .build(
            self,
            builder -> {
              builder
                  .withFlags(ACC_FINAL | ACC_SUPER)
                  .withInterfaceSymbols(Names.ARRAY_CODE)
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
    for (int k = 0; k < functions.functions().size(); k++) {
      var function = functions.functions().get(k);
      builder.withMethodBody(
          functions.method(function),
          FunctionTable.descriptor(function),
          ACC_STATIC,
          code -> FunctionCode.write(code, function, functions));
    }
  }
}
