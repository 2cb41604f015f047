package ristretto.symbolic.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;

class TokensTest {
  @TempDir Path folder;

  private static int[] read(Dataset data, int field, long example) {
    int[] to = new int[(int) data.fields().get(field).shape().size()];
    data.read(field, example, MemorySegment.ofArray(to));
    return to;
  }

  @Test
  void filesOfBothWidths() throws Exception {
    Path narrow = folder.resolve("narrow.bin");
    assertThat(Tokens.write(narrow, 1, 65_535, 256)).isEqualTo(2);
    assertThat(Files.readAllBytes(narrow)).containsExactly(1, 0, -1, -1, 0, 1);
    Tokens tokens = Tokens.map(2, narrow);
    assertThat(tokens).hasToString("3 tokens of 2 bytes");
    assertThat(IntStream.range(0, 3).map(tokens::get)).containsExactly(1, 65_535, 256);
    Path wide = folder.resolve("wide.bin");
    assertThat(Tokens.write(wide, 1, 65_536)).isEqualTo(4);
    assertThat(Tokens.map(4, wide).get(1)).isEqualTo(65_536);
    int[] many = IntStream.range(0, 200_001).map(k -> k % 5000).toArray();
    Tokens.write(narrow, many);
    tokens = Tokens.map(2, narrow);
    assertThat(tokens.size()).isEqualTo(200_001);
    assertThat(tokens.get(199_999)).isEqualTo(4999);
  }

  @Test
  void windowsGoAcrossShards() {
    Path a = folder.resolve("a");
    Path b = folder.resolve("b");
    Path empty = folder.resolve("empty");
    Tokens.write(a, 0, 1, 2, 3, 4);
    Tokens.write(b, 5, 6, 7, 8, 9, 10);
    Tokens.write(empty);
    for (Tokens tokens :
        new Tokens[] {Tokens.map(2, a, empty, b), Tokens.of(IntStream.range(0, 11).toArray())}) {
      Dataset data = tokens.windows(3);
      assertThat(data.fields()).hasToString("[words i32[3], next i32[3]]");
      assertThat(data.size()).isEqualTo(3);
      assertThat(read(data, 0, 1)).containsExactly(3, 4, 5);
      assertThat(read(data, 1, 2)).containsExactly(7, 8, 9);
      assertThat(tokens.windows(10).size()).isEqualTo(1);
      assertThat(tokens.windows(3, 1).size()).isEqualTo(8);
      assertThat(read(tokens.windows(3, 1), 1, 7)).containsExactly(8, 9, 10);
    }
  }

  @Test
  void mistakesAreFound() throws Exception {
    Path odd = Files.write(folder.resolve("odd"), new byte[3]);
    assertThatThrownBy(() -> Tokens.map(2, odd))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[tokens] a file must have 2 bytes for each token; got 3 bytes in "
                + odd
                + "; check the width, or fetch the file again.");
    assertThatThrownBy(() -> Tokens.map(3, odd))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[tokens] tokens must have 2 or 4 bytes; got 3.");
    assertThatThrownBy(() -> Tokens.map(2))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[tokens] there must be a file; got none.");
    assertThatThrownBy(() -> Tokens.map(2, folder.resolve("none")))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[tokens] the file must exist and be readable; got "
                + folder.resolve("none")
                + " (no such file); check the path.");
    assertThatThrownBy(() -> Tokens.write(folder.resolve("x"), 1, -1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[tokens] tokens must be at least 0; got -1.");
    assertThat(folder.resolve("x")).doesNotExist();
    assertThatThrownBy(() -> Tokens.write(folder.resolve("no/x"), 1))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[tokens] the file must be writable; got %s (%s); check the path."
                .formatted(folder.resolve("no/x"), folder.resolve("no")));
    assertThatThrownBy(() -> Tokens.of(1, 2, 3).windows(3))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[windows] steps and stride must be at least 1, and the sequence longer than the"
                + " steps; got 3 steps, stride 3, 3 tokens of 4 bytes.");
    assertThatThrownBy(() -> Tokens.of(1, 2).get(2))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[tokens] tokens must be in the sequence; got 2 to 3 of 2.");
  }

  @Test
  void batchesOfWindows() {
    Dataset data = Tokens.of(IntStream.range(0, 11).toArray()).windows(2);
    try (var batches = new Batcher(data, 2)) {
      for (Batch batch : batches.epoch(0)) {
        int[] words = batch.data("words").toArray(ValueLayout.JAVA_INT);
        int[] next = batch.data("next").toArray(ValueLayout.JAVA_INT);
        for (int k = 0; k < words.length; k++) {
          assertThat(next[k]).isEqualTo(words[k] + 1);
        }
      }
    }
  }
}
