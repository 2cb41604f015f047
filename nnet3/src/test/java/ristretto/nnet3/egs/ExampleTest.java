package ristretto.nnet3.egs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.Index;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.CompressedMatrix;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;

class ExampleTest {
  @TempDir private Path folder;

  /** Archives that Kaldi's classes wrote: four examples, two of them once more, compressed. */
  @BeforeEach
  void copyArchives() throws Exception {
    for (String name : List.of("egs.ark", "egs.txt")) {
      try (var in = ExampleTest.class.getResourceAsStream(name)) {
        Files.copy(in, folder.resolve(name));
      }
    }
  }

  private List<NnetExample> read(String name) {
    var to = new ArrayList<NnetExample>();
    try (var in = TableReader.open("ark:" + folder.resolve(name), NnetExample.HOLDER)) {
      while (in.next()) {
        to.add(in.value());
      }
    }
    return to;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {"ark egs.ark", "ark,t egs.txt"})
  void archivesComeOutAsTheyWere(String kind, String name) {
    Path again = folder.resolve("again");
    try (var in = TableReader.open("ark:" + folder.resolve(name), NnetExample.HOLDER);
        var out = TableWriter.open(kind + ":" + again, NnetExample.HOLDER)) {
      while (in.next()) {
        out.write(in.key(), in.value());
      }
      out.commit();
    }
    assertThat(again).hasSameBinaryContentAs(folder.resolve(name));
  }

  @Test
  void textAndBinaryHoldTheSame() {
    List<NnetExample> binary = read("egs.ark");
    List<NnetExample> text = read("egs.txt");
    assertThat(binary).hasSize(6);
    assertThat(text).hasSize(4);
    for (int k = 0; k < 4; k++) {
      for (int i = 0; i < 3; i++) {
        NnetIo a = binary.get(k).io().get(i);
        NnetIo b = text.get(k).io().get(i);
        assertThat(a.name()).isEqualTo(b.name());
        assertThat(a.indexes()).isEqualTo(b.indexes());
        float[] data = a.features().toMatrix().data();
        float[] other = b.features().toMatrix().data();
        assertThat(data).hasSameSizeAs(other);
        for (int e = 0; e < data.length; e++) {
          assertThat(data[e]).isCloseTo(other[e], Percentage.withPercentage(1e-4));
        }
      }
    }
    assertThat(binary.get(2).io().get(2).indexes())
        .containsExactly(new Index(2, 0), new Index(2, 402), new Index(2, 804));
    assertThat(binary.get(4).io().get(0).features()).isInstanceOf(CompressedMatrix.class);
    assertThat(binary.get(4).io().get(2).features()).isInstanceOf(SparseMatrix.class);
  }

  @Test
  void compressionKeepsSparseMatrices() {
    NnetExample compressed = read("egs.ark").get(0).compressed();
    assertThat(compressed.io().get(0).features()).isInstanceOf(CompressedMatrix.class);
    assertThat(compressed.io().get(2).features()).isInstanceOf(SparseMatrix.class);
    assertThat(compressed.compressed()).isEqualTo(compressed);
  }

  @Test
  void timesAreAnyIntegers() {
    List<Index> indexes =
        List.of(
            new Index(0, 124),
            new Index(0, 248),
            new Index(0, 124),
            new Index(0, -1),
            new Index(0, Integer.MIN_VALUE),
            new Index(0, Integer.MAX_VALUE),
            new Index(0, Integer.MIN_VALUE));
    var example = new NnetExample(List.of(new NnetIo("a", indexes, new Matrix(indexes.size(), 1))));
    byte[] bytes = KaldiOutput.bytes(true, out -> NnetExample.HOLDER.write(out, example));
    try (var in = KaldiInput.of("x", bytes)) {
      assertThat(NnetExample.HOLDER.read(in).io().get(0).indexes()).isEqualTo(indexes);
    }
  }

