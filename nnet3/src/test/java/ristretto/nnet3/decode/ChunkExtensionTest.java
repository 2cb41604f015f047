package ristretto.nnet3.decode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.VectorNets;

class ChunkExtensionTest {
  private static UtteranceChunk.Form form(int before, int inputs, int outputs) {
    return new UtteranceChunk.Form(before, inputs, outputs, 1, false);
  }

  @Test
  void onlyNetworksWithoutOptionalReadsAreIndependentOfChunks() {
    for (String name : List.of("compute-tdnn", "compute-tdnnf-online-ivector", "x-tdnnf-test")) {
      assertThat(ChunkIndependence.holds(VectorNets.read(name))).as(name).isTrue();
    }
    for (String name :
        List.of(
            "compute-blstm",
            "x-xvector-test",
            "comp-TimeHeightConv-required0",
            "comp-RestrictedAttention-required0",
            "desc-failover-chain")) {
      assertThat(ChunkIndependence.holds(VectorNets.read(name))).as(name).isFalse();
    }
  }

  @Test
  void whatIsReadFromOneTimeDependsOnChunks() {
    Nnet fixed =
        Nnet.fromConfig(
            "test",
            """
            input-node name=input dim=2
            output-node name=output input=Append(input, ReplaceIndex(input, t, 0))
            """,
            1);
    assertThat(ChunkIndependence.holds(fixed)).isFalse();
    assertThat(ChunkIndependence.holds(VectorNets.read("desc-replaceindex-t"))).isTrue();
  }

  @Test
  void shortChunksAreComputedAsUsualOnesWhereThatChangesNothing() {
    assertThat(new ChunkExtension(VectorNets.read("compute-tdnn")).of(form(2, 12, 7), 20))
        .isEqualTo(form(2, 25, 20));
    // memory of the past alone
    assertThat(new ChunkExtension(VectorNets.read("compute-fast-lstmp")).of(form(10, 20, 8), 30))
        .isEqualTo(form(10, 42, 30));
    // memory of the future
    assertThat(new ChunkExtension(VectorNets.read("compute-blstm")).of(form(6, 20, 14), 20))
        .isEqualTo(form(6, 20, 14));
    assertThat(new ChunkExtension(VectorNets.read("compute-tdnn")).of(form(2, 12, 7), 0))
        .isEqualTo(form(2, 12, 7));
  }

  @Test
  void aLengthThatCostsMuchGetsAComputationOfItsOwn() {
    Nnet large =
        Nnet.fromConfig(
            "test",
            """
            input-node name=input dim=1000
            component name=a type=AffineComponent input-dim=1000 output-dim=2000
            component-node name=a component=a input=input
            output-node name=output input=a
            """,
            1);
    var forms = new ChunkExtension(large);
    for (int k = 0; k < 20; k++) {
      assertThat(forms.of(form(0, 8, 8), 40)).isEqualTo(form(0, 40, 40));
    }
    for (int k = 0; k < 20; k++) {
      forms.of(form(0, 8, 8), 40);
    }
    assertThat(forms.of(form(0, 8, 8), 40)).isEqualTo(form(0, 10, 10));
    assertThat(forms.of(form(0, 33, 33), 40)).isEqualTo(form(0, 40, 40));
  }
}
