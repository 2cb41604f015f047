package ristretto.symbolic.layers.gradient;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Layer;

/** Public methods of the layer packages that make or configure layers and losses. */
final class PublicMethods {
  private static final String PACKAGE = "ristretto.symbolic.layers";

  /** Package of operators, which are made by the layers. */
  private static final String OPERATORS = PACKAGE + ".operator";

  private PublicMethods() {}

  /**
   * Names all of them, for example {@code Layers.relu(Variable)} and {@code Dense.bias(boolean)}.
   */
  static Set<String> names() throws Exception {
    Path root = Path.of(Layer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    var names = new TreeSet<String>();
    for (Class<?> type : classes(root)) {
      boolean functions = type.isAssignableFrom(Layers.class);
      if (Modifier.isPublic(type.getModifiers()) && !type.isInterface() && !type.isEnum()) {
        for (Method m : type.getDeclaredMethods()) {
          if (Modifier.isPublic(m.getModifiers()) && !m.isSynthetic() && makes(m, type)) {
            names.add(name(functions ? Layers.class : type, m));
          }
        }
      }
    }
    return names;
  }

  private static Iterable<Class<?>> classes(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root.resolve(PACKAGE.replace('.', '/')))) {
      return files
          .map(file -> root.relativize(file).toString())
          .filter(file -> file.endsWith(".class") && !file.contains("$"))
          .map(file -> file.substring(0, file.length() - 6).replaceAll("[/\\\\]", "."))
          .filter(name -> !name.startsWith(OPERATORS) && !name.endsWith("package-info"))
          .<Class<?>>map(PublicMethods::load)
          .toList();
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns true for a variable, a record of variables, or a layer with an option. */
  private static boolean makes(Method m, Class<?> type) {
    Class<?> result = m.getReturnType();
    return result == Variable.class
        || result == type
        || result.isRecord() && result.getDeclaringClass() == type;
  }

  private static String name(Class<?> type, Method m) {
    return Arrays.stream(m.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(Collectors.joining(",", type.getSimpleName() + "." + m.getName() + "(", ")"));
  }
}
