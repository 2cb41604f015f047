package ristretto.kernels.cpu.codegen;

import static java.lang.classfile.ClassFile.ACC_STATIC;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.function.Consumer;

/**
 * Calls of all segments of a generated class in order. Many calls are split into groups, so that no
 * method exceeds 8,000 bytes, above which HotSpot does not compile.
 *
 * @param self class of the methods {@link #SEGMENT}0, {@link #SEGMENT}1 and so on
 * @param descriptor descriptor of the methods
 * @param count number of the methods
 */
record SegmentCalls(ClassDesc self, MethodTypeDesc descriptor, int count) {
  static final String SEGMENT = "segment";

  private static final String GROUP = "group";
  private static final int MOST = 200;

  /**
   * Generates the methods of groups, if there are many segments.
   *
   * @param arguments pushes the arguments of a segment inside a method with its descriptor
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
   * Generates the calls of all segments.
   *
   * @param arguments pushes the arguments of a segment at the place of the calls
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
