package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.RingExamples;

class TrainingToolsTest extends ToolTest {
  @BeforeEach
  void write() {
    Nnet.fromConfig("test", RingExamples.CONFIG, 1).save(at("0.raw"), true);
    var random = new Random(5);
    try (var out = ExampleKind.NNET3.writer("ark:" + at("egs"))) {
      for (int k = 0; k < 30; k++) {
        NnetExample minibatch = RingExamples.minibatch(random, 16);
        out.write("m" + k, minibatch);
      }
      out.commit();
    }
  }

  /** The objective of a network as it is trained. */
  private double objective(String model) {
    assertThat(
            run("nnet3-compute-prob", "--batchnorm-test-mode=false", at(model), "ark:" + at("egs")))
        .isZero();
    return Double.parseDouble(log().split("log-likelihood for 'output' is ")[1].split(" ")[0]);
  }

  @Test
  void derivativesAreOfSomeTimes() {
    String[] command = {
      "nnet3-train", "--max-param-change=0", at("0.raw"), "ark:" + at("egs"), at("1.raw")
    };
    assertThat(run(command)).as(log()).isZero();
    double all = objective("1.raw");
    command[1] = "--optimization.max-deriv-time=0";
    assertThat(run(command)).as(log()).isZero();
    double some = objective("1.raw");
    command[1] = "--optimization.max-deriv-time-relative=-3";
    assertThat(run(command)).as(log()).isZero();
    assertThat(objective("1.raw")).isEqualTo(some).isNotEqualTo(all);
    command[1] = "--optimization.max-deriv-time-relative=0";
    assertThat(run(command)).as(log()).isZero();
    assertThat(objective("1.raw")).isNotEqualTo(some);
  }

  @Test
  void trainsAndTellsAsKaldi() {
    assertThat(
            run(
                "nnet3-train",
                "--print-interval=20",
                "--use-gpu=no",
                at("0.raw"),
                "ark:" + at("egs"),
                at("1.raw")))
        .as(log())
        .isZero();
    assertThat(log())
        .contains("WARNING (nnet3-train) The option --use-gpu has no effect.")
        .contains(
            "LOG (nnet3-train) Average objective function for 'output' for minibatches 0-19 is -0.")
        .contains("LOG (nnet3-train) Overall average objective function for 'output' is -0.");
    assertThat(last()).isEqualTo("LOG (nnet3-train) Wrote model to " + at("1.raw"));
    assertThat(
            run(
                "nnet3-compute-prob",
                "--compute-per-dim-accuracy",
                at("1.raw"),
                "ark:" + at("egs")))
        .isZero();
    assertThat(log())
        .contains("LOG (nnet3-compute-prob) Overall log-likelihood for 'output' is -0.")
        .contains(" per frame, over 1920 frames.")
        .contains("LOG (nnet3-compute-prob) Overall accuracy for 'output' is 0.")
        .contains("Overall per-dim accuracy vector for 'output' is  [ 0.");
    assertThat(
            run(
                "nnet3-show-progress",
                "--num-segments=4",
                at("0.raw"),
                at("1.raw"),
                "ark:" + at("egs")))
        .as(log())
        .isZero();
    assertThat(log())
        .contains("LOG (nnet3-show-progress) At position 0.125, objf per frame is -0.")
        .contains("LOG (nnet3-show-progress) At position 0.875, objf per frame is -0.")
        .contains("LOG (nnet3-show-progress) Parameter differences per layer are [ a:");
    double change = 0;
    String changes = log().split("Total objf change per component is ")[1].split("\\R")[0];
    for (String part : changes.split(" ")) {
      change += part.contains(":") ? Double.parseDouble(part.split(":")[1]) : 0;
    }
    assertThat(change)
        .isCloseTo(objective("1.raw") - objective("0.raw"), Offset.offset(0.01))
        .isGreaterThan(0.03);
    assertThat(run("nnet3-combine", at("1.raw"), at("0.raw"), "ark:" + at("egs"), at("c.raw")))
        .as(log())
        .isZero();
    assertThat(log())
        .contains("LOG (nnet3-combine) Read 30 examples.")
        .contains("LOG (nnet3-combine) objective function using the last model is -0.")
        .contains("LOG (nnet3-combine) Combining last 2 models, objective function is -0.")
        .contains("nets, objective function changed from -0.")
        .contains("Recomputing stats on nnet (affects batch-norm)");
    // of all examples, faded by nothing
    assertThat(Nnet.load(at("c.raw")).components().get("n").info()).contains("count=1920,");
  }

