package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Programs on the class path and the module path, with and without the vector module. */
class PathsAndModulesTest {
  private static final String NOTICE =
      "[cpu] vector code needs the module jdk.incubator.vector; got none, so kernels run as scalar"
          + " code, several times slower; start Java with --add-modules jdk.incubator.vector\n";

  private static final List<String> ENTRIES =
      Arrays.stream(ChildJvm.CLASS_PATH.split(File.pathSeparator))
          .filter(e -> !e.isEmpty())
          .map(e -> e.replace('\\', '/'))
          .toList();

  /** The output with vector code on the class path. */
  private static String expected;

  @BeforeAll
  static void runOnce() throws Exception {
    ChildJvm child = onClassPath(_ -> true, "--add-modules", "jdk.incubator.vector");
    assertThat(child.err())
        .isEqualToNormalizingNewlines("WARNING: Using incubator modules: jdk.incubator.vector\n");
    expected = child.out();
    assertThat(expected.lines()).hasSize(10).allMatch(line -> line.matches("[a-z]+ -?\\d+"));
  }

  private static String path(Predicate<String> which) {
    return ENTRIES.stream().filter(which).collect(Collectors.joining(File.pathSeparator));
  }

  private static boolean library(String entry) {
    return Stream.of(
            "/slf4j",
            "/openblas",
            "/javacpp",
            "/jackson",
            "/fastcsv",
            "/progressbar",
            "/jline",
            "/arrow-format",
            "/flatbuffers")
        .anyMatch(entry::contains);
  }

  private static boolean engine(String entry) {
    return entry.endsWith("/classes")
        || (entry.contains("/ristretto-") && !entry.endsWith("-tests.jar"));
  }

  private static boolean program(String entry) {
    return entry.endsWith("expr/target/test-classes");
  }

  private static ChildJvm onClassPath(Predicate<String> which, String... options) throws Exception {
    var words = new ArrayList<>(List.of(options));
    words.add("--enable-native-access=ALL-UNNAMED");
    Predicate<String> all = e -> program(e) || engine(e) || library(e);
    words.addAll(List.of("-cp", path(all.and(which)), "user.Program"));
    return run(words);
  }

  private static ChildJvm onModulePath(String roots) throws Exception {
    var words = new ArrayList<String>();
    words.addAll(List.of("-p", path(e -> engine(e) || library(e)), "--add-modules", roots));
    words.add("--enable-native-access=ristretto.kernels");
    words.addAll(List.of("-cp", path(PathsAndModulesTest::program), "user.Program"));
    return run(words);
  }

  private static ChildJvm run(List<String> words) throws Exception {
    ChildJvm child = ChildJvm.java(words, Map.of());
    assertThat(child.exit()).as(child.err()).isZero();
    return child;
  }

  @Test
  void classPathWithoutVectors() throws Exception {
    ChildJvm child = onClassPath(_ -> true);
    assertThat(child.out()).isEqualTo(expected);
    assertThat(child.err()).isEqualToNormalizingNewlines("[main] WARN ristretto.cpu - " + NOTICE);
  }

  @Test
  void theNoticeNeedsNoLogging() throws Exception {
    ChildJvm child = onClassPath(e -> !e.contains("slf4j-simple"));
    assertThat(child.out()).isEqualTo(expected);
    assertThat(child.err()).containsOnlyOnce(NOTICE.strip());
  }

  @Test
  void scalarCodeOnDemandNeedsNoNotice() throws Exception {
    ChildJvm child = onClassPath(_ -> true, "-Dristretto.cpu.code=scalar");
    assertThat(child.out()).isEqualTo(expected);
    assertThat(child.err()).isEmpty();
  }

  @Test
  void modulePathWithVectors() throws Exception {
    ChildJvm child = onModulePath("ALL-MODULE-PATH,jdk.incubator.vector");
    assertThat(child.out()).isEqualTo(expected);
    assertThat(child.err())
        .isEqualToNormalizingNewlines("WARNING: Using incubator modules: jdk.incubator.vector\n");
  }

  @Test
  void modulePathWithoutVectors() throws Exception {
    ChildJvm child = onModulePath("ALL-MODULE-PATH");
    assertThat(child.out()).isEqualTo(expected);
    assertThat(child.err()).isEqualToNormalizingNewlines("[main] WARN ristretto.cpu - " + NOTICE);
  }

  /** Nothing requires the module that holds OpenBLAS, but it is on the path. */
  @Test
  void modulePathWithTheEngineAsOnlyRoot() throws Exception {
    ChildJvm child = onModulePath("ristretto.expr");
    assertThat(child.out()).isEqualTo(expected);
    assertThat(child.err()).containsOnlyOnce("WARN ristretto.cpu - " + NOTICE.strip());
  }

  @Test
  void onlyProductsNeedOpenBlas() throws Exception {
    ChildJvm child =
        onClassPath(e -> !e.contains("/openblas"), "--add-modules", "jdk.incubator.vector");
    String message =
        "\\[dot\\] OpenBLAS must be on the class path or module path; got no"
            + " org/bytedeco/openblas/\\S+; add org.bytedeco:openblas with classifier \\S+";
    assertThat(child.out().lines().toList())
        .zipSatisfy(
            expected.lines().toList(),
            (line, with) -> assertThat(line).matches(with.startsWith("product") ? message : with));
  }
}
