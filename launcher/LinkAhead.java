import static java.lang.classfile.ClassFile.ACC_FINAL;
import static java.lang.classfile.ClassFile.ACC_INTERFACE;
import static java.lang.classfile.ClassFile.ACC_PRIVATE;
import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_STATIC;
import static java.lang.classfile.ClassFile.ACC_SUPER;
import static java.lang.classfile.ClassFile.ACC_SYNTHETIC;
import static java.lang.constant.ConstantDescs.*;

import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodElement;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.NestHostAttribute;
import java.lang.classfile.attribute.NestMembersAttribute;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;

/// Links dynamic call sites of javac at build time: lambdas and method references become classes,
/// switches over types become chains of `instanceof`, and the methods of records become code. At
/// run time, linking takes tens of microseconds to a millisecond each, and the JVM's AOT cache
/// stores no linked call sites while an incubating module is in use. Serializable lambdas stay
/// unchanged, because the engine reads their bytecode.
final class LinkAhead {
  private static final ClassDesc OBJECTS = ClassDesc.of("java.util.Objects");
  private static final ClassDesc BUILDER = ClassDesc.of("java.lang.StringBuilder");

  /// Classes of a jar by file name, and generated classes.
  private final Map<String, byte[]> classes = new TreeMap<>();

  /// Names of generated classes, by the nest host whose private members they access.
  private final Map<ClassDesc, List<ClassDesc>> members = new LinkedHashMap<>();

  private LinkAhead() {}