  @Test
  void computationsAreToldAndKeptAsOptionsSay() {
    assertThat(run("nnet3-train", "--verbose=1", at("0.raw"), "ark:" + at("egs"), at("1.raw")))
        .isZero();
    assertThat(log().replaceAll("in [0-9.]+ ms", "in . ms"))
        .contains(
            "LOG (nnet3-train) Compiled computation 1 in . ms: the cache is empty; cached 1 of"
                + " 64.\n")
        .contains(
            "LOG (nnet3-train) Compiled computation 2 in . ms: differs by updates of"
                + " preconditioners [false")
        .doesNotContain("assignments\n");
    assertThat(
            run(
                "nnet3-train",
                "--computation.debug",
                "--compiler.cache-capacity=3",
                "--optimization.optimize=false",
                at("0.raw"),
                "ark:" + at("egs"),
                at("1.raw")))
        .isZero();
    assertThat(log()).contains("LOG (nnet3-train) matrices\n").contains("assignments\n");
    assertThat(run("nnet3-compute-prob", "--computation.debug", at("1.raw"), "ark:" + at("egs")))
        .isZero();
    assertThat(log()).contains("LOG (nnet3-compute-prob) matrices\n");
    assertThat(
            run(
                "nnet3-train",
                "--compiler.cache-capacity=0",
                at("0.raw"),
                "ark:" + at("egs"),
                at("1.raw")))
        .isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-train) [options] --compiler.cache-capacity must be 1 or more; got 0; "
                + "leave it out for the default.");
  }

  private int train(String... options) {
    var words = new ArrayList<>(List.of("nnet3-train"));
    words.addAll(List.of(options));
    words.addAll(List.of(at("0.raw"), "ark:" + at("egs"), at("1.raw")));
    return run(words.toArray(String[]::new));
  }

  @Test
  void whatComputationsThereWereIsWrittenAndRead() throws IOException {
    String file = at("cache");
    assertThat(train("--read-cache=" + file, "--write-cache=" + file)).as(log()).isZero();
    assertThat(log())
        .contains(
            "WARNING (nnet3-train) Could not open cached computations "
                + file
                + ". Probably this is the first training iteration.\n")
        .contains("LOG (nnet3-train) Wrote 1 cached computations to " + file + "\n");
    assertThat(Files.readString(Path.of(file)))
        .startsWith(
            "ristretto-nnet3-requests 1\nneed-model-derivative 1\nstore-component-stats 1\n"
                + "input input has-deriv=0\nrange order=nt n=0:16 t=")
        .endsWith("\nend\n");
    assertThat(train("--read-cache=" + file)).isZero();
    assertThat(log()).contains("LOG (nnet3-train) Read 1 cached computations from " + file + "\n");
  }

  @Test
  void withoutExamplesTheOldCacheStays() throws IOException {
    Path file = Path.of(at("cache"));
    Files.writeString(file, "old");
    Files.writeString(Path.of(at("egs")), "");
    assertThat(train("--write-cache=" + file)).isEqualTo(1);
    assertThat(last())
        .isEqualTo("WARNING (nnet3-train) No examples were trained on, and nothing was written.");
    assertThat(file).hasContent("old");
  }

  @Test
  void otherFilesAreNoCaches() throws IOException {
    assertThat(train("--read-cache=" + at("0.raw"))).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-train) [cache] a cache file must begin with"
                + " \"ristretto-nnet3-requests 1\"; got binary data in "
                + at("0.raw")
                + "; give one that this command wrote, or leave the option out.");
    Path file = Path.of(at("cache"));
    Files.writeString(file, "something");
    assertThat(train("--read-cache=" + file)).isEqualTo(255);
    assertThat(last()).contains("; got other text in " + file + "; give one");
    Files.writeString(file, "");
    assertThat(train("--read-cache=" + file)).isEqualTo(255);
    assertThat(last()).contains("; got nothing in " + file + "; give one");
    String start = "ristretto-nnet3-requests 1\ninput input has-deriv=0\nrange n=0:1 t=0:3\n";
    Files.writeString(file, start);
    assertThat(train("--read-cache=" + file)).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-train) [cache] each request of a cache file must end with"
                + " \"end\"; got the end of "
                + file
                + " in request 1; write it again, or leave the option out.");
    Files.writeString(file, start + "output nobody has-deriv=0\nrange n=0:1 t=0:3\nend\n");
    assertThat(train("--read-cache=" + file)).isZero();
    assertThat(log())
        .contains(
            "WARNING (nnet3-train) The cached computations "
                + file
                + " are of another network, and are not used: ");
  }

  @Test
  void commandsThatComputeHaveTheOptionsOfComputations() {
    for (String command :
        new String[] {
          "nnet3-train",
          "nnet3-compute-prob",
          "nnet3-compute",
          "nnet3-compute-batch",
          "nnet3-eval",
          "nnet3-compile",
          "nnet3-graph"
        }) {
      assertThat(
              run(
                  command,
                  "--compiler.use-shortcut=true",
                  "--compiler.cache-capacity=3",
                  "--computation.debug=false",
                  "--optimization.optimize=true",
                  "--optimization.propagate-in-place=false",
                  "--optimization.max-deriv-time=10",
                  "--optimization.memory-compression-level=0",
                  "--help"))
          .as(command + log())
          .isZero();
    }
    assertThat(run("nnet3-xvector-compute", "--use-shortcut", "--cache-capacity=3", "--help"))
        .isZero();
  }

  /** Log lines of a command about the computations that it compiles. */
  private String computations(String option, String command, String... arguments) {
    var words =
        new ArrayList<>(List.of(command, "--print-args=false", "--computation.debug", option));
    words.addAll(List.of(arguments));
    assertThat(run(words.toArray(String[]::new))).as(log()).isZero();
    assertThat(log()).contains("assignments\n");
    return log();
  }

  private void passesMatter(String command, String... arguments) {
    String all = computations("--optimization.optimize=true", command, arguments);
    for (String pass : List.of("optimize-row-ops", "allocate-from-other")) {
      assertThat(computations("--optimization." + pass + "=false", command, arguments))
          .isNotEqualTo(all);
    }
  }

  @Test
  void passesCanBeLeftOutWhereverObjectivesAreComputed() {
    passesMatter("nnet3-compute-prob", at("0.raw"), "ark:" + at("egs"));
    passesMatter("nnet3-show-progress", at("0.raw"), at("0.raw"), "ark:" + at("egs"));
  }

  @Test
  void featuresMustHaveTheColumnsOfTheInput() {
    Nnet.fromConfig(
            "test",
            RingExamples.CONFIG
                .replace("dim=4\n", "dim=5\n")
                .replace("input-dim=12", "input-dim=15"),
            1)
        .save(at("0.raw"), true);
    String message =
        "[egs] features must have as many columns as the network's input; got 4 for 5 of"
            + " \"input\"; make examples for this network.";
    assertThat(train()).isEqualTo(255);
    assertThat(last()).isEqualTo("ERROR (nnet3-train) " + message);
    assertThat(run("nnet3-compute-prob", at("0.raw"), "ark:" + at("egs"))).isEqualTo(255);
    assertThat(last()).isEqualTo("ERROR (nnet3-compute-prob) " + message);
  }

  @Test
  void emptyTablesAreAFailure() {
    try (var out = ExampleKind.NNET3.writer("ark:" + at("none"))) {
      out.commit();
    }
    assertThat(run("nnet3-train", at("0.raw"), "ark:" + at("none"), at("1.raw"))).isEqualTo(1);
    assertThat(run("nnet3-compute-prob", at("0.raw"), "ark:" + at("none"))).isEqualTo(1);
    assertThat(run("nnet3-combine", at("0.raw"), "ark:" + at("none"), at("1.raw"))).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-combine) [combine] there must be examples; got none in ark:"
                + at("none")
                + "; give another archive.");
  }
}
