package ristretto.kernels.lift;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.reflect.Field;
import java.util.Locale;
import ristretto.kernels.LambdaException;

/** Exceptions for lambdas that cannot be lifted, each with the rule and a replacement. */
final class Refusals {
  private static final String NO_OBJECTS = "a lambda may not use objects";
  private static final String PRIMITIVES = "compute with primitives";

  private Refusals() {}

  static LambdaException notALambda(Class<?> type) {
    return new LambdaException(
        "[lambda] an operation takes a lambda or a method reference; got an object of the class "
            + type.getName()
            + "; write v -> method(v), with the code in a static method");
  }

  static LambdaException instanceReference(String from, String owner, String name) {
    return new LambdaException(
        ("[lambda] a method reference must name a static method; got %s::%s in %s; make the"
                + " method static, or write a lambda")
            .formatted(binaryName(owner), name, binaryName(from)));
  }

  static LambdaException instruction(LiftSession session, Instruction instruction) {
    Opcode opcode = instruction.opcode();
    return switch (opcode.kind()) {
      case ARRAY_LOAD -> array(session, "a read of an array element");
      case ARRAY_STORE -> array(session, "a write to an array element");
      case OPERATOR -> array(session, "an array's length");
      case NEW_OBJECT -> allocation(session, ((NewObjectInstruction) instruction).className());
      case NEW_PRIMITIVE_ARRAY -> {
        String type =
            ((NewPrimitiveArrayInstruction) instruction).typeKind().name().toLowerCase(Locale.ROOT);
        yield array(session, "new " + type + "[]");
      }
      case NEW_REF_ARRAY -> {
        ClassEntry type = ((NewReferenceArrayInstruction) instruction).componentType();
        yield array(session, "new " + binaryName(type.asInternalName()) + "[]");
      }
      case NEW_MULTI_ARRAY -> array(session, "a new array of several dimensions");
      case THROW_EXCEPTION -> thrown(session, "a throw statement");
      case MONITOR ->
          session.refuse(
              "a lambda may not synchronize",
              "a synchronized block",
              "remove it: a lambda has no side effects");
      case TYPE_CHECK -> {
        String type = binaryName(((TypeCheckInstruction) instruction).type().asInternalName());
        String what = opcode == Opcode.INSTANCEOF ? "instanceof " : "a cast to ";
        yield session.refuse(NO_OBJECTS, what + type, PRIMITIVES);
      }
      case INVOKE_DYNAMIC -> dynamic(session, (InvokeDynamicInstruction) instruction);
      case CONSTANT -> constant(session, ((ConstantInstruction) instruction).constantValue());
      default ->
          session.refuse(
              NO_OBJECTS, "the instruction " + opcode.name().toLowerCase(Locale.ROOT), PRIMITIVES);
    };
  }

  private static LambdaException array(LiftSession session, String got) {
    return session.refuse(
        "a lambda may not use arrays",
        got,
        "make the array a tensor and pass it, or what take() reads of it, as a further input");
  }

  private static LambdaException allocation(LiftSession session, ClassEntry type) {
    String name = binaryName(type.asInternalName());
    return name.endsWith("Exception") || name.endsWith("Error")
        ? thrown(session, "new " + name)
        : session.refuse("a lambda may not create objects", "new " + name, PRIMITIVES);
  }

  private static LambdaException thrown(LiftSession session, String got) {
    return session.refuse(
        "a lambda may not throw exceptions",
        got,
        "return a value that marks the failure, such as NaN");
  }

  static LambdaException tryBlock(LiftSession session) {
    return session.refuse(
        "a lambda may not catch exceptions",
        "a try block",
        "remove it: arithmetic in a kernel never throws");
  }

  private static LambdaException dynamic(
      LiftSession session, InvokeDynamicInstruction instruction) {
    String bootstrap = instruction.bootstrapMethod().owner().descriptorString();
    if (bootstrap.endsWith("/StringConcatFactory;")) {
      return session.refuse(NO_OBJECTS, "a string concatenation", PRIMITIVES);
    }
    if (bootstrap.endsWith("/LambdaMetafactory;")) {
      return session.refuse(
          NO_OBJECTS, "another lambda or method reference", "call a static method");
    }
    if (bootstrap.endsWith("/SwitchBootstraps;")) {
      return session.refuse(
          NO_OBJECTS,
          "a switch over patterns, objects or long values",
          "switch over an int, or use if");
    }
    return session.refuse(
        NO_OBJECTS, "the dynamic call " + instruction.name().stringValue(), PRIMITIVES);
  }

  private static LambdaException constant(LiftSession session, Object value) {
    String got = value instanceof String ? "a string" : "null, a class or another constant object";
    return session.refuse(NO_OBJECTS, got, PRIMITIVES);
  }

  static LambdaException referenceComparison(LiftSession session) {
    return session.refuse(NO_OBJECTS, "a comparison of references", PRIMITIVES);
  }

