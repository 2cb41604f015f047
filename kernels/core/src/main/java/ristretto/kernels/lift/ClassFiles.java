package ristretto.kernels.lift;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.reflect.AccessFlag;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Bytecode by class. Class files are read as resources: modules never encapsulate them, and the
 * class loaders of the source launcher and of jshell provide them too.
 */
final class ClassFiles {
  private final Map<Class<?>, ClassModel> models = new HashMap<>();

  /** Methods by class, then by name and descriptor. */
  private final Map<Class<?>, Map<String, MethodCode>> methods = new HashMap<>();

  /** Returns the class's bytecode, or null if its class loader does not provide it. */
  private ClassModel model(Class<?> type) {
    ClassModel model = models.get(type);
    if (model == null) {
      String path = "/" + type.getName().replace('.', '/') + ".class";
      try (InputStream in = type.isHidden() ? null : type.getResourceAsStream(path)) {
        if (in == null) {
          return null;
        }
        model = ClassFile.of().parse(in.readAllBytes());
      } catch (IOException e) {
        return null;
      }
      models.put(type, model);
    }
    return model;
  }

  boolean readable(Class<?> type) {
    return model(type) != null;
  }

  /**
   * Returns a method that {@code type} declares or inherits; null if there is none with readable
   * code.
   */
  MethodCode method(Class<?> type, String name, String descriptor) {
    for (Class<?> owner = type; owner != null && readable(owner); owner = owner.getSuperclass()) {
      Map<String, MethodCode> known = methods.get(owner);
      if (known == null) {
        known = new HashMap<>();
        methods.put(owner, known);
      }
      String key = name + descriptor;
      MethodCode code = known.get(key);
      if (code != null) {
        return code;
      }
      ClassModel model = model(owner);
      List<MethodModel> declared = model.methods();
      for (int k = 0; k < declared.size(); k++) {
        MethodModel method = declared.get(k);
        if (method.methodName().equalsString(name)
            && method.methodType().equalsString(descriptor)) {
          if (method.code().isEmpty()) {
            return null;
          }
          var source = model.findAttribute(Attributes.sourceFile());
          String file = source.isPresent() ? source.get().sourceFile().stringValue() : "";
          boolean isStatic = method.flags().has(AccessFlag.STATIC);
          var place = new MethodPlace(owner.getName(), name, file);
          code = new MethodCode(owner, place, Signature.of(descriptor), isStatic, method);
          known.put(key, code);
          return code;
        }
      }
    }
    return null;
  }
}
