package ristretto.nnet3.decode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.SimpleContext;
import ristretto.nnet3.io.Matrix;

class SplitterTest {
  private static final SimpleContext CONTEXT = new SimpleContext(2, 1);
  private static final Ivectors NONE = new Ivectors.None();
  private static final ChunkOptions PLAIN = new ChunkOptions(0, 0, -1, -1, 1, 10);
  private static final ChunkOptions EXTRA = new ChunkOptions(5, 4, 0, 0, 3, 12);

  private static Chunk chunk(
      int from, int inputs, int first, int outputs, int stride, int skip, int used, boolean edge) {
    return new Chunk(from, inputs, first, outputs, stride, skip, used, null, edge);
  }

  @Test
  void theLastChunkIsShorter() {
    assertThat(new Splitter.Simple(PLAIN, CONTEXT).split(23, NONE))
        .containsExactly(
            chunk(-2, 13, 0, 10, 1, 0, 10, false),
            chunk(8, 13, 10, 10, 1, 0, 10, false),
            chunk(18, 6, 20, 3, 1, 0, 3, false));
    assertThat(new Splitter.Simple(EXTRA, CONTEXT).split(20, NONE))
        .containsExactly(chunk(-2, 17, 0, 4, 3, 0, 4, false), chunk(5, 15, 12, 3, 3, 0, 3, false));
  }

  @Test
  void evenChunksGoBackFromTheEnd() {
    assertThat(new Splitter.Even(PLAIN, CONTEXT, false).split(23, NONE))
        .containsExactly(
            chunk(-2, 13, 0, 10, 1, 0, 10, false),
            chunk(8, 13, 10, 10, 1, 0, 10, false),
            chunk(11, 13, 13, 10, 1, 7, 3, false));
    assertThat(new Splitter.Even(EXTRA, CONTEXT, false).split(20, NONE))
        .containsExactly(chunk(-2, 19, 0, 4, 3, 0, 4, true), chunk(2, 20, 9, 4, 3, 1, 3, true));
    assertThat(new Splitter.Even(EXTRA, CONTEXT, false).split(36, NONE))
        .extracting(Chunk::edge)
        .containsExactly(true, false, true);
  }

  @Test
  void aShortUtteranceIsPaddedOrAlone() {
    assertThat(new Splitter.Even(PLAIN, CONTEXT, false).split(4, NONE))
        .containsExactly(chunk(-2, 13, 0, 10, 1, 0, 4, false));
    assertThat(new Splitter.Even(PLAIN, CONTEXT, true).split(4, NONE))
        .containsExactly(chunk(-2, 7, 0, 4, 1, 0, 4, false));
    assertThat(new Splitter.Whole(7).split(4, NONE))
        .containsExactly(chunk(-1, 7, -1, 1, 1, 0, 1, false));
    assertThat(new Splitter.Whole(7).split(9, NONE))
        .containsExactly(chunk(0, 9, 0, 1, 1, 0, 1, false));
  }

  @Test
  void onlineIvectorsAreThoseOfTheMiddle() {
    var online = new Ivectors.Online(Matrix.of(new float[] {0}, new float[] {1}), 10);
    List<Chunk> chunks = new Splitter.Simple(PLAIN, CONTEXT).split(23, online);
    assertThat(chunks).extracting(c -> c.ivector()[0]).containsExactly(0f, 1f, 1f);
    chunks = new Splitter.Even(PLAIN, CONTEXT, false).split(23, online);
    assertThat(chunks).extracting(c -> c.ivector()[0]).containsExactly(0f, 1f, 1f);
    var wide = new ChunkOptions(0, 0, -1, -1, 1, 300);
    chunks = new Splitter.Even(wide, CONTEXT, false).split(5, online);
    assertThat(chunks).extracting(c -> c.ivector()[0]).containsExactly(1f);
  }
}
