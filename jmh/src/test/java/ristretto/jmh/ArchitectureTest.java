package ristretto.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Layers of the packages, as in docs/architecture.md. Each line names packages that may use those
 * of the lines above it, and not one another; a module may use the modules before it.
 */
class ArchitectureTest {
  private static final String LAYERS =
      """
      kernels.lambda kernels.scalar kernels.text
      kernels.math
      kernels.block kernels.fourier
      kernels kernels.gradient kernels.ir
      kernels.debug kernels.source
      kernels.cache kernels.device kernels.lift kernels.source.java
      kernels.cpu.blas kernels.cpu.memory kernels.cpu.runtime kernels.driver
      kernels.cpu.moves kernels.cpu.strip
      kernels.cpu.codegen kernels.cpu.operands
      kernels.cpu.launch
      kernels.cpu.block kernels.cpu.convolution kernels.cpu.fourier kernels.cpu.gemm kernels.cpu.rows
      kernels.cpu
      onednn opencl cuda tornado

      expr.command expr.device expr.dim expr.index expr.measure expr.option
      expr.print expr.special
      expr.file expr.type
      expr.form expr.formula expr.media expr.memory expr.table
      expr.graph
      expr.recording
      expr.plan
      expr.program
      expr
      expr.linalg expr.random

      report
      report.picture

      plot

      symbolic.graph symbolic.onnx
      symbolic.automaton
      symbolic.inspect symbolic.onnx.export symbolic.optim
      symbolic.state
      symbolic.layers.operator symbolic.run
      symbolic.layers
      symbolic
      symbolic.data symbolic.data.folder symbolic.decode
      symbolic.data.audio symbolic.data.image
      symbolic.train

      llm.gguf llm.json
      llm.model llm.token
      llm.chat llm.huggingface
      llm
      llm.generate
      llm.serve
      llm.command

      onnx.file
      onnx.call
      onnx.operator
      onnx.trace
      onnx

      nnet3.matrix nnet3.text
      nnet3.io
      nnet3 nnet3.fst
      nnet3.features nnet3.hmm nnet3.lattice
      nnet3.search
      nnet3.analysis nnet3.config nnet3.step
      nnet3.component
      nnet3.component.affine nnet3.component.column nnet3.component.convolution\
       nnet3.component.dropout nnet3.component.recurrent nnet3.component.time
      nnet3.component.activation
      nnet3.component.registry
      nnet3.network
      nnet3.draw nnet3.edit nnet3.egs nnet3.graph
      nnet3.lower
      nnet3.compile
      nnet3.chain nnet3.decode
      nnet3.train
      nnet3.fit
      nnet3.cluster
      nnet3.cli.options
      nnet3.cli.tool
      nnet3.cli.chain nnet3.cli.speech
      nnet3.cli

      jmh.line
      jmh.run
      jmh.engine jmh.peer jmh.report jmh.twin
      jmh.cuda jmh.opencl jmh.start
      jmh.llm jmh.nnet3 jmh.scripting jmh.training
      jmh.micro jmh.training.jmh_generated
      jmh jmh.micro.jmh_generated
      """;

  /** Maximal number of files of a package. */
  private static final int MOST_FILES = 40;

  /** Maximal number of files of the package with the API of expressions. */
  private static final int MOST_FILES_OF_EXPR = 55;

  /**
   * Maximal number of classes that all reach one another, by the prefix of their packages. That of
   * expr is large, since an expression evaluates itself: {@code Expr} reaches {@code Context}.
   */
  private static final Map<String, Integer> LARGEST_KNOT =
      Map.of("expr", 52, "kernels", 25, "symbolic", 25, "onnx", 25, "nnet3", 25);

  private static final String ROOT = "ristretto.";

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("ristretto");

  private static String packageOf(JavaClass c) {
    return c.getPackageName().substring(ROOT.length());
  }

  /** Own classes; generated and hidden classes have none of the packages. */
  private static Stream<JavaClass> own() {
    return CLASSES.stream().filter(c -> c.getPackageName().startsWith(ROOT));
  }

  private static Stream<JavaClass> targets(JavaClass c) {
    return c.getDirectDependenciesFromSelf().stream()
        .map(Dependency::getTargetClass)
        .map(JavaClass::getBaseComponentType)
        .filter(t -> t.getPackageName().startsWith(ROOT));
  }

  private static JavaClass outermost(JavaClass c) {
    JavaClass outer = c;
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    return outer;
  }

  @Test
  void packagesUseThoseBelow() {
    var layers = new HashMap<String, Integer>();
    List<String> lines = LAYERS.lines().toList();
    for (int k = 0; k < lines.size(); k++) {
      for (String name :
          lines.get(k).isBlank() ? List.<String>of() : List.of(lines.get(k).split(" "))) {
        layers.put(name, k);
      }
    }
    var wrong = new TreeSet<String>();
    own()
        .forEach(c -> {
          String from = packageOf(c);
          assertThat(layers).as("layer of %s", c.getName()).containsKey(from);
          targets(c)
              .filter(t -> !packageOf(t).equals(from))
              .filter(t -> layers.getOrDefault(packageOf(t), -1) >= layers.get(from))
              .forEach(t -> wrong.add(c.getName() + " uses " + t.getName()));
        });
    assertThat(wrong).isEmpty();
    // The module of TornadoVM is built only where its SDK is.
    layers.remove("tornado");
    assertThat(own().map(ArchitectureTest::packageOf)).containsAll(layers.keySet());
  }

