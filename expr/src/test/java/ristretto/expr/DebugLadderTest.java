package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.type.F32;
import ristretto.kernels.debug.Json;

/** Output that the environment variables of docs/flags.md switch on. */
class DebugLadderTest {
  /** A pattern of a line that each level adds, from level 1 on. */
  private static final List<String> LINES =
      List.of(
          "\\[cpu] .+, 2 threads, (\\d+-bit vectors|scalar code.*)",
          "\\[launch] map_\\w+ \\[3, 5] \\d+\\.\\d us, \\d+\\.\\d\\d GB/s, \\d+\\.\\d\\d GFLOP/s,"
              + " (new|cached)",
          "\\[cache] new kernel map_\\w+: .+",
          "\\[code] map_\\w+_scalar",
          "\\[pass] map_\\w+ after ExpandMath",
          "\\[time] map_\\w+ defineHiddenClass \\d+\\.\\d{3} ms");

  @TempDir Path folder;

  /** A lambda twice, a row kernel, a product. */
  static final class Program {
    static void main() {
      try (var ctx = Context.open()) {
        Tensor<F32> x = ctx.ones(F32, 3, 5);
        Tensor<F32> y = ctx.empty(F32, 3, 5);
        for (int k = 0; k < 2; k++) {
          ctx.assign(y, map(x, v -> 1f / (1f + (float) Math.exp(-v))));
        }
        ctx.eval(softmax(y, 1));
        ctx.eval(dot(x, y.t()));
        System.out.println(ctx.stats().launches());
      }
    }
  }

  private static ChildJvm run(Map<String, String> environment) throws Exception {
    ChildJvm child = ChildJvm.run(Program.class, environment, "-Dristretto.cpu.threads=2");
    assertThat(child.exit()).as(child.err()).isZero();
    assertThat(child.out()).isEqualToIgnoringNewLines("5");
    return child;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void eachLevelAddsToTheLast(int level) throws Exception {
    String err = run(Map.of("RISTRETTO_DEBUG", "" + level)).err();
    for (int k = 0; k < LINES.size(); k++) {
      Pattern line = Pattern.compile("(?m)^" + LINES.get(k) + "$");
      if (k < level) {
        assertThat(err).containsPattern(line);
      } else {
        assertThat(err).doesNotContainPattern(line);
      }
    }
    if (level >= 2) {
      assertThat(err.lines().filter(l -> l.startsWith("[launch] ")).toList())
          .hasSize(5)
          .satisfiesExactly(
              l -> assertThat(l).contains("map_", "new"),
              l -> assertThat(l).contains("map_", "new"),
              l -> assertThat(l).contains("map_", "cached"),
              l -> assertThat(l).contains("row_", "[3, 5]", "new"),
              l -> assertThat(l).contains("gemm_f32_3x3x5 [3, 3, 5]"));
    }
    if (level >= 3) {
      assertThat(err)
          .contains("[plan] 1 kernel, 0 temporaries\n")
          .contains("the cache is empty")
          .contains("row_");
    }
    if (level >= 4) {
      assertThat(err).contains("  segment0(", "\n    aload 0\n");
    }
    if (level >= 5) {
      assertThat(err)
          .contains("[lambda] lifted the lambda in ristretto.expr.DebugLadderTest$Program.main")
          .contains(
              "[pass] plan after InlineTemporaries (unchanged)\n",
              "[pass] plan after UnrollLoops (unchanged)\n")
          .containsPattern("\\[pass] plan after LowerAssignments\n  row_\\w+ t0 f32\\[3,5] = ")
          .containsPattern("\\[pass] row_\\w+ after Lowering\n  rows \\[3, 5]")
          .containsPattern("\\[pass] map_\\w+ after ExpandRandom \\(unchanged\\)\n")
          .containsPattern("\\[pass] map_\\w+ after LowerForStrips \\(unchanged\\)\n")
          .containsPattern("\\[pass] map_\\w+ after ExpandMath\n  %0 f32 = ")
          .containsPattern("\\[pass] map_\\w+ after PlanSegments\n  segment 0: scalar, rows %");
    }
    if (level >= 6) {
      assertThat(err)
          .containsPattern("\\[time] the lambda in .+ lifting \\d")
          .containsPattern("\\[time] assignment planning \\d")
          .containsPattern("\\[time] assignment preparing \\d");
    }
  }

  @Test
  void nothingIsSaidWhenNothingIsAskedFor() throws Exception {
    assertThat(run(Map.of()).err())
        .isEqualToIgnoringNewLines("WARNING: Using incubator modules: jdk.incubator.vector");
  }

  @Test
  void aLevelIsANumber() throws Exception {
    ChildJvm child = ChildJvm.run(Program.class, Map.of("RISTRETTO_DEBUG", "all"));
    assertThat(child.exit()).isEqualTo(1);
    assertThat(child.err())
        .contains(
            "ristretto.kernels.DeviceException: [settings] RISTRETTO_DEBUG must be a number from 0"
                + " to 6; got \"all\"; correct RISTRETTO_DEBUG or -Dristretto.debug\n");
  }

  @Test
  void theFilterAdmitsKernelsByName() throws Exception {
    String err = run(Map.of("RISTRETTO_DEBUG", "6", "RISTRETTO_DEBUG_ONLY", "r?w_*")).err();
    assertThat(err).contains("[launch] row_", "[pass] row_", "[time] row_", "[code] row_");
    assertThat(err).doesNotContainPattern("\\[\\w+] (new kernel )?map_");
    assertThat(err).doesNotContain("gemm_");
  }

  /**
   * Kernel names are equal in every run, so that filters, dumps and profiles of several runs agree.
   */
  @Test
  void dumpsAreNamedAfterKernels() throws Exception {
    var names = new TreeSet<String>();
    for (String run : List.of("first", "second")) {
      Path dump = folder.resolve(run);
      ChildJvm child = run(Map.of("RISTRETTO_DUMP", dump.toString(), "RISTRETTO_DEBUG", "2"));
      List<String> launched =
          Pattern.compile("\\[launch] ((map|row)_\\w+)")
              .matcher(child.err())
              .results()
              .map((MatchResult m) -> m.group(1))
              .toList();
      for (String kernel : launched) {
        for (String extension : List.of(".ir", ".dot", ".tape", "_scalar.class")) {
          assertThat(dump.resolve(kernel + extension)).isNotEmptyFile();
        }
      }
      names.addAll(launched);
    }
    assertThat(names).hasSize(3);
  }

  @Test
  void dumpsThatCannotBeWrittenAreSaidOnce() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    String err = run(Map.of("RISTRETTO_DUMP", file.resolve("dump").toString())).err();
    assertThat(err)
        .containsOnlyOnce("[debug] RISTRETTO_DUMP must name a folder that can be written to; got");
  }