  static LambdaException field(LiftSession session, FieldInstruction instruction) {
    String field =
        binaryName(instruction.owner().asInternalName()) + "." + instruction.name().stringValue();
    return instruction.opcode() == Opcode.GETFIELD
        ? session.refuse(
            "a lambda may read parameters, local variables and static final fields only",
            "a read of the field " + field,
            "copy it to a local variable before the lambda and use that")
        : session.refuse(
            "a lambda may not write to fields",
            "a write to the field " + field,
            "return the value and assign it to a tensor");
  }

  static LambdaException objectField(LiftSession session, String owner, String name) {
    return session.refuse(
        "a lambda may read static final fields of primitive types only",
        "a read of the object in " + binaryName(owner) + "." + name,
        "use primitives, and a tensor for an array");
  }

  static LambdaException mutableField(LiftSession session, String owner, String name) {
    return session.refuse(
        "a lambda may read parameters, local variables and static final fields only",
        "a read of the field " + binaryName(owner) + "." + name + ", which is not final,",
        "copy it to a local variable before the lambda and use that");
  }

  static LambdaException closedField(LiftSession session, Field field) {
    Class<?> owner = field.getDeclaringClass();
    return session.refuse(
        "a static final field must be accessible to ristretto.kernels",
        "a read of %s.%s, whose package the module %s does not open,"
            .formatted(owner.getName(), field.getName(), owner.getModule().getName()),
        "open the package to ristretto.kernels, or copy the field to a local variable before the"
            + " lambda");
  }

  static LambdaException instanceCall(LiftSession session, InvokeInstruction call) {
    String owner = call.owner().asInternalName();
    String name = call.name().stringValue();
    if (isBox(owner) && name.endsWith("Value")) {
      return session.refuse(
          "a lambda may not use boxed numbers", "an unboxing of " + binaryName(owner), PRIMITIVES);
    }
    return session.refuse(
        "a lambda may call static methods only",
        "a call of the instance method " + call(owner, name, call.type().stringValue()),
        "make the method static, or compute the value before the lambda");
  }

  static LambdaException objectCall(
      LiftSession session, String owner, String name, String descriptor) {
    if (isBox(owner) && name.equals("valueOf")) {
      return session.refuse(
          "a lambda may not use boxed numbers", "a boxing to " + binaryName(owner), PRIMITIVES);
    }
    return session.refuse(
        "a method that a lambda calls must take and return primitives",
        "a call of " + call(owner, name, descriptor),
        "compute with primitives, or call it before the lambda");
  }

  static LambdaException libraryCall(
      LiftSession session, String owner, String name, String descriptor, LambdaException cause) {
    String got = "a call of " + call(owner, name, descriptor);
    return name.equals("random")
        ? session.refuse(
            "a lambda must give equal results for equal arguments",
            got,
            "pass uniform(...) as a further input",
            cause)
        : session.refuse(
            "a library method that a lambda calls must compute with primitives and never throw",
            got,
            "use operators, or call it before the lambda",
            cause);
  }

  static LambdaException recursion(LiftSession session, MethodCode callee) {
    return session.refuse(
        "a method that a lambda calls may not be recursive",
        "a call of " + callee.place().name() + ", which has not returned yet,",
        "write a loop");
  }

  static LambdaException endless(LiftSession session) {
    return session.refuse(
        "a lambda must return", "a loop that never ends", "give the loop an exit");
  }

  static LambdaException noClass(LiftSession session, String owner) {
    return session.refuse(
        "a class that a lambda uses must be present",
        "no class " + binaryName(owner),
        "add it to the class path");
  }

  static LambdaException noBytecode(LiftSession session, Class<?> type) {
    return session.refuse(
        "the class files of a lambda and of the methods it calls must be readable",
        "no resource "
            + type.getName().replace('.', '/')
            + ".class from the loader of the class "
            + type.getName(),
        "load the class with a class loader that supports getResourceAsStream");
  }

  static LambdaException noCode(LiftSession session, String owner, String name, String descriptor) {
    return session.refuse(
        "a method that a lambda calls must have bytecode",
        "a call of " + call(owner, name, descriptor) + ", which is native, abstract or missing,",
        "call it before the lambda");
  }

  private static boolean isBox(String owner) {
    return switch (owner) {
      case "java/lang/Float",
          "java/lang/Double",
          "java/lang/Integer",
          "java/lang/Long",
          "java/lang/Boolean",
          "java/lang/Short",
          "java/lang/Byte",
          "java/lang/Character" ->
          true;
      default -> false;
    };
  }

  /** Returns the simple name of classes in java.lang, the full name of others. */
  private static String binaryName(String internal) {
    String name = internal.replace('/', '.');
    return name.startsWith("java.lang.") && name.indexOf('.', 10) < 0 ? name.substring(10) : name;
  }

  /** Formats a call: {@code Math.max(int, int)}. */
  private static String call(String owner, String name, String descriptor) {
    var text = new StringBuilder(binaryName(owner)).append('.').append(name).append('(');
    var types = java.lang.constant.MethodTypeDesc.ofDescriptor(descriptor).parameterList();
    for (int k = 0; k < types.size(); k++) {
      text.append(k == 0 ? "" : ", ").append(types.get(k).displayName());
    }
    return text.append(')').toString();
  }
}
