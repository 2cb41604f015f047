package ristretto.nnet3.decode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
import ristretto.nnet3.network.VectorNets;

class SplitStrategyTest {
  private static final SimpleContext CONTEXT = new SimpleContext(2, 1);
  private static final Ivectors NONE = new Ivectors.None();
  private static final SplitOptions PLAIN = new SplitOptions(0, 0, -1, -1, 1, 10);
  private static final SplitOptions EXTRA = new SplitOptions(5, 4, 0, 0, 3, 12);

  /** Chunk with the fields that do not depend on other chunks. */
  private static UtteranceChunk chunk(
      int from, int inputs, int first, int outputs, int stride, int skip, int used, boolean edge) {
    return new UtteranceChunk(from, inputs, first, outputs, stride, skip, used, null, edge, 0);
  }

  private static List<UtteranceChunk> split(SplitStrategy splitter, int frames) {
    return splitter.split(frames, NONE).stream()
        .map(c ->
            chunk(
                c.firstInput(),
                c.inputs(),
                c.firstOutput(),
                c.outputs(),
                c.stride(),
                c.skip(),
                c.used(),
                c.edge()))
        .toList();
  }

  private static final Nnet RECURRENT = VectorNets.read("compute-fast-lstmp");

  private static SplitStrategy simple(Nnet nnet, SplitOptions options) {
    return new SplitStrategy.Simple(options, CONTEXT, ChunkLengths.of(nnet, CONTEXT, options));
  }

  @Test
  void theLastChunkIsShorter() {
    assertThat(split(simple(RECURRENT, PLAIN), 23))
        .containsExactly(
            chunk(-2, 13, 0, 10, 1, 0, 10, false),
            chunk(8, 13, 10, 10, 1, 0, 10, false),
            chunk(18, 6, 20, 3, 1, 0, 3, false));
    assertThat(split(simple(RECURRENT, EXTRA), 20))
        .containsExactly(chunk(-2, 17, 0, 4, 3, 0, 4, false), chunk(5, 15, 12, 3, 3, 0, 3, false));
  }

  @Test
  void evenChunksGoBackFromTheEnd() {
    assertThat(split(new SplitStrategy.Even(PLAIN, CONTEXT, false), 23))
        .containsExactly(
            chunk(-2, 13, 0, 10, 1, 0, 10, false),
            chunk(8, 13, 10, 10, 1, 0, 10, false),
            chunk(11, 13, 13, 10, 1, 7, 3, false));
    assertThat(split(new SplitStrategy.Even(EXTRA, CONTEXT, false), 20))
        .containsExactly(chunk(-2, 19, 0, 4, 3, 0, 4, true), chunk(2, 20, 9, 4, 3, 1, 3, true));
    assertThat(split(new SplitStrategy.Even(EXTRA, CONTEXT, false), 36))
        .extracting(UtteranceChunk::edge)
        .containsExactly(true, false, true);
  }

  @Test
  void aShortUtteranceIsPaddedOrAlone() {
    assertThat(split(new SplitStrategy.Even(PLAIN, CONTEXT, false), 4))
        .containsExactly(chunk(-2, 13, 0, 10, 1, 0, 4, false));
    assertThat(split(new SplitStrategy.Even(PLAIN, CONTEXT, true), 4))
        .containsExactly(chunk(-2, 7, 0, 4, 1, 0, 4, false));
    assertThat(split(new SplitStrategy.Whole(7), 4))
        .containsExactly(chunk(-1, 7, -1, 1, 1, 0, 1, false));
    assertThat(split(new SplitStrategy.Whole(7), 9))
        .containsExactly(chunk(0, 9, 0, 1, 1, 0, 1, false));
  }

  @Test
  void onlineIvectorsAreThoseOfTheMiddle() {
    var online = new Ivectors.Online(Matrix.of(new float[] {0}, new float[] {1}), 10);
    List<UtteranceChunk> chunks = simple(RECURRENT, PLAIN).split(23, online);
    assertThat(chunks).extracting(c -> c.ivector()[0]).containsExactly(0f, 1f, 1f);
    chunks = new SplitStrategy.Even(PLAIN, CONTEXT, false).split(23, online);
    assertThat(chunks).extracting(c -> c.ivector()[0]).containsExactly(0f, 1f, 1f);
    var wide = new SplitOptions(0, 0, -1, -1, 1, 300);
    chunks = new SplitStrategy.Even(wide, CONTEXT, false).split(5, online);
    assertThat(chunks).extracting(c -> c.ivector()[0]).containsExactly(1f);
  }

  @Test
  void chunksGrowWhereThatSavesAndChangesNothing() {
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
    var context = new SimpleContext(20, 20);
    var grows = new SplitStrategy.Simple(PLAIN, context, ChunkLengths.of(large, context, PLAIN));
    assertThat(grows.split(80, NONE)).hasSize(8);
    for (int k = 0; k < 10; k++) {
      grows.split(80, NONE);
    }
    assertThat(grows.split(80, NONE))
        .hasSize(2)
        .extracting(UtteranceChunk::outputs)
        .containsOnly(40);
    assertThat(grows.split(10, NONE)).hasSize(1).extracting(UtteranceChunk::usual).containsOnly(10);
    var online = new Ivectors.Online(Matrix.of(new float[] {0}), 100);
    assertThat(grows.split(80, online)).hasSize(8);
    var fixed =
        new SplitStrategy.Simple(PLAIN, context, ChunkLengths.of(RECURRENT, context, PLAIN));
    for (int k = 0; k < 1000; k++) {
      fixed.split(80, NONE);
    }
    assertThat(fixed.split(80, NONE)).hasSize(8);
  }
}
