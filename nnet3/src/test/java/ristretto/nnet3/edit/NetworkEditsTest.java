package ristretto.nnet3.edit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.component.affine.AffineComponent;
import ristretto.nnet3.component.affine.FixedScaleComponent;
import ristretto.nnet3.component.affine.LinearComponent;
import ristretto.nnet3.config.ConfigException;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;

class NetworkEditsTest {
  private static final Nnet NNET =
      Nnet.fromConfig(
          "test",
          """
          input-node name=input dim=3
          input-node name=spare dim=1
          component name=a1 type=NaturalGradientAffineComponent input-dim=3 output-dim=4 learning-rate-factor=0.5
          component name=a2 type=AffineComponent input-dim=8 output-dim=5
          component name=scale type=FixedScaleComponent dim=5
          component name=drop type=DropoutComponent dim=5 dropout-proportion=0.1
          component name=bn type=BatchNormComponent dim=5
          component name=lost type=NoOpComponent dim=3
          component-node name=a1 component=a1 input=input
          component-node name=a2 component=a2 input=Append(Offset(a1, -1), a1)
          component-node name=scale component=scale input=a2
          component-node name=drop component=drop input=scale
          component-node name=bn component=bn input=drop
          component-node name=lost component=lost input=input
          output-node name=output input=bn
          output-node name=output-x input=a1 objective=quadratic
          """,
          7);

  private final List<String> said = new ArrayList<>();

  private NetworkEdits edits() {
    return new NetworkEdits(
        NNET,
        new EditLog() {
          @Override
          public void info(String text) {
            said.add(text);
          }

          @Override
          public void warning(String text) {
            said.add("WARNING " + text);
          }
        });
  }

  private Nnet edit(String line) {
    return edits().apply(ConfigLine.parse("--edits", line)).nnet();
  }

  private static String info(Nnet nnet, String component) {
    return nnet.components().get(component).info();
  }

  @Test
  void learningRatesOfSomeComponents() {
    Nnet nnet = edit("set-learning-rate name=a* learning-rate=0.02");
    assertThat(info(nnet, "a1")).contains("learning-rate=0.01,");
    assertThat(info(nnet, "a2")).contains("learning-rate=0.02,");
    assertThat(info(NNET, "a2")).contains("learning-rate=0.001,");
    assertThat(said).containsExactly("Set learning rates for 2 components.");
    nnet = edit("set-learning-rate-factor name=*2 learning-rate-factor=3");
    assertThat(info(nnet, "a2")).contains("learning-rate-factor=3,");
    assertThat(said).contains("Set learning rate factors for 1 components.");
    assertThat(info(edits().setLearningRate(1).nnet(), "a1")).contains("learning-rate=0.5,");
  }

  @Test
  void orphansAreRemovedButInputs() {
    Nnet nnet = edit("remove-output-nodes name=output-*\nremove-orphans");
    assertThat(nnet.components().keySet()).containsExactly("a1", "a2", "scale", "drop", "bn");
    assertThat(nnet.number("lost")).isEqualTo(-1);
    assertThat(nnet.inputDim("spare")).isEqualTo(1);
    assertThat(said)
        .containsExactly(
            "Removing 1 output nodes.", "Removed 1 orphan nodes.", "Removing 1 orphan components.");
    assertThat(edit("remove-orphan-nodes remove-orphan-inputs=true").inputDim("spare"))
        .isEqualTo(-1);
    assertThat(edit("remove-orphan-components").components()).containsKey("lost");
  }

  @Test
  void nodesAreRenamedWhereTheyAreRead() {
    assertThat(edit("rename-node old-name=a1 new-name=first").configLines(false))
        .contains(
            "component-node name=first component=a1 input=input",
            "component-node name=a2 component=a2 input=Append(Offset(first, -1), first)",
            "output-node name=output-x input=first objective=quadratic");
  }

  @Test
  void affineBecomesFixed() {
    Nnet nnet = edit("convert-to-fixed-affine name=a1");
    assertThat(nnet.components().get("a1").type()).isEqualTo("FixedAffineComponent");
    assertThat(nnet.parameterCount()).isEqualTo(45);
    assertThat(said).containsExactly("Converted 1 components to FixedAffineComponent.");
  }

  @Test
  void dropoutProportions() {
    assertThat(info(edit("set-dropout-proportion proportion=0.4"), "drop"))
        .contains("dropout-proportion=0.4");
    assertThat(said).containsExactly("Set dropout proportions for 1 components.");
  }

  @Test
  void svdSplitsAffineComponents() {
    Nnet nnet = edit("apply-svd name=a2 bottleneck-dim=3");
    assertThat(nnet.configLines(false))
        .containsSubsequence(
            "component-node name=a1 component=a1 input=input",
            "component-node name=a2_a component=a2_a input=Append(Offset(a1, -1), a1)",
            "component-node name=a2_b component=a2_b input=a2_a",
            "component-node name=scale component=scale input=a2_b");
    assertThat(nnet.components().keySet())
        .containsExactly("a1", "scale", "drop", "bn", "a2_a", "a2_b");
    Matrix a = ((LinearComponent) nnet.components().get("a2_a")).weights();
    Matrix b = ((AffineComponent) nnet.components().get("a2_b")).linear;
    assertThat(a.rows()).isEqualTo(3);
    double norm = 0;
    for (float v : product(b, a).data()) {
      norm += v * v;
    }
    double all = 0;
    for (float v : ((AffineComponent) NNET.components().get("a2")).linear.data()) {
      all += v * v;
    }
    assertThat(norm).isLessThan(all).isGreaterThan(0.6 * all);
    assertThat(said).contains("Decomposed 1 components with SVD dimension 3");
    said.clear();
    edit("apply-svd name=scale energy-threshold=0.9");
    assertThat(said)
        .containsExactly(
            "WARNING Not decomposing component scale as it is not an AffineComponent.",
            "Converted 0 components to FixedAffineComponent.",
            "Decomposed 0 components with SVD dimension -1");
  }

