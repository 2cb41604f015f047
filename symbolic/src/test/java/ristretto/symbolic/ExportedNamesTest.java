package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.AccessFlag;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import ristretto.expr.Expr;
import ristretto.kernels.RistrettoException;

/**
 * A script imports this module beside those of expressions and {@code java.base}: a simple name
 * that two of them export needs an import of its own.
 */
class ExportedNamesTest {
  @Test
  void onlyExecutorNeedsAnImportOfItsOwn() throws Exception {
    Set<String> ours = names(Executor.class);
    assertThat(ours).contains("Variable", "Layers", "Batcher", "Trainer");
    var others = new TreeSet<>(names(ModuleFinder.ofSystem().find("java.base").orElseThrow()));
    others.addAll(names(Expr.class));
    others.addAll(names(RistrettoException.class));
    ours.retainAll(others);
    assertThat(ours).containsExactly("Executor");
  }

  private static Set<String> names(Class<?> c) throws Exception {
    Path where = Path.of(c.getProtectionDomain().getCodeSource().getLocation().toURI());
    var all = new TreeSet<String>();
    for (ModuleReference module : ModuleFinder.of(where).findAll()) {
      all.addAll(names(module));
    }
    return all;
  }

  /** Simple names of the public top-level classes in packages exported to everybody. */
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
          .filter(name -> isPublic(reader, name))
          .map(name -> name.substring(name.lastIndexOf('/') + 1, name.length() - ".class".length()))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static boolean isPublic(ModuleReader reader, String name) {
    try (InputStream in = reader.open(name).orElseThrow()) {
      return ClassFile.of().parse(in.readAllBytes()).flags().has(AccessFlag.PUBLIC);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
