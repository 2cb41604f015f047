package ristretto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.device.Conformance;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.KernelSource;
import ristretto.kernels.source.Reach;
import ristretto.kernels.source.Routine;
import ristretto.kernels.source.Target;

/** Random kernels of every kind compile with NVIDIA's own compiler, which needs no GPU. */
class CudaCompileTest {
  private static final int TRIES = Integer.getInteger("ristretto.test.tries", 10);
  private static final int LONGEST = 90;

  /** A large GPU. */
  private static final Target TARGET =
      new Target(new CudaDialect(), true, 256, 256, 132, 48 << 10, 0, true);

  /** Installed libraries, whatever stand-ins other tests use. */
  private static final Libraries INSTALLED =
      new Libraries(Libraries.folders(System.getenv("RISTRETTO_CUDA_LIBRARIES")), 13);

  private static Compiler compiler(int capability) {
    Optional<Compiler> found = Compiler.find(INSTALLED, capability);
    Assumptions.assumeTrue(found.isPresent(), "neither NVRTC nor nvcc is installed");
    return found.orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(ints = {75, 80, 90, 100, 120})
  void kernelsOfAllKindsCompile(int capability) throws Compiler.Refused {
    Compiler compiler = compiler(capability);
    var all = new StringBuilder();
    var seen = new ArrayList<String>();
    for (int kind : new int[] {0, 3, 6, 7, 8, 9}) {
      for (Kernel kernel : kernels(kind).toList()) {
        Routine routine = KernelSource.render(kernel, TARGET, Reach.of(kernel));
        if (!routine.steps().isEmpty() && !seen.contains(routine.program())) {
          // Many in one go take a fraction of the time.
          String unique = "k" + seen.size() + "_ristretto_";
          all.append("namespace n").append(seen.size()).append(" {\n");
          all.append(routine.program().replace("ristretto_", unique)).append("}\n");
          seen.add(routine.program());
        }
      }
    }
    assertThat(compiler.compile("kernels", all.toString())).isNotEmpty();
    assertThat(seen.size()).isGreaterThan(2 * TRIES);
  }

  private static Stream<Kernel> kernels(int kind) {
    var random = new Random(kind);
    return Stream.generate(
            () -> Stream.concat(Stream.of(kind), random.ints(LONGEST, 0, 5040).boxed()).toList())
        .limit(kind == 7 ? 3L * TRIES : TRIES)
        .map(Conformance::kernel);
  }

  @Test
  void whatIsRefusedComesWithItsPlace() {
    Compiler compiler = compiler(90);
    String broken = "extern \"C\" __global__ void f(int* x) {\n  x[0] = y;\n}\n";
    assertThatThrownBy(() -> compiler.compile("map_broken", broken))
        .isInstanceOf(Compiler.Refused.class)
        .hasMessageContaining("(2): error: identifier \"y\" is undefined");
  }

  @Test
  void nvccServesWhereNvrtcIsNot() throws Compiler.Refused {
    var nvcc = INSTALLED.program("nvcc").flatMap(program -> Nvcc.of(program, 90));
    Assumptions.assumeTrue(nvcc.isPresent(), "nvcc is not installed");
    String source = "extern \"C\" __global__ void f(int* x) { x[0] = 1; }\n";
    assertThat(nvcc.get().compile("map_one", source)).startsWith(0x7f, 'E', 'L', 'F');
    assertThat(nvcc.get().version()).startsWith("nvcc ").contains("-arch=sm_90 -std=c++17");
    assertThat(List.of(nvcc.get().version().split("\n"))).hasSize(2);
  }
}
