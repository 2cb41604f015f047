package ristretto.kernels.cpu;

import static java.lang.classfile.ClassFile.ACC_STATIC;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.function.Consumer;

/**
 * Calls of all segments of a generated class in order: of many in groups, so that no method passes
 * the 8,000 bytes up to which HotSpot compiles.
 *
 * @param count of the methods {@link #SEGMENT}0, {@link #SEGMENT}1 and so on of {@code self}
 */
record SegmentCalls(ClassDesc self, MethodTypeDesc descriptor, int count) {
  static final String SEGMENT = "segment";

  private static final String GROUP = "group";
  private static final int MOST = 200;

  /**
   * @param arguments pushes what a segment takes, in the parameters of one
   */
  void defineGroups(ClassBuilder builder, Consumer<CodeBuilder> arguments) {
    for (int from = 0; count > MOST && from < count; from += MOST) {
      int first = from;
      builder.withMethodBody(
          GROUP + from / MOST,
          descriptor,
          ACC_STATIC,
          code -> {
            calls(code, SEGMENT, first, Math.min(count, first + MOST), arguments);
            code.return_();
          });
    }
  }

  /**
   * @param arguments pushes what a segment takes, where the calls are made
   */
  void write(CodeBuilder code, Consumer<CodeBuilder> arguments) {
    if (count > MOST) {
      calls(code, GROUP, 0, (count + MOST - 1) / MOST, arguments);
    } else {
      calls(code, SEGMENT, 0, count, arguments);
    }
  }

  private void calls(
      CodeBuilder code, String method, int from, int to, Consumer<CodeBuilder> arguments) {
    for (int k = from; k < to; k++) {
      arguments.accept(code);
      code.invokestatic(self, method + k, descriptor);
    }
  }
}