  @Test
  void traceHoldsAnEventForEachLaunch() throws Exception {
    Path file = folder.resolve("trace-%p.json");
    run(Map.of("RISTRETTO_TRACE", file.toString()));
    List<Json.Event> events = Json.events(Files.readString(onlyFile()));
    assertThat(events)
        .filteredOn(e -> List.of("map", "row", "gemm").contains(e.category()))
        .allSatisfy(e -> {
          assertThat(e.details()).containsOnlyKeys("extents", "bytes", "GB/s", "GFLOP/s", "code");
          assertThat(e.time()).isPositive();
        })
        .extracting(e -> e.details().get("extents"))
        .containsExactly("[3, 5]", "[3, 5]", "[3, 5]", "[3, 5]", "[3, 3, 5]");
    assertThat(events).extracting(Json.Event::name).contains("open cpu", "lifting", "planning");
    assertThat(events).extracting(Json.Event::category).contains("compile", "pass");
  }

  private Path onlyFile() throws IOException {
    try (var files = Files.list(folder)) {
      List<Path> all = files.toList();
      assertThat(all).hasSize(1);
      assertThat(all.getFirst().getFileName().toString()).matches("trace-\\d+\\.json");
      return all.getFirst();
    }
  }

  @Test
  void aTraceThatCannotBeWrittenIsSaidAtTheStart() throws Exception {
    assertThat(run(Map.of("RISTRETTO_TRACE", folder.toString())).err())
        .contains(
            "[trace] RISTRETTO_TRACE must name a file that can be written; got \""
                + folder
                + "\" (java.nio.file.FileSystemException: "
                + folder
                + ": is a folder); nothing is traced\n");
  }

  /** Chunks of a launch that several threads share. */
  static final class Parallel {
    static void main() {
      try (var ctx = Context.open()) {
        Tensor<F32> x = ctx.ones(F32, 1 << 20);
        for (int k = 0; k < 20; k++) {
          ctx.assign(x, exp(x.neg()));
        }
      }
    }
  }

  @Test
  void traceHoldsTheChunksOfParallelLaunches() throws Exception {
    Path file = folder.resolve("trace.json");
    ChildJvm child =
        ChildJvm.run(
            Parallel.class, Map.of(), "-Dristretto.cpu.threads=3", "-Dristretto.trace=" + file);
    assertThat(child.exit()).as(child.err()).isZero();
    List<Json.Event> events = Json.events(Files.readString(file));
    List<Json.Event> chunks = events.stream().filter(e -> e.category().equals("chunk")).toList();
    double each = (double) chunks.getFirst().details().get("chunks");
    assertThat(events).filteredOn(e -> e.category().equals("map")).hasSize(21);
    assertThat(chunks).hasSize((int) (21 * each));
  }
}
