package ristretto.nnet3;

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
import ristretto.expr.Expr;
import ristretto.kernels.RistrettoException;
import ristretto.nnet3.network.Nnet;
import ristretto.symbolic.Executor;

/** A script that imports this module beside others needs no import of single types. */
class ExportedNamesTest {
  @Test
  void noOtherModuleHasOurNames() throws Exception {
    Set<String> ours = names(Nnet.class);
    assertThat(ours).contains("Nnet", "Matrix", "TableReader", "NnetExample");
    var others = new TreeSet<>(names(ModuleFinder.ofSystem().find("java.base").orElseThrow()));
    others.addAll(names(Expr.class));
    others.addAll(names(RistrettoException.class));
    others.addAll(names(Executor.class));
    ours.retainAll(others);
    assertThat(ours).isEmpty();
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
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .filter(ExportedNamesTest::isPublic)
          .map(name -> name.substring(name.lastIndexOf('.') + 1))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static boolean isPublic(String name) {
    try {
      Class<?> c = Class.forName(name, false, ExportedNamesTest.class.getClassLoader());
      return Modifier.isPublic(c.getModifiers());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }
}