  static void main(String[] jars) throws IOException {
    try {
      for (String jar : jars) {
        new LinkAhead().jar(Path.of(jar));
      }
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  private void jar(Path jar) throws IOException {
    Path aside = jar.resolveSibling(jar.getFileName() + ".new");
    try (var in = new JarFile(jar.toFile(), false);
        var out = new JarOutputStream(Files.newOutputStream(aside))) {
      for (JarEntry entry : (Iterable<JarEntry>) in.stream()::iterator) {
        byte[] bytes = in.getInputStream(entry).readAllBytes();
        if (entry.getName().endsWith(".class") && !entry.getName().endsWith("-info.class")) {
          classes.put(entry.getName(), bytes);
        } else if (!entry.isDirectory()) {
          put(out, entry.getName(), bytes);
        }
      }
      for (String name : List.copyOf(classes.keySet())) {
        try {
          classes.put(name, new OneClass(ClassFile.of().parse(classes.get(name))).linked());
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException(
              "[link] classes used by linked classes must be on the path; got "
                  + name
                  + " in "
                  + jar.getFileName()
                  + ": "
                  + e.getMessage()
                  + "; put its libraries on the path, or leave out the jar",
              e);
        }
      }
      for (var made : members.entrySet()) {
        classes.computeIfPresent(
            file(made.getKey()), (_, bytes) -> withMembers(bytes, made.getValue()));
      }
      for (var each : classes.entrySet()) {
        put(out, each.getKey(), each.getValue());
      }
    }
    Files.move(aside, jar, StandardCopyOption.REPLACE_EXISTING);
  }

  private static void put(JarOutputStream out, String name, byte[] bytes) throws IOException {
    out.putNextEntry(new JarEntry(name));
    out.write(bytes);
    out.closeEntry();
  }

  private static String file(ClassDesc c) {
    String descriptor = c.descriptorString();
    return descriptor.substring(1, descriptor.length() - 1) + ".class";
  }

  private static byte[] withMembers(byte[] host, List<ClassDesc> made) {
    ClassModel model = ClassFile.of().parse(host);
    var all =
        new ArrayList<ClassDesc>(
            model
                .findAttribute(Attributes.nestMembers())
                .map(a -> a.nestMembers().stream().map(m -> m.asSymbol()).toList())
                .orElse(List.of()));
    all.addAll(made);
    return ClassFile.of()
        .transformClass(
            model,
            ClassTransform.dropping(e -> e instanceof NestMembersAttribute)
                .andThen(
                    ClassTransform.endHandler(b -> b.with(NestMembersAttribute.ofSymbols(all)))));
  }

  /// Class with the methods and classes that are generated for it.
  private final class OneClass {
    private final ClassModel model;
    private final ClassDesc self;
    private final boolean isInterface;
    private final ClassDesc host;
    private final List<Method> methods = new ArrayList<>();
    private int made;

    private interface Body {
      void write(CodeBuilder code);
    }

    private record Method(String name, MethodTypeDesc type, Body body) {}

    OneClass(ClassModel model) {
      this.model = model;
      this.self = model.thisClass().asSymbol();
      this.isInterface = (model.flags().flagsMask() & ACC_INTERFACE) != 0;
      this.host =
          model.findAttribute(Attributes.nestHost()).map(a -> a.nestHost().asSymbol()).orElse(self);
    }

    byte[] linked() {
      CodeTransform code =
          (builder, element) -> {
            if (!(element instanceof InvokeDynamicInstruction i) || !link(builder, i)) {
              builder.with(element);
            }
          };
      byte[] bytes =
          ClassFile.of(ClassFile.ConstantPoolSharingOption.NEW_POOL)
              .transformClass(
                  model,
                  ClassTransform.transformingMethodBodies(
                          m -> m.elementStream().anyMatch(OneClass::hasDynamic), code)
                      .andThen(ClassTransform.endHandler(this::addMethods)));
      return made == 0 ? classes.get(file(self)) : bytes;
    }

    private static boolean hasDynamic(MethodElement element) {
      return element instanceof CodeModel body
          && body.elementStream().anyMatch(InvokeDynamicInstruction.class::isInstance);
    }

    private void addMethods(ClassBuilder builder) {
      for (Method m : methods) {
        builder.withMethodBody(
            m.name, m.type, ACC_PRIVATE | ACC_STATIC | ACC_SYNTHETIC, m.body::write);
      }
    }

    private void call(CodeBuilder code, String kind, MethodTypeDesc type, Body body) {
      String name = "linked$" + kind + made++;
      methods.add(new Method(name, type, body));
      code.invokestatic(self, name, type, isInterface);
    }

    /// Returns true if the instruction was replaced.
    private boolean link(CodeBuilder code, InvokeDynamicInstruction i) {
      DirectMethodHandleDesc by = i.bootstrapMethod();
      List<ConstantDesc> arguments = i.bootstrapArgs();
      String maker = by.owner().displayName() + "." + by.methodName();
      return switch (maker) {
        case "LambdaMetafactory.metafactory" ->
            lambda(
                code,
                i,
                (MethodTypeDesc) arguments.get(0),
                (DirectMethodHandleDesc) arguments.get(1),
                (MethodTypeDesc) arguments.get(2));
        case "SwitchBootstraps.typeSwitch" -> typeSwitch(code, i.typeSymbol(), arguments);
        case "ObjectMethods.bootstrap" ->
            record(
                code,
                i.name().stringValue(),
                i.typeSymbol(),
                arguments.stream()
                    .filter(DirectMethodHandleDesc.class::isInstance)
                    .map(DirectMethodHandleDesc.class::cast)
                    .toList());
        default -> false;
      };
    }

    // Switches

    private boolean typeSwitch(CodeBuilder code, MethodTypeDesc type, List<ConstantDesc> labels) {
      if (!labels.stream().allMatch(ClassDesc.class::isInstance)
          || type.parameterType(0).isPrimitive()) {
        return false;
      }
      call(
          code,
          "switch",
          type,
          c -> {
            var some = c.newLabel();
            c.aload(0).ifnonnull(some).iconst_m1().ireturn().labelBinding(some);
            for (int k = 0; k < labels.size(); k++) {
              var next = c.newLabel();
              c.iload(1).loadConstant(k).if_icmpgt(next);
              c.aload(0).instanceOf((ClassDesc) labels.get(k)).ifeq(next);
              c.loadConstant(k).ireturn().labelBinding(next);
            }
            c.loadConstant(labels.size()).ireturn();
          });
      return true;
    }

    // Records

    private boolean record(
        CodeBuilder code, String name, MethodTypeDesc type, List<DirectMethodHandleDesc> fields) {
      call(
          code,
          name,
          type,
          switch (name) {
            case "hashCode" -> c -> hashCode(c, fields);
            case "equals" -> c -> equals(c, fields);
            default -> c -> toString(c, fields);
          });
      return true;
    }

    private static ClassDesc fieldType(DirectMethodHandleDesc field) {
      return field.invocationType().returnType();
    }

    private void field(CodeBuilder c, int local, DirectMethodHandleDesc field) {
      c.aload(local).getfield(self, field.methodName(), fieldType(field));
    }

    private void hashCode(CodeBuilder c, List<DirectMethodHandleDesc> fields) {
      c.iconst_0();
      for (DirectMethodHandleDesc field : fields) {
        ClassDesc type = fieldType(field);
        c.bipush(31).imul();
        field(c, 0, field);
        if (type.isPrimitive()) {
          c.invokestatic(box(type), "hashCode", MethodTypeDesc.of(CD_int, type));
        } else {
          c.invokestatic(OBJECTS, "hashCode", MethodTypeDesc.of(CD_int, CD_Object));
        }
        c.iadd();
      }
      c.ireturn();
    }

    private void equals(CodeBuilder c, List<DirectMethodHandleDesc> fields) {
      var other = c.newLabel();
      var different = c.newLabel();
      c.aload(0).aload(1).if_acmpne(other).iconst_1().ireturn().labelBinding(other);
      c.aload(1).instanceOf(self).ifeq(different);
      c.aload(1).checkcast(self).astore(2);
      for (DirectMethodHandleDesc field : fields) {
        ClassDesc type = fieldType(field);
        field(c, 0, field);
        field(c, 2, field);
        if (!type.isPrimitive()) {
          c.invokestatic(OBJECTS, "equals", MethodTypeDesc.of(CD_boolean, CD_Object, CD_Object));
          c.ifeq(different);
        } else if (TypeKind.from(type).asLoadable() == TypeKind.INT) {
          c.if_icmpne(different);
        } else {
          c.invokestatic(box(type), "compare", MethodTypeDesc.of(CD_int, type, type));
          c.ifne(different);
        }
      }
      c.iconst_1().ireturn().labelBinding(different).iconst_0().ireturn();
    }

    private void toString(CodeBuilder c, List<DirectMethodHandleDesc> fields) {
      c.new_(BUILDER).dup().invokespecial(BUILDER, INIT_NAME, MTD_void);
      c.loadConstant(self).invokevirtual(CD_Class, "getSimpleName", MethodTypeDesc.of(CD_String));
      append(c, CD_String);
      String before = "[";
      for (DirectMethodHandleDesc field : fields) {
        c.loadConstant(before + field.methodName() + "=");
        append(c, CD_String);
        field(c, 0, field);
        append(c, appended(fieldType(field)));
        before = ", ";
      }
      c.loadConstant(fields.isEmpty() ? "[]" : "]");
      append(c, CD_String);
      c.invokevirtual(BUILDER, "toString", MethodTypeDesc.of(CD_String)).areturn();
    }

    private static ClassDesc appended(ClassDesc type) {
      boolean small = type.equals(CD_byte) || type.equals(CD_short);
      return small ? CD_int : type.isPrimitive() ? type : CD_Object;
    }

    private static void append(CodeBuilder c, ClassDesc type) {
      c.invokevirtual(BUILDER, "append", MethodTypeDesc.of(BUILDER, type));
    }

    // Lambdas

    private boolean lambda(
        CodeBuilder code,
        InvokeDynamicInstruction i,
        MethodTypeDesc erased,
        DirectMethodHandleDesc to,
        MethodTypeDesc instantiated) {
      MethodTypeDesc factory = i.typeSymbol();
      MethodTypeDesc called = to.invocationType();
      var given = new ArrayList<>(factory.parameterList());
      given.addAll(instantiated.parameterList());
      if (given.size() != called.parameterCount()
          || !Conversion.all(given, called.parameterList())
          || !Conversion.exists(called.returnType(), instantiated.returnType())) {
        return false;
      }
      String name = self.displayName() + "$$linked" + made++;
      ClassDesc own = ClassDesc.of(self.packageName(), name);
      ClassDesc type = factory.returnType();
      var parts = new Lambda(own, type, factory.parameterList(), i.name().stringValue());
      classes.put(file(own), parts.write(host, erased, instantiated, to));
      members.computeIfAbsent(host, _ -> new ArrayList<>()).add(own);
      if (factory.parameterCount() == 0) {
        code.getstatic(own, Lambda.ONE, type);
      } else {
        code.invokestatic(own, Lambda.MAKE, factory);
      }
      return true;
    }
  }

  /// Class that replaces a lambda.
  private record Lambda(ClassDesc self, ClassDesc type, List<ClassDesc> captured, String method) {
    static final String ONE = "ONE";
    static final String MAKE = "make";

    byte[] write(
        ClassDesc host,
        MethodTypeDesc erased,
        MethodTypeDesc instantiated,
        DirectMethodHandleDesc to) {
      MethodTypeDesc constructor = MethodTypeDesc.of(CD_void, captured);
      return ClassFile.of()
          .build(
              self,
              b -> {
                b.withFlags(ACC_FINAL | ACC_SUPER | ACC_SYNTHETIC).withInterfaceSymbols(type);
                b.with(NestHostAttribute.of(host));
                for (int k = 0; k < captured.size(); k++) {
                  b.withField("c" + k, captured.get(k), ACC_PRIVATE | ACC_FINAL);
                }
                b.withMethodBody(INIT_NAME, constructor, ACC_PRIVATE, this::construct);
                if (captured.isEmpty()) {
                  b.withField(ONE, type, ACC_STATIC | ACC_FINAL);
                  b.withMethodBody(
                      CLASS_INIT_NAME,
                      MTD_void,
                      ACC_STATIC,
                      c ->
                          c.new_(self)
                              .dup()
                              .invokespecial(self, INIT_NAME, constructor)
                              .putstatic(self, ONE, type)
                              .return_());
                } else {
                  b.withMethodBody(
                      MAKE,
                      constructor.changeReturnType(type),
                      ACC_STATIC,
                      c -> make(c, constructor));
                }
                b.withMethodBody(
                    method, erased, ACC_PUBLIC, c -> call(c, erased, instantiated, to));
              });
    }

    private void construct(CodeBuilder c) {
      c.aload(0).invokespecial(CD_Object, INIT_NAME, MTD_void);
      for (int k = 0; k < captured.size(); k++) {
        c.aload(0)
            .loadLocal(TypeKind.from(captured.get(k)), c.parameterSlot(k))
            .putfield(self, "c" + k, captured.get(k));
      }
      c.return_();
    }

    private void make(CodeBuilder c, MethodTypeDesc constructor) {
      c.new_(self).dup();
      for (int k = 0; k < captured.size(); k++) {
        c.loadLocal(TypeKind.from(captured.get(k)), c.parameterSlot(k));
      }
      c.invokespecial(self, INIT_NAME, constructor).areturn();
    }

    private void call(
        CodeBuilder c,
        MethodTypeDesc erased,
        MethodTypeDesc instantiated,
        DirectMethodHandleDesc to) {
      boolean constructs = to.kind() == DirectMethodHandleDesc.Kind.CONSTRUCTOR;
      MethodTypeDesc called = to.invocationType();
      if (constructs) {
        c.new_(to.owner()).dup();
      }
      for (int k = 0; k < captured.size(); k++) {
        c.aload(0).getfield(self, "c" + k, captured.get(k));
        Conversion.write(c, captured.get(k), called.parameterType(k));
      }
      for (int k = 0; k < erased.parameterCount(); k++) {
        c.loadLocal(TypeKind.from(erased.parameterType(k)), c.parameterSlot(k));
        Conversion.write(c, erased.parameterType(k), instantiated.parameterType(k));
        Conversion.write(
            c, instantiated.parameterType(k), called.parameterType(captured.size() + k));
      }
      MethodTypeDesc type = MethodTypeDesc.ofDescriptor(to.lookupDescriptor());
      switch (to.kind()) {
        case STATIC, INTERFACE_STATIC ->
            c.invokestatic(to.owner(), to.methodName(), type, to.isOwnerInterface());
        case CONSTRUCTOR -> c.invokespecial(to.owner(), INIT_NAME, type);
        case INTERFACE_VIRTUAL, INTERFACE_SPECIAL ->
            c.invokeinterface(to.owner(), to.methodName(), type);
        default -> c.invokevirtual(to.owner(), to.methodName(), type);
      }
      ClassDesc result = called.returnType();
      if (erased.returnType().equals(CD_void)) {
        switch (TypeKind.from(result).slotSize()) {
          case 1 -> c.pop();
          case 2 -> c.pop2();
          default -> {}
        }
        c.return_();
        return;
      }
      Conversion.write(c, result, instantiated.returnType());
      Conversion.write(c, instantiated.returnType(), erased.returnType());
      c.return_(TypeKind.from(erased.returnType()));
    }
  }

  /// Converts a value between types, by the rules of method references.
  private static final class Conversion {
    private static final Map<ClassDesc, ClassDesc> BOXES =
        Map.of(
            CD_boolean, CD_Boolean,
            CD_byte, CD_Byte,
            CD_char, CD_Character,
            CD_short, CD_Short,
            CD_int, CD_Integer,
            CD_long, CD_Long,
            CD_float, CD_Float,
            CD_double, CD_Double);
    private static final Set<ClassDesc> NUMBERS = Set.of(CD_int, CD_long, CD_float, CD_double);

    static boolean all(List<ClassDesc> from, List<ClassDesc> to) {
      for (int k = 0; k < from.size(); k++) {
        if (!exists(from.get(k), to.get(k))) {
          return false;
        }
      }
      return true;
    }

    static boolean exists(ClassDesc from, ClassDesc to) {
      if (from.equals(to) || to.equals(CD_void)) {
        return true;
      }
      if (from.equals(CD_void)) {
        return false;
      }
      if (from.isPrimitive() && to.isPrimitive()) {
        return NUMBERS.contains(from) && NUMBERS.contains(to);
      }
      if (to.isPrimitive()) {
        return BOXES.get(to).equals(from);
      }
      return true;
    }

    static void write(CodeBuilder c, ClassDesc from, ClassDesc to) {
      if (from.equals(to) || to.equals(CD_void)) {
        return;
      }
      if (from.isPrimitive() && to.isPrimitive()) {
        c.conversion(TypeKind.from(from), TypeKind.from(to));
      } else if (from.isPrimitive()) {
        ClassDesc boxed = BOXES.get(from);
        c.invokestatic(boxed, "valueOf", MethodTypeDesc.of(boxed, from));
      } else if (to.isPrimitive()) {
        ClassDesc boxed = BOXES.get(to);
        c.checkcast(boxed).invokevirtual(boxed, to.displayName() + "Value", MethodTypeDesc.of(to));
      } else if (!to.equals(CD_Object)) {
        c.checkcast(to);
      }
    }
  }

  private static ClassDesc box(ClassDesc primitive) {
    return Conversion.BOXES.get(primitive);
  }
}
