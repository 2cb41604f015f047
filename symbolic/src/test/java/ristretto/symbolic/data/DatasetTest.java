package ristretto.symbolic.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.table.LineReader;
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
              "[dataset] all fields must have the same number of examples; got 3 for x f32[2] and 2"
                  + " for z i32[] in tensors.");
      assertThatThrownBy(() -> Dataset.of(Map.of("s", ctx.zeros(ristretto.expr.Ops.F32))))
          .isInstanceOf(ShapeException.class)
          .hasMessage("[dataset] arrays must have an axis of examples; got s f32[].");
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
            "[idx] the file must exist and be readable; got "
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
    assertCsv(
        "a,label\n\"1,2\n",
        "quotes must be closed, and enclose a whole value; got other quotes after line 1");
  }

  @Test
  void packedIdxFilesAreBounded() throws Exception {
    Path labels = idx("labels", 0x801, new int[] {1}, new byte[1]);
    // 300 MB of zeros in 300 kB, and 100 MB of which none is there.
    Path bomb = packed("bomb", new int[] {300, 1000, 1000}, 300_000_000);
    assertThatThrownBy(() -> Dataset.idx(bomb, labels))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[idx] a file that unpacks to more than 256 MiB must not be packed more than 100 times;"
                + " got 300000000 bytes"
                + " unpacked from %s of %s; this may be a zip bomb; if you trust it, set"
                    .formatted(Files.size(bomb), bomb)
                + " -Dristretto.file.expansion-limit="
                + (300_000_000 / Files.size(bomb) + 1));
    Path none = packed("none", new int[] {100, 1000, 1000}, 0);
    assertThatThrownBy(() -> Dataset.idx(none, labels))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[idx] the data must fill the extents [100, 1000, 1000]; got at most %s bytes instead"
                    .formatted(1032 * Files.size(none))
                + " of 100000000 after byte 16 of "
                + none
                + "; the file is damaged.");
  }

  private Path packed(String name, int[] extents, int zeros) throws Exception {
    Path file = folder.resolve(name);
    try (var out = new java.util.zip.GZIPOutputStream(Files.newOutputStream(file))) {
      var header = java.nio.ByteBuffer.allocate(4 + 4 * extents.length).putInt(0x803);
      for (int extent : extents) {
        header.putInt(extent);
      }
      out.write(header.array());
      byte[] chunk = new byte[1 << 20];
      for (int at = 0; at < zeros; at += chunk.length) {
        out.write(chunk, 0, Math.min(chunk.length, zeros - at));
      }
    }
    return file;
  }

  private Path idx(String name, int magic, int[] extents, byte[] data) throws Exception {
    Path file = folder.resolve(name);
    var bytes = java.nio.ByteBuffer.allocate(4 + 4 * extents.length + data.length).putInt(magic);
    for (int extent : extents) {
      bytes.putInt(extent);
    }
    Files.write(file, bytes.put(data).array());
    return file;
  }

  @Test
  void filesWithoutEndAreRefused() throws Exception {
    Path zeros = Path.of("/dev/zero");
    Assumptions.assumeTrue(Files.isReadable(zeros));
    assertThatThrownBy(() -> Dataset.csv(zeros, "label"))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[csv] a line must have at most 16777216 characters; got more in line 1 of /dev/zero;"
                + " it is another kind of file, or damaged.");
    assertThatThrownBy(() -> Vocabulary.of(zeros))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[vocabulary] a line must have at most 16777216 characters; got more in line 1 of"
                + " /dev/zero; it is another kind of file, or damaged.");
    assertThatThrownBy(() -> Dataset.idx(zeros, zeros))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[idx] elements must be unsigned bytes, which is type 8; got byte 0 at byte 2 of"
                + " /dev/zero; it is another kind of file, or damaged.");
    Path blank = Files.writeString(folder.resolve("blank"), "label\n" + "\n".repeat(1 << 21));
    assertThatThrownBy(() -> Dataset.csv(blank, "label"))
        .isInstanceOf(FileFormatException.class)
        .hasMessage("[csv] at most 1048576 blank lines may end a file; got more of " + blank + ".");
    Path wide = Files.writeString(folder.resolve("wide"), "label" + ",a".repeat(1 << 20));
    assertThatThrownBy(() -> Dataset.csv(wide, "label"))
        .isInstanceOf(FileFormatException.class)
        .hasMessage("[csv] there must be at most 1048576 columns; got 1048577 of " + wide + ".");
  }

  @Test
  void streamsMustEnd() throws Exception {
    Path pipe = folder.resolve("pipe");
    Assumptions.assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0);
    var writer =
        Thread.ofVirtual()
            .start(() -> {
              try (var out = Files.newOutputStream(pipe)) {
                while (true) {
                  out.write("word\n".getBytes(StandardCharsets.UTF_8));
                }
              } catch (IOException _) {
                // nobody reads any more
              }
            });
    assertThatThrownBy(() -> LineReader.forEach("csv", pipe, 1000, (line, number) -> {}))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[csv] a device or pipe must end after 1000 characters; got more in line 201 of "
                + pipe
                + "; it is another kind of file, or damaged.");
    writer.join();
  }

  @Test
  void wordsOfATextAreBounded() throws Exception {
    Path file = text("a b c\na b\nd\n");
    assertThat(Vocabulary.of(file, 5).size()).isEqualTo(5);
    assertThatThrownBy(() -> Vocabulary.of(file, 4))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[vocabulary] a text must have at most 4 different words; got more in line 3 of "
                + file
                + "; it is another kind of file, or replace rare words by <unk>.");
  }

  @Test
  void blankLinesInsideAreNamed() throws Exception {
    assertCsv(
        "a,label\n1,2\n\n3,4\n",
        "every line must have a value for each of the 2 columns; got a blank line 3");
    assertCsv("\n\na,label\n", "the first line must name the columns; got a blank line 1");
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