  @Test
  void truncatedAtAnyByteIsAnError() throws Exception {
    byte[] bytes =
        KaldiOutput.bytes(true, out -> NnetExample.HOLDER.write(out, read("egs.ark").get(4)));
    for (int n = 0; n < bytes.length; n++) {
      byte[] part = Arrays.copyOf(bytes, n);
      assertThatThrownBy(() -> NnetExample.HOLDER.read(KaldiInput.of("x", part)))
          .isInstanceOf(FileFormatException.class)
          .hasMessageMatching("\\[kaldi\\] .*; got .* at byte \\d+ of x; .*");
    }
  }

  @Test
  void whatIsNoExampleIsRefused() {
    refused("<NumIo> 0 ", "an example must have inputs or outputs; got 0 at byte 18");
    refused("<NumIo> -1 ", "the number of inputs and outputs must be 0 or more; got -1 at byte 18");
    refused(
        "<NumIo> 1 <NnetIo> a <I1V> 900000 ",
        "900000 indexes must have 9900000 bytes; got 1 bytes up to the end at byte 43");
    refused(
        "<NumIo> 1 <NnetIo> a <I1V> 1 <I1> 0 0 0 [ 1\n 2 ] </NnetIo> ",
        "there must be a row for each index; got 2 rows and 1 indexes at byte 49");
    byte[] bytes =
        KaldiOutput.bytes(
            true,
            out -> {
              out.writeToken("<Nnet3Eg>");
              out.writeToken("<NumIo>");
              out.writeInt(1);
              out.writeToken("<NnetIo>");
              out.writeToken("a");
              out.writeToken("<I1V>");
              out.writeInt(1);
              out.writeBytes(new byte[] {126, 0, 0, 0});
            });
    try (var in = KaldiInput.of("x", bytes)) {
      assertThatThrownBy(() -> NnetExample.HOLDER.read(in))
          .hasMessage(
              "[kaldi] an index must begin with a step in time below 125, or 127; got 126 at byte"
                  + " 47 of x; the file is damaged or of another kind.");
    }
  }

  private static void refused(String text, String message) {
    byte[] bytes = ("<Nnet3Eg> " + text).getBytes(StandardCharsets.US_ASCII);
    try (var in = KaldiInput.of("x", bytes)) {
      assertThatThrownBy(() -> NnetExample.HOLDER.read(in))
          .hasMessage("[kaldi] " + message + " of x; the file is damaged or of another kind.");
    }
  }

  private static NnetExample example(int frames, float value) {
    var input = new Matrix(frames, 2);
    Arrays.fill(input.data(), value);
    List<Index> times = IntStream.range(0, frames).mapToObj(t -> new Index(0, t)).toList();
    return new NnetExample(
        List.of(
            new NnetIo("output", times.subList(0, 1), Matrix.of(new float[] {value})),
            new NnetIo("input", times, input)));
  }

  @Test
  void mergingNumbersSequences() {
    NnetExample merged = NnetExample.merge(List.of(example(2, 1), example(2, 2)));
    assertThat(merged.io()).extracting(NnetIo::name).containsExactly("input", "output");
    assertThat(merged.io().get(0).indexes())
        .containsExactly(new Index(0, 0), new Index(0, 1), new Index(1, 0), new Index(1, 1));
    assertThat(merged.io().get(0).features().toMatrix().data())
        .containsExactly(1, 1, 1, 1, 2, 2, 2, 2);
    NnetExample twice = NnetExample.merge(List.of(merged, merged));
    assertThat(twice.io().get(1).indexes())
        .containsExactly(new Index(0, 0), new Index(1, 0), new Index(2, 0), new Index(3, 0));
    NnetExample sparse = NnetExample.merge(read("egs.ark").subList(0, 1));
    assertThat(sparse.io().get(2).features()).isInstanceOf(SparseMatrix.class);
  }

