package ristretto.symbolic.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;

class DatasetTest {
  @TempDir Path folder;

  private static float[] floats(Dataset data, int field, long example) {
    var to = MemorySegment.ofArray(new float[(int) data.fields().get(field).shape().size()]);
    data.read(field, example, to);
    return to.toArray(ValueLayout.JAVA_FLOAT);
  }

  private static int[] ints(Dataset data, int field, long example) {
    var to = MemorySegment.ofArray(new int[(int) data.fields().get(field).shape().size()]);
    data.read(field, example, to);
    return to.toArray(ValueLayout.JAVA_INT);
  }

  private Path file(String name, byte... content) throws Exception {
    return Files.write(folder.resolve(name), content);
  }

  private Path text(String content) throws Exception {
    return Files.writeString(folder.resolve("data.txt"), content);
  }

  private static byte[] images() {
    return new byte[] {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, (byte) 255, 51, 102};
  }

  private static final byte[] LABELS = {0, 0, 8, 1, 0, 0, 0, 2, 7, 3};

  @Test
  void tensorsGiveTheirRows() {
    try (var ctx = Context.open()) {
      var tensors = new LinkedHashMap<String, Tensor<?>>();
      tensors.put("x", ctx.tensor(new float[] {1, 2, 3, 4, 5, 6}, 3, 2));
      tensors.put("y", ctx.tensor(new int[] {7, 8, 9}));
      Dataset data = Dataset.of(tensors);
      assertThat(data.fields()).hasToString("[x f32[2], y i32[]]");
      assertThat(data.size()).isEqualTo(3);
      assertThat(floats(data, 0, 1)).containsExactly(3, 4);
      assertThat(ints(data, 1, 2)).containsExactly(9);
      Dataset part = data.range(1, 3).named("a", "b");
      assertThat(part.fields()).hasToString("[a f32[2], b i32[]]");
      assertThat(part.size()).isEqualTo(2);
      assertThat(ints(part, 1, 1)).containsExactly(9);
      assertThatThrownBy(() -> data.range(1, 4))
          .isInstanceOf(ShapeException.class)
          .hasMessage("[range] a range must lie in the data; got 1 to 4 of 3 examples.");
      assertThatThrownBy(() -> data.named("a"))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[named] there must be a name for each field; got [a] for [x f32[2], y i32[]].");
      tensors.put("z", ctx.tensor(new int[] {7, 8}));
      assertThatThrownBy(() -> Dataset.of(tensors))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[dataset] all fields must have as many examples; got 3 for x f32[2] and 2 for z"
                  + " i32[] in tensors.");
      assertThatThrownBy(() -> Dataset.of(Map.of("s", ctx.zeros(ristretto.expr.Ops.F32))))
          .isInstanceOf(ShapeException.class)
          .hasMessage("[dataset] arrays must have an axis for the examples; got s f32[].");
      assertThatThrownBy(() -> Dataset.of(Map.of()))
          .isInstanceOf(ShapeException.class)
          .hasMessage("[dataset] there must be a field; got none in tensors.");
    }
  }

  @Test
  void idxFilesArePackedOrNot() throws Exception {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(images());
    }
    Path labels = file("labels", LABELS);
    for (Path images : new Path[] {file("i", images()), file("i.gz", packed.toByteArray())}) {
      Dataset data = Dataset.idx(images, labels);
      assertThat(data.fields()).hasToString("[images f32[1,2], labels i32[]]");
      assertThat(data.size()).isEqualTo(2);
      assertThat(floats(data, 0, 0)).containsExactly(0, 1);
      assertThat(floats(data, 0, 1)).containsExactly(0.2f, 0.4f);
      assertThat(ints(data, 1, 1)).containsExactly(3);
    }
  }

  @Test
  void flawsInIdxFilesAreFound() throws Exception {
    Path labels = file("labels", LABELS);
    byte[] bytes = images();
    bytes[1] = 5;
    Path bad = file("bad", bytes);
    assertThatThrownBy(() -> Dataset.idx(bad, labels))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[idx] a file must begin with two zero bytes, a type and a number of axes; got byte 0"
                + " at byte 0 of "
                + bad
                + "; it is another kind of file, or damaged.");
    bytes = images();
    bytes[2] = 13;
    file("bad", bytes);
    assertThatThrownBy(() -> Dataset.idx(bad, labels))
        .hasMessage(
            "[idx] elements must be unsigned bytes, which is type 8; got byte 13 at byte 2 of "
                + bad
                + "; it is another kind of file, or damaged.");
    assertThatThrownBy(() -> Dataset.idx(labels, labels))
        .hasMessage(
            "[idx] there must be 3 axes; got byte 1 at byte 3 of "
                + labels
                + "; it is another kind of file, or damaged.");
    file("bad", java.util.Arrays.copyOf(images(), 9));
    assertThatThrownBy(() -> Dataset.idx(bad, labels))
        .hasMessage(
            "[idx] there must be the extents of 3 axes; got the end of the file at byte 9 of "
                + bad
                + "; it is another kind of file, or damaged.");
    bytes = images();
    bytes[4] = -1;
    file("bad", bytes);
    assertThatThrownBy(() -> Dataset.idx(bad, labels))
        .hasMessage(
            "[idx] extents must be at least 0; got byte 255 at byte 4 of "
                + bad
                + "; it is another kind of file, or damaged.");
    file("bad", java.util.Arrays.copyOf(images(), 18));
    assertThatThrownBy(() -> Dataset.idx(bad, labels))
        .hasMessage(
            "[idx] the data must fill the extents [2, 1, 2]; got 2 bytes instead of 4 after byte"
                + " 16 of "
                + bad
                + "; the file is damaged.");
    file("bad", (byte) 0x1f, (byte) 0x8b, (byte) 8);
    assertThatThrownBy(() -> Dataset.idx(bad, labels))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[idx] a packed file must be whole; got " + bad + " (it ends early); fetch it again.");
    assertThatThrownBy(() -> Dataset.idx(folder.resolve("none"), labels))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[idx] the file must be there and readable; got "
                + folder.resolve("none").toAbsolutePath()
                + " (no such file); check the path.");
  }

  @Test
  void csvFilesHaveColumns() throws Exception {
    Dataset data = Dataset.csv(text("a,label,\"b \"\"x\"\"\"\n1.5,2,3\n\"4\", 0 ,-1e3\n"), "label");
    assertThat(data.fields()).hasToString("[features f32[2], label i32[]]");
    assertThat(floats(data, 0, 0)).containsExactly(1.5f, 3);
    assertThat(floats(data, 0, 1)).containsExactly(4, -1000);
    assertThat(ints(data, 1, 0)).containsExactly(2);
    assertThat(Dataset.csv(text("a,label\r\n1,2\r\n\r\n"), "label").size()).isEqualTo(1);
  }

  @Test
  void flawsInCsvFilesAreFound() throws Exception {
    assertCsv("", "the first line must name the columns; got an empty file");
    assertCsv("a,b\n1,2\n", "there must be a column label; got the columns [a, b]");
    assertCsv(
        "a,label\n1,2\n1,2,3\n",
        "every line must have a value for each of the 2 columns; got 3 in line 3");
    assertCsv("a,label\nx,2\n", "values must be numbers; got 'x' in column a of line 2");
    assertCsv(
        "a,label\n1,2.5\n", "labels must be whole numbers; got '2.5' in column label of line 2");
    assertCsv("a,label\n\"1,2\n", "quotes must be closed on their line; got an open one in line 2");
  }

  private void assertCsv(String content, String message) throws Exception {
    Path file = text(content);
    assertThatThrownBy(() -> Dataset.csv(file, "label"))
        .isInstanceOf(FileFormatException.class)
        .hasMessage("[csv] " + message + " of " + file + ".");
  }

  @Test
  void textsAreUtf8() throws Exception {
    Path bad = file("bad", (byte) 'a', (byte) 0xff);
    assertThatThrownBy(() -> Dataset.csv(bad, "label"))
        .isInstanceOf(FileFormatException.class)
        .hasMessage("[csv] a text must be UTF-8; got other bytes in " + bad + "; convert it.");
  }

  @Test
  void vocabulariesNumberWords() throws Exception {
    Vocabulary words = Vocabulary.of(text(" the cat \n the dog\n\n"));
    assertThat(words).hasToString("vocabulary of 4 words");
    assertThat(words.number(Vocabulary.END)).isZero();
    assertThat(words.word(1)).isEqualTo("the");
    assertThat(words.read(folder.resolve("data.txt"))).containsExactly(1, 2, 0, 1, 3, 0, 0);
    Path other = Files.writeString(folder.resolve("other.txt"), "the dog\nthe cow\n");
    assertThatThrownBy(() -> words.read(other))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[vocabulary] words must be known, or <unk> be one of the words; got 'cow' in line 2"
                + " of "
                + other
                + "; put <unk> into the text that the vocabulary is made of.");
    assertThat(Vocabulary.of(text("the <unk>\n")).read(other)).containsExactly(0, 1, 2, 0, 1, 2);
  }

  @Test
  void piecesOfTextsGoOnFromBatchToBatch() {
    Dataset data = Dataset.contiguous(new int[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 2, 2);
    assertThat(data.size()).isEqualTo(4);
    assertThat(ints(data, 0, 0)).containsExactly(0, 1);
    assertThat(ints(data, 1, 0)).containsExactly(1, 2);
    assertThat(ints(data, 0, 1)).containsExactly(6, 7);
    assertThat(ints(data, 0, 2)).containsExactly(2, 3);
    assertThat(ints(data, 1, 3)).containsExactly(9, 10);
    assertThatThrownBy(() -> Dataset.contiguous(new int[4], 2, 2))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[contiguous] each piece of the text must be longer than the steps; got 4 words for 2"
                + " pieces and 2 steps.");
  }
}
