package ristretto.jmh.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ChildJvmTest {
  @Test
  void childrenRunWithTheEnginesOptionsOfTheirParent() {
    List<String> parent =
        List.of("-Xmx4g", "-Dristretto.cpu.dnn=own", "-XX:CompileCommand=quiet", "-Dfile=x");

    assertThat(ChildJvm.inherited(parent))
        .containsExactly("-Dristretto.cpu.dnn=own", "-XX:CompileCommand=quiet");
  }

  @Test
  void optionsOfTheChildComeAfterWhatItInherits() {
    List<String> command = ChildJvm.command("Main", List.of("a"), "-Dristretto.cpu.threads=1");

    assertThat(command).endsWith("-Dristretto.cpu.threads=1", "Main", "a");
  }
}
