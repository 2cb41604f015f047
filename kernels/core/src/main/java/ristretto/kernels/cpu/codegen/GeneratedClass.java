package ristretto.kernels.cpu.codegen;

import static java.lang.classfile.ClassFile.ACC_FINAL;
import static java.lang.classfile.ClassFile.ACC_SUPER;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.SourceFileAttribute;
import java.lang.constant.ClassDesc;
import java.util.function.Consumer;

/** Class files of generated code. */
final class GeneratedClass {
  private GeneratedClass() {}

  /** Returns a final class with a constructor and the members that {@code members} adds. */
  static byte[] write(ClassDesc name, ClassDesc implemented, Consumer<ClassBuilder> members) {
    return ClassFile.of()
        .build(
            name,
            builder -> {
              builder
                  .withFlags(ACC_FINAL | ACC_SUPER)
                  .withInterfaceSymbols(implemented)
                  .with(SourceFileAttribute.of("generated"))
                  .withMethodBody(
                      "<init>",
                      MTD_void,
                      0,
                      code -> code.aload(0).invokespecial(CD_Object, "<init>", MTD_void).return_());
              members.accept(builder);
            });
  }
}
