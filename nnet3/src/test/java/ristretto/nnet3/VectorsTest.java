package ristretto.nnet3;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VectorsTest {
  @Test
  void areAllThere() {
    assertThat(Vectors.cases()).hasSize(250).contains("comp-Affine", "rand-15", "x-tdnnf-train");
    assertThat(Vectors.recipes()).hasSize(11).contains("recipes/lstm_swbd_6k");
    assertThat(Vectors.casesWith("error.txt")).hasSize(27);
  }

  @Test
  void equalFilesAreLinks() {
    assertThat(Vectors.bytes("recipes/tdnn_wsj_1a", "lda.mat"))
        .isEqualTo(Vectors.bytes("recipes/blstm_swbd_6l", "lda.mat"))
        .hasSize(854470);
    assertThat(Vectors.text("comp-Tdnn", "request.txt")).startsWith("need-model-derivative");
  }
}