  @Test
  void packagesAreSmall() {
    Map<String, Long> files =
        own()
            .filter(
                c -> c.getEnclosingClass().isEmpty() && !c.getSimpleName().equals("package-info"))
            .filter(c -> !packageOf(c).endsWith("jmh_generated"))
            .collect(
                Collectors.groupingBy(
                    ArchitectureTest::packageOf, TreeMap::new, Collectors.counting()));
    assertThat(files).isNotEmpty();
    files.forEach((name, count) ->
        assertThat(count)
            .as("files of %s", name)
            .isLessThanOrEqualTo(name.equals("expr") ? MOST_FILES_OF_EXPR : MOST_FILES));
  }

  /** Users name an inherited type by the public class, but the compiler by the one that has it. */
  @Test
  void publicClassesInheritNoTypeOfAHiddenClass() {
    List<String> hidden =
        own()
            .filter(c -> c.getModifiers().contains(JavaModifier.PUBLIC))
            .flatMap(c -> c.getAllRawSuperclasses().stream())
            .filter(c -> c.getPackageName().startsWith(ROOT))
            .filter(c -> !c.getModifiers().contains(JavaModifier.PUBLIC))
            .map(JavaClass::getName)
            .distinct()
            .toList();
    assertThat(hidden).contains("ristretto.expr.ContextSelections");
    assertThat(
            own()
                .filter(c -> c.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(c -> c.getEnclosingClass().isPresent())
                .filter(c -> hidden.contains(c.getEnclosingClass().get().getName()))
                .map(JavaClass::getName))
        .isEmpty();
  }

  @Test
  void simpleNamesOccurOnceInAModule() {
    var byModule = new TreeMap<String, List<String>>();
    own()
        .filter(c -> c.getEnclosingClass().isEmpty() && !c.getSimpleName().equals("package-info"))
        .filter(c -> !packageOf(c).endsWith("jmh_generated"))
        .forEach(c -> {
          String module = packageOf(c).split("\\.")[0];
          byModule.computeIfAbsent(module, _ -> new ArrayList<>()).add(c.getSimpleName());
        });
    byModule.forEach((module, names) -> assertThat(names).as(module).doesNotHaveDuplicates());
  }

  @Test
  void fewClassesAllReachOneAnother() {
    var edges = new HashMap<String, Set<String>>();
    own()
        .forEach(c -> {
          Set<String> all = edges.computeIfAbsent(outermost(c).getName(), _ -> new HashSet<>());
          targets(c).forEach(t -> all.add(outermost(t).getName()));
        });
    LARGEST_KNOT.forEach((module, limit) -> {
      Map<String, Set<String>> inside = new HashMap<>();
      edges.forEach((from, all) -> {
        if (from.startsWith(ROOT + module)) {
          inside.put(
              from,
              all.stream().filter(t -> t.startsWith(ROOT + module)).collect(Collectors.toSet()));
        }
      });
      Collection<String> knot = new Knots(inside).largest();
      assertThat(knot).as("largest knot of %s", module).hasSizeLessThanOrEqualTo(limit);
    });
  }

  /** Strongly connected components, by Tarjan's algorithm. */
  private static final class Knots {
    private final Map<String, Set<String>> edges;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, Integer> lowest = new HashMap<>();
    private final Deque<String> open = new ArrayDeque<>();
    private final Set<String> isOpen = new HashSet<>();
    private List<String> largest = List.of();

    Knots(Map<String, Set<String>> edges) {
      this.edges = edges;
    }

    List<String> largest() {
      edges
          .keySet()
          .forEach(c -> {
            if (!numbers.containsKey(c)) {
              visit(c);
            }
          });
      return largest;
    }

    private void visit(String c) {
      numbers.put(c, numbers.size());
      lowest.put(c, numbers.get(c));
      open.push(c);
      isOpen.add(c);
      for (String target : edges.getOrDefault(c, Set.of())) {
        if (!numbers.containsKey(target)) {
          visit(target);
          lowest.merge(c, lowest.get(target), Math::min);
        } else if (isOpen.contains(target)) {
          lowest.merge(c, numbers.get(target), Math::min);
        }
      }
      if (lowest.get(c).equals(numbers.get(c))) {
        var knot = new ArrayList<String>();
        String last;
        do {
          last = open.pop();
          isOpen.remove(last);
          knot.add(last);
        } while (!last.equals(c));
        largest = knot.size() > largest.size() ? knot : largest;
      }
    }
  }
}
