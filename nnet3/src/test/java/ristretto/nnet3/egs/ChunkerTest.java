package ristretto.nnet3.egs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import ristretto.kernels.ShapeException;

class ChunkerTest {
  private static ExampleGenerationOptions options(
      List<Integer> sizes, int overlap, int subsampling) {
    return new ExampleGenerationOptions(sizes, overlap, subsampling, 3, 2, 1, 0);
  }

  /** Chunks lie within the utterance, and weights of a frame's copies sum to one. */
  @Property(tries = 200)
  void chunksCoverWhatTheyCan(
      @ForAll @IntRange(min = 0, max = 400) int length,
      @ForAll @IntRange(min = 0, max = 7) int overlap,
      @ForAll @IntRange(min = 1, max = 3) int subsampling,
      @ForAll long seed) {
    var options = options(List.of(24, 12, 30), overlap, subsampling);
    var chunker = new Chunker(options, seed);
    List<ExampleChunk> chunks = chunker.chunks(length);
    if (length < 12) {
      assertThat(chunks).isEmpty();
      return;
    }
    var seen = new float[(length + subsampling - 1) / subsampling];
    for (int k = 0; k < chunks.size(); k++) {
      ExampleChunk chunk = chunks.get(k);
      assertThat(chunk.size()).isIn(12, 24, 30);
      assertThat(chunk.first() % subsampling).isZero();
      assertThat(chunk.left()).isEqualTo(k == 0 ? 1 : 3);
      assertThat(chunk.right()).isEqualTo(k == chunks.size() - 1 ? 0 : 2);
      for (int t = 0; t < chunk.weights().length; t++) {
        seen[chunk.first() / subsampling + t] += chunk.weights()[t];
      }
    }
    int covered = 0;
    for (float weight : seen) {
      assertThat(weight)
          .satisfiesAnyOf(
              w -> assertThat(w).isZero(), w -> assertThat(w).isBetween(0.999f, 1.001f));
      covered += weight > 0 ? 1 : 0;
    }
    // gaps cost twice what overlaps do
    assertThat(seen.length - covered).isLessThanOrEqualTo(12);
  }

  @Test
  void oneSizeLeavesTheLeastOut() {
    var chunker = new Chunker(ExampleGenerationOptions.of(8, 11, 11), 3);
    List<ExampleChunk> chunks = chunker.chunks(50);
    // 7 chunks would be 6 frames too long, 6 leave 2 out, which costs 4
    assertThat(chunks).hasSize(6);
    assertThat(chunks.get(5).first() + 8).isLessThanOrEqualTo(50);
    assertThat(chunker.chunks(54)).hasSize(7);
    assertThat(chunker.chunks(7)).isEmpty();
    assertThat(chunker.report())
        .containsExactly(
            "Split 3 utts, with total length 111 frames (0.000308333 hours assuming 100 frames per"
                + " second) into 13 chunks.",
            "Average chunk length was 8 frames; overlap between adjacent chunks was 1.8018% of"
                + " input length; length of output was 93.6937% of input length (minus overlap ="
                + " 91.8919%).");
  }

  @Test
  void wholeUtterancesAreOneChunk() {
    var chunker = new Chunker(options(List.of(), 0, 3), 1);
    List<ExampleChunk> chunks = chunker.chunks(20);
    assertThat(chunks).hasSize(1);
    assertThat(chunks.get(0).size()).isEqualTo(20);
    assertThat(chunks.get(0).weights()).hasSize(7).containsOnly(1f);
  }

  @Test
  void theSameSeedCutsTheSame() {
    var options = options(List.of(10, 6), 2, 1);
    assertThat(firsts(new Chunker(options, 5))).isEqualTo(firsts(new Chunker(options, 5)));
    assertThat(firsts(new Chunker(options, 5))).isNotEqualTo(firsts(new Chunker(options, 6)));
  }

  private static List<List<Integer>> firsts(Chunker chunker) {
    return Arrays.asList(101, 57, 73, 230).stream()
        .map(length -> chunker.chunks(length).stream().map(ExampleChunk::first).toList())
        .toList();
  }

  @Test
  void sizesAreRoundedUpAndChecked() {
    assertThat(options(List.of(8, 9), 0, 3).sizes()).containsExactly(9, 9);
    assertThatThrownBy(() -> options(List.of(8, 0), 0, 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[egs] chunk sizes must be at least 1; got [8, 0]; give sizes such as 8 or 40,25,50.");
    assertThatThrownBy(() -> options(List.of(8), 8, 1))
        .hasMessage(
            "[egs] chunks must overlap by less than their usual size, 8; got 8; give less.");
    assertThatThrownBy(() -> options(List.of(8), 0, 0))
        .hasMessage(
            "[egs] the number of input frames per target frame must be at least 1; got 0; omit it"
                + " for 1.");
  }
}
