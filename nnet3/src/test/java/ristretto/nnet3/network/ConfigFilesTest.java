package ristretto.nnet3.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.config.ConfigException;
import ristretto.nnet3.io.KaldiInput;

/** Configs make the networks that Kaldi makes of them. */
class ConfigFilesTest {
  private static final Pattern FILE = Pattern.compile("(matrix|vector|scales)=([a-z]+\\.\\w+)");

  /** Figures that depend on the parameters, which are random. */
  private static final Pattern RANDOM =
      Pattern.compile(", [^=, ]*-(rms|row-norms|col-norms|\\{mean,stddev\\}|min|max)=.*");

  @TempDir private Path folder;

  static List<String> configs() {
    return Vectors.casesWith("model.raw").stream()
        .filter(name -> Vectors.has(name, "nnet.config"))
        .toList();
  }

  static List<String> recipes() {
    return Vectors.recipes().stream().filter(name -> Vectors.has(name, "nnet3-info.txt")).toList();
  }

  static List<String> errors() {
    return List.copyOf(REFUSED.keySet());
  }

  private Nnet build(String name) {
    Vectors.copy(name, folder);
    if (Vectors.has(name, "final.config")) {
      return Nnet.fromConfig("final.config", config(name, "final.config"), 1);
    }
    Nnet nnet = Nnet.fromConfig("nnet.config", config(name, "nnet.config"), 1);
    return Vectors.has(name, "nnet2.config")
        ? nnet.withConfig("nnet2.config", config(name, "nnet2.config"), 2)
        : nnet;
  }

  /** With names of files where they are. */
  private String config(String name, String file) {
    Matcher files = FILE.matcher(Vectors.text(name, file));
    return files.replaceAll(m -> m.group(1) + "=" + folder.resolve(m.group(2)));
  }

  @ParameterizedTest
  @MethodSource("configs")
  void configMakesTheModelsNetwork(String name) {
    Nnet ours = build(name);
    Nnet theirs;
    try (KaldiInput in = KaldiInput.of("model.raw", Vectors.bytes(name, "model.raw"))) {
      theirs = Nnet.read(in);
    }
    assertThat(ours.configLines(true)).isEqualTo(theirs.configLines(true));
    assertThat(structure(ours)).isEqualTo(structure(theirs));
  }

  private static List<String> structure(Nnet nnet) {
    return nnet.components().entrySet().stream()
        .map(e -> e.getKey() + ": " + e.getValue().type() + " " + e.getValue().parameterCount())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("recipes")
  void recipeHasKaldisInfo(String name) {
    List<String> ours = build(name).info().lines().map(ConfigFilesTest::withoutFigures).toList();
    List<String> theirs =
        Vectors.text(name, "nnet3-info.txt").lines().map(ConfigFilesTest::withoutFigures).toList();
    assertThat(ours).isEqualTo(theirs);
  }

  private static String withoutFigures(String line) {
    return RANDOM.matcher(line).replaceAll("");
  }

  private static final Map<String, String> REFUSED =
      Map.ofEntries(
          Map.entry(
              "comp-Constant-noinput-err",
              "this line needs input=...; got none. At nnet.config:3\n"
                  + "  component-node name=m component=m\n  ^"),
          Map.entry(
              "error-bad-descriptor-name", "got 'Concat'; did you mean 'Const'? At nnet.config:"),
          Map.entry("error-bad-descriptor-paren", "',' must come next in Append; got the end. At"),
          Map.entry(
              "error-bad-descriptor-trailing",
              "a descriptor must be one expression; got 'affine2' after it. At"),
          Map.entry(
              "error-bad-dim",
              "the input of a component-node must have the input dimension of its component; got"
                  + " 16, but affine1 has 15. At"),
          Map.entry("error-bad-dim2", "got 7, but affine2 has 6. At"),
          Map.entry("error-bad-line", "got 'node'. At"),
          Map.entry("error-bad-name", "got '1nonlin'. At"),
          Map.entry(
              "error-bad-objective", "an objective must be linear or quadratic; got 'cubic'. At"),
          Map.entry(
              "error-dimrange-too-big",
              "the columns of a dim-range-node must exist; got 2 to 4 of input, which has 4. At"),
          Map.entry("error-output-as-source", "got 'output'"),
          Map.entry(
              "error-sum-dims",
              "the operands of Sum must have the same dimension; got a (3), input (4). At"),
          Map.entry("error-undefined-component", "got 'relu2'; did you mean 'relu1'? At"),
          Map.entry(
              "error-unused-node-value", "every key of this line must be known; got 'foo'. At"));

  @ParameterizedTest
  @MethodSource("errors")
  void wrongConfigIsRefused(String name) {
    assertThatThrownBy(() -> build(name))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("[config] ")
        .hasMessageContaining(REFUSED.get(name));
  }
}
