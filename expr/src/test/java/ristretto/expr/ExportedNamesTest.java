package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import ristretto.kernels.RistrettoException;

/**
 * A script says {@code import module ristretto.expr} next to the {@code java.base} it always has: a
 * simple name that both export could not be used.
 */
class ExportedNamesTest {
  @Test
  void noExportedNameIsInJavaBase() throws Exception {
    Set<String> java = names(ModuleFinder.ofSystem().find("java.base").orElseThrow());
    var ours = new TreeSet<String>();
    for (Class<?> c : new Class<?>[] {Expr.class, RistrettoException.class}) {
      Path where = Path.of(c.getProtectionDomain().getCodeSource().getLocation().toURI());
      for (ModuleReference module : ModuleFinder.of(where).findAll()) {
        ours.addAll(names(module));
      }
    }
    assertThat(ours).contains("Tensor", "Context", "ShapeException", "FloatLambda", "F32");
    ours.retainAll(java);
    assertThat(ours).isEmpty();
  }

  /** Scala and reflection call static methods only of public classes. */
  @Test
  void operationsAreInPublicClasses() {
    assertThat(Ops.class.getMethods())
        .hasSizeGreaterThan(300)
        .allMatch(method -> Modifier.isPublic(method.getDeclaringClass().getModifiers()));
  }

  /** Simple names of the top-level classes in packages exported to everybody. */
  private static Set<String> names(ModuleReference module) throws IOException {
    Set<String> packages =
        module.descriptor().exports().stream()
            .filter(e -> !e.isQualified())
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toSet());
    try (ModuleReader reader = module.open()) {
      return reader
          .list()
          .filter(name -> name.endsWith(".class") && !name.contains("$") && !name.contains("-"))
          .filter(name -> name.contains("/"))
          .filter(
              name -> packages.contains(name.substring(0, name.lastIndexOf('/')).replace('/', '.')))
          .map(name -> name.substring(name.lastIndexOf('/') + 1, name.length() - ".class".length()))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