  @Test
  void whatDoesNotBelongTogetherIsNotMerged() {
    assertThatThrownBy(() -> NnetExample.merge(List.of()))
        .hasMessage("[egs] there must be examples to merge; got none; give at least one.");
    NnetExample two = NnetExample.merge(List.of(example(2, 1), example(2, 2)));
    assertThatThrownBy(() -> NnetExample.merge(List.of(example(2, 1), two)))
        .hasMessage(
            "[egs] examples to merge must have as many sequences as the first; got n = 1 of"
                + " \"input\", and 1 sequences in the first; merge them before.");
    var other =
        new NnetExample(
            List.of(new NnetIo("input", List.of(new Index(0, 0)), Matrix.of(new float[] {1}))));
    assertThatThrownBy(() -> NnetExample.merge(List.of(example(2, 1), other)))
        .hasMessage(
            "[egs] examples to merge must have features of one dimension; got 2 and 1 of \"input\";"
                + " make them from the same features.");
    assertThatThrownBy(() -> new NnetExample(List.of()))
        .hasMessage("[egs] an example must have inputs or outputs; got none; give at least one.");
    assertThatThrownBy(() -> new NnetIo("a", List.of(), new Matrix(1, 1)))
        .hasMessage(
            "[egs] there must be a row for each index; got 0 indexes and 1 rows of \"a\"; give"
                + " equal numbers.");
  }

  @Test
  void minibatchesAreFullUntilTheEnd() {
    var sizes = new ArrayList<Integer>();
    var merger =
        new ExampleMerger<NnetExample>(
            new MinibatchSizes("2=1:2,4/9=3"),
            (minibatch, count) -> {
              assertThat(minibatch.io().get(1).indexes()).hasSize(count);
              sizes.add(count);
            });
    for (int k = 0; k < 7; k++) {
      merger.accept(example(2, k));
    }
    merger.accept(example(8, 0));
    assertThat(sizes).containsExactly(4);
    merger.finish();
    assertThat(sizes).containsExactly(4, 2, 1);
    assertThat(merger.written()).isEqualTo(3);
    assertThat(merger.report().subList(1, 3))
        .containsExactly(
            "2={1->1,2->1,4->1,d=0},8={,d=1}",
            "Processed 8 egs of avg. size 2.75 into 3 minibatches, discarding 12.5% of egs.  Avg"
                + " minibatch size was 2.333, #distinct types of egs/minibatches was 2/3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "64/128 ! \"64\" has no size of examples before it",
        "1=64/1=32 ! examples of size 1 are named twice",
        "x=64 ! \"x\" is not an example size",
        "64,x ! \"x\" is neither a number nor a range",
        "5:4 ! \"5:4\" is empty or has 0",
        "0 ! \"0\" is empty or has 0",
      })
  void sizesOfMinibatchesAreChecked(String text, String why) {
    assertThatThrownBy(() -> new MinibatchSizes(text))
        .hasMessage(
            "[egs] sizes of minibatches must be numbers and ranges; got \"%s\", where %s; write, for example, 128, 16:32,64 or 128=64:128,256/256=32."
                .formatted(text, why));
  }

  @Test
  void textInMessagesIsEscapedAndCut() {
    String text = "7=\u001b[2J" + "9".repeat(100);
    String shown = "7=\\u001b[2J" + "9".repeat(66) + "...";
    String range = "\\u001b[2J" + "9".repeat(68) + "...";
    assertThatThrownBy(() -> new MinibatchSizes(text))
        .hasMessage(
            "[egs] sizes of minibatches must be numbers and ranges; got \"%s\", where \"%s\" is neither a number nor a range; write, for example, 128, 16:32,64 or 128=64:128,256/256=32."
                .formatted(shown, range));
    assertThatThrownBy(() -> new NnetIo("a\nb", List.of(), new Matrix(1, 1, new float[1])))
        .hasMessage(
            "[egs] there must be a row for each index; got 0 indexes and 1 rows of \"a\\nb\"; give"
                + " equal numbers.");
  }

  @Test
  void theSmallestOrLargestNumberThatIsThereCounts() {
    var sizes = new MinibatchSizes("16:32,64");
    assertThat(sizes.now(5, 63)).isZero();
    assertThat(sizes.now(5, 64)).isEqualTo(64);
    for (int[] pair : new int[][] {{128, 64}, {64, 64}, {63, 32}, {31, 31}, {16, 16}, {15, 0}}) {
      assertThat(sizes.atEnd(5, pair[0])).isEqualTo(pair[1]);
    }
  }
}