  private static Matrix product(Matrix b, Matrix a) {
    var sum = new Matrix(b.rows(), a.cols());
    for (int r = 0; r < b.rows(); r++) {
      for (int c = 0; c < a.cols(); c++) {
        float s = 0;
        for (int k = 0; k < a.rows(); k++) {
          s += b.get(r, k) * a.get(k, c);
        }
        sum.set(r, c, s);
      }
    }
    return sum;
  }

  @Test
  void rankIsReduced() {
    Nnet nnet = edit("reduce-rank name=a* rank=2");
    Matrix low = ((AffineComponent) nnet.components().get("a1")).linear;
    // All 3 by 3 minors of the first rows vanish.
    double det = 0;
    for (int i = 0; i < 3; i++) {
      det +=
          low.get(0, i)
              * (low.get(1, (i + 1) % 3) * low.get(2, (i + 2) % 3)
                  - low.get(1, (i + 2) % 3) * low.get(2, (i + 1) % 3));
    }
    assertThat(det).isCloseTo(0, within(1e-6));
    assertThat(said).contains("Reduced rank of parameters of 2 components.");
  }

  @Test
  void preparationForTestMergesComponents() {
    Nnet nnet = edits().prepareForTest().nnet();
    assertThat(nnet.components().keySet()).containsExactly("a1", "drop", "bn", "a1.a2.scale");
    assertThat(nnet.configLines(false))
        .contains(
            "component-node name=scale component=a1.a2.scale input=Append(Offset(input, -1),"
                + " input)");
    assertThat(info(nnet, "bn")).contains("test-mode=true");
    var merged = (AffineComponent) nnet.components().get("a1.a2.scale");
    assertThat(apply(merged, 0.5f, -1, 2, 0.25f, 1, -3)).containsExactly(expected(), within(1e-4f));
  }

  /** Outputs of a1, a2 and scale for (0.5, -1, 2) and (0.25, 1, -3). */
  private static float[] expected() {
    float[] before = apply((AffineComponent) NNET.components().get("a1"), 0.5f, -1, 2);
    float[] now = apply((AffineComponent) NNET.components().get("a1"), 0.25f, 1, -3);
    var both = new float[8];
    System.arraycopy(before, 0, both, 0, 4);
    System.arraycopy(now, 0, both, 4, 4);
    float[] out = apply((AffineComponent) NNET.components().get("a2"), both);
    float[] scales = ((FixedScaleComponent) NNET.components().get("scale")).scales;
    for (int i = 0; i < out.length; i++) {
      out[i] *= scales[i];
    }
    return out;
  }

  private static float[] apply(AffineComponent affine, float... x) {
    float[] y = affine.bias.clone();
    for (int o = 0; o < y.length; o++) {
      for (int i = 0; i < x.length; i++) {
        y[o] += affine.linear.get(o, i) * x[i];
      }
    }
    return y;
  }

  @Test
  void repeatedAffineBecomesBlockAffine() {
    Nnet nnet =
        Nnet.fromConfig(
            "test",
            """
            input-node name=input dim=4
            component name=c type=CompositeComponent num-components=2 component1='type=RepeatedAffineComponent input-dim=4 output-dim=6 num-repeats=2' component2='type=NoOpComponent dim=6'
            component-node name=c component=c input=input
            output-node name=output input=c
            """,
            1);
    EditLog silent =
        new EditLog() {
          @Override
          public void info(String text) {}

          @Override
          public void warning(String text) {}
        };
    Nnet block = new NetworkEdits(nnet, silent).convertRepeatedToBlock().nnet();
    assertThat(block.components().get("c").info())
        .startsWith("CompositeComponent sub-component1 = { BlockAffineComponent, input-dim=4")
        .contains("num-blocks=2");
    assertThat(block.parameterCount()).isEqualTo(2 * nnet.parameterCount());
  }

  @Test
  void wrongEditsAreRefused() {
    refused(
        "remove-orphan",
        "an edit must be one of convert-to-fixed-affine, remove-orphan-nodes,"
            + " remove-orphan-components, remove-orphans, set-learning-rate,"
            + " set-learning-rate-factor, rename-node, remove-output-nodes,"
            + " set-dropout-proportion, apply-svd, reduce-rank; got 'remove-orphan'; did you mean"
            + " 'remove-orphan-nodes'?",
        0);
    refused("remove-orphans all=1", "every key of this line must be known; got 'all'.", 15);
    refused("set-learning-rate", "this line needs learning-rate=...; got none.", 0);
    refused(
        "rename-node old-name=a3 new-name=b",
        "old-name must be the name of a node; got 'a3'; did you mean 'a1'?",
        21);
    refused(
        "rename-node old-name=a1 new-name=a2",
        "new-name must not be the name of another node; got 'a2'.",
        33);
    refused("remove-output-nodes name=*", "an output node must remain; got '*'.", 25);
    refused(
        "apply-svd name=*",
        "apply-svd needs bottleneck-dim of at least 1, or energy-threshold between 0 and 1; got"
            + " neither.",
        0);
  }

  private void refused(String line, String rule, int at) {
    assertThatThrownBy(() -> edit(line))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "[config] " + rule + " At --edits:1\n  " + line + "\n  " + " ".repeat(at) + "^");
  }
}
