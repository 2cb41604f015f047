package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Vectors;

class NnetGraphTest extends ToolTest {
  @BeforeEach
  void network() {
    Vectors.copy("x-tdnnf-test", folder());
  }

  private int draw(String... words) {
    var all = new ArrayList<String>(List.of("nnet3-graph", "--print-args=false"));
    for (String word : words) {
      all.add(word.startsWith("--") ? word : at(word));
    }
    return run(all.toArray(String[]::new));
  }

  private String text(String name) throws IOException {
    return Files.readString(folder().resolve(name));
  }

  @Test
  void drawsANetwork() throws IOException {
    assertThat(draw("model.raw", "net.svg")).as(log()).isZero();
    assertThat(text("net.svg")).startsWith("<svg ").contains(">input<").endsWith("</svg>\n");
    assertThat(log()).endsWith("Wrote %s.%n".formatted(folder().resolve("net.svg")));
  }

  @Test
  void drawsEachView() throws IOException {
    for (String view : List.of("network", "steps", "plan", "memory")) {
      assertThat(draw("--view=" + view, "model.raw", "request.txt", view + ".svg"))
          .as(log())
          .isZero();
    }
    assertThat(text("steps.svg")).contains(">T=");
    assertThat(text("plan.svg")).contains(">product ");
    assertThat(text("memory.svg")).contains(">place 0, ");
  }

  @Test
  void putsAllOnAPage() throws IOException {
    assertThat(draw("model.raw", "request.txt", "all.html")).as(log()).isZero();
    assertThat(text("all.html"))
        .contains(">network</label>", ">steps</label>", ">plan</label>", ">memory</label>")
        .contains(">assignments</label>", "<pre>matrices\n");
    assertThat(draw("model.raw", "net.html")).as(log()).isZero();
    assertThat(text("net.html")).contains(">network</label>").doesNotContain(">plan</label>");
  }

  @Test
  void whatIsDrawnIsPrintedByItsKin() {
    assertThat(run("nnet3-compile", "--print-args=false", at("model.raw"), at("request.txt")))
        .as(log())
        .isZero();
    assertThat(log())
        .containsPattern("LOG \\(nnet3-compile\\) Compiled in [0-9]+\\.[0-9] ms, with all kernels");
  }

  @Test
  void logsTheTimesOfRoundsWhereAsked() {
    String[] command = {
      "nnet3-compile", "--print-args=false", "--seconds=0.2", at("model.raw"), at("request.txt")
    };
    assertThat(run(command)).as(log()).isZero();
    assertThat(log())
        .containsPattern(
            "LOG \\(nnet3-compile\\) Computed in [0-9]+\\.[0-9]{2} ms \\(round 1\\), .*ms \\(best"
                + " of [0-9]+\\); within 15 % of the best after [0-9]\\.[0-9] s");
  }

  @Test
  void refusesWithAMessage() {
    assertThat(draw("model.raw", "net.png")).isEqualTo(255);
    assertThat(log())
        .isEqualTo(
            "ERROR (nnet3-graph) [nnet3-graph] a picture's name must end with .svg or .html; got %s;"
                    .formatted(folder().resolve("net.png"))
                + " give another.\n");
    assertThat(draw("--view=all", "model.raw", "net.svg")).isEqualTo(255);
    assertThat(log())
        .isEqualTo(
            "ERROR (nnet3-graph) [nnet3-graph] --view must be one of network, steps, plan, memory;"
                + " got \"all\"; give another.\n");
    assertThat(draw("--view=plan", "model.raw", "net.svg")).isEqualTo(255);
    assertThat(log())
        .isEqualTo(
            "ERROR (nnet3-graph) [nnet3-graph] --view=plan needs a request; got none; give one"
                + " before the picture's name.\n");
    assertThat(draw("model.raw", "none/net.svg")).isEqualTo(255);
    assertThat(log()).startsWith("ERROR (nnet3-graph) ");
  }
}
