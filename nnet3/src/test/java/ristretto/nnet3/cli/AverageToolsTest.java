package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.network.AmNnet;
import ristretto.nnet3.network.Nnet;

class AverageToolsTest extends ToolTest {
  private static final String CONFIG =
      """
      input-node name=input dim=3
      component name=a type=AffineComponent input-dim=3 output-dim=2
      component name=r type=RectifiedLinearComponent dim=2
      component-node name=a component=a input=input
      component-node name=r component=r input=a
      output-node name=output input=r
      """;

  private Nnet nnet(String name, long seed) {
    Nnet nnet = Nnet.fromConfig("test", CONFIG, seed);
    nnet.save(at(name), true);
    return nnet;
  }

  private static List<float[]> parameters(Nnet nnet) {
    return ((UpdatableComponent) nnet.components().get("a")).parameters();
  }

  @Test
  void averagesHaveWeights() {
    List<float[]> a = parameters(nnet("a", 1));
    List<float[]> b = parameters(nnet("b", 2));
    assertThat(run("nnet3-average", "--weights=3:1", at("a"), at("b"), at("c"))).isZero();
    assertThat(log())
        .contains("WARNING (nnet3-average) Normalizing weights to sum to one, sum was 4")
        .contains(
            "LOG (nnet3-average) Averaged parameters of 2 neural nets, and wrote to " + at("c"));
    List<float[]> c = parameters(Nnet.load(at("c")));
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < c.get(k).length; i++) {
        assertThat(c.get(k)[i])
            .isEqualTo((float) (0.75f * a.get(k)[i] + (double) 0.25f * b.get(k)[i]));
      }
    }
    assertThat(run("nnet3-average", at("a"), at("a"), at("a"), at("a"), at("d"))).isZero();
    assertThat(parameters(Nnet.load(at("d"))).get(0)).containsExactly(a.get(0));
  }

  private byte[] kaldi(String name) throws IOException {
    try (InputStream in = Vectors.class.getResourceAsStream("average/" + name)) {
      byte[] bytes = in.readAllBytes();
      Files.write(folder().resolve(name), bytes);
      return bytes;
    }
  }

  @Test
  void averagesHaveTheBytesOfKaldis() throws IOException {
    for (String name : List.of("0.raw", "1.raw", "2.raw")) {
      kaldi(name);
    }
    String[] equal = {"nnet3-average", at("0.raw"), at("1.raw"), at("2.raw"), at("ours")};
    assertThat(run(equal)).isZero();
    assertThat(Files.readAllBytes(folder().resolve("ours"))).isEqualTo(kaldi("equal.raw"));
    String[] weighted = {
      "nnet3-average", "--weights=1:3:2", at("0.raw"), at("1.raw"), at("2.raw"), at("ours")
    };
    assertThat(run(weighted)).isZero();
    assertThat(Files.readAllBytes(folder().resolve("ours"))).isEqualTo(kaldi("weighted.raw"));
  }

  @Test
  void wrongWeightsAndOtherNetworksAreRefused() {
    nnet("a", 1);
    for (String wrong : List.of("1", "1:x", "1:-1")) {
      assertThat(run("nnet3-average", "--weights=" + wrong, at("a"), at("a"), at("c")))
          .isEqualTo(255);
      assertThat(last())
          .isEqualTo(
              "ERROR (nnet3-average) [options] --weights must be 2 colon-separated numbers with a non-zero sum; got \"%s\"; write, for example, 1:2:1."
                  .formatted(wrong));
    }
    Nnet.fromConfig("test", CONFIG.replace("=2", "=4"), 1).save(at("wide"), true);
    assertThat(run("nnet3-average", at("a"), at("wide"), at("c"))).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-average) [nnet] networks to add must have the same components; got"
                + " AffineComponent of 3 to 2 and AffineComponent of 3 to 4 as \"a\"; take other"
                + " networks.");
  }

  @Test
  void progressIsByComponent() {
    Nnet nnet = nnet("a", 1);
    Nnet doubled = nnet.copy();
    doubled.scale(2);
    doubled.save(at("b"), true);
    double norm = 0;
    for (float[] part : parameters(nnet)) {
      for (float x : part) {
        norm += (double) x * x;
      }
    }
    assertThat(run("nnet3-show-progress", at("a"), at("b"))).isZero();
    String text = FloatText.of(Math.sqrt(norm), 6);
    assertThat(log())
        .contains("LOG (nnet3-show-progress) Parameter differences per layer are [ a:" + text)
        .contains("Norms of parameter matrices from <new-nnet-in> are [ a:")
        .contains("Relative parameter differences per layer are [ a:1 ]");
    Nnet.fromConfig("test", CONFIG.replace("=2", "=4"), 1).save(at("wide"), true);
    assertThat(run("nnet3-show-progress", at("a"), at("wide"))).isZero();
    assertThat(last())
        .isEqualTo("WARNING (nnet3-show-progress) Parameter-dim mismatch, cannot show progress.");
  }

  @Test
  void modelsAreMadeAndGetPriors() throws IOException {
    nnet("raw", 1);
    var start = new ByteArrayOutputStream();
    start.write(new byte[] {0, 'B'});
    start.write("<TransitionModel> \1\2 </TransitionModel> ".getBytes(StandardCharsets.ISO_8859_1));
    Files.write(folder().resolve("trans"), start.toByteArray());
    assertThat(run("nnet3-am-init", at("trans"), at("raw"), at("0.mdl"))).as(log()).isZero();
    assertThat(last())
        .isEqualTo(
            "LOG (nnet3-am-init) Initialized am-nnet (neural net acoustic model) and wrote to "
                + at("0.mdl"));
    assertThat(AmNnet.load(at("0.mdl")).priors()).isEmpty();
    // a model will do for the transition model
    assertThat(run("nnet3-am-init", at("0.mdl"), at("raw"), at("same.mdl"))).isZero();
    assertThat(folder().resolve("same.mdl")).hasSameBinaryContentAs(folder().resolve("0.mdl"));
    KaldiOutput.write(at("sum"), true, out -> out.writeVector(new float[] {3, 1}));
    assertThat(run("nnet3-am-adjust-priors", at("0.mdl"), at("sum"), at("1.mdl"))).isZero();
    assertThat(log()).contains("Model did not previously have priors attached.");
    assertThat(AmNnet.load(at("1.mdl")).priors()).containsExactly(0.75f, 0.25f);
    KaldiOutput.write(at("sum"), true, out -> out.writeVector(new float[] {1, 1}));
    assertThat(run("nnet3-am-adjust-priors", at("1.mdl"), at("sum"), at("2.mdl"))).isZero();
    assertThat(log())
        .contains("Adjusting priors: largest absolute difference was for pdf 0, 0.75 -> 0.5")
        .contains("Adjusting priors: K-L divergence from old to new is 0.130812")
        .contains("Modified priors of neural network model and wrote it to " + at("2.mdl"));
    KaldiOutput.write(at("sum"), true, out -> out.writeVector(new float[] {0, 0}));
    assertThat(run("nnet3-am-adjust-priors", at("1.mdl"), at("sum"), at("3.mdl"))).isEqualTo(255);
    assertThat(last())
        .isEqualTo(
            "ERROR (nnet3-am-adjust-priors) [priors] posteriors must have a sum above 0; got 0.0 of"
                + " 2 elements; compute them again.");
  }
}
