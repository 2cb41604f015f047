package ristretto.llm.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;

class GgufTest {
  @TempDir Path folder;

  private static final Map<String, Object> METADATA = metadata();

  private static Map<String, Object> metadata() {
    var all = new LinkedHashMap<String, Object>();
    all.put("general.architecture", "llama");
    all.put("count", 7);
    all.put("negative", -7);
    all.put("long", 1L << 40);
    all.put("float", 0.5f);
    all.put("double", 0.1);
    all.put("truth", true);
    all.put("words", List.of("a", "", "ü"));
    all.put("scores", List.of(1f, -2f));
    all.put("types", List.of(3, -1));
    all.put("nested", List.of(List.of(1), List.of()));
    return all;
  }

  private static List<GgufTensor> tensors() {
    MemorySegment floats = MemorySegment.ofArray(new byte[24]);
    floats.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 20, 2.5f);
    byte[] blocks = new byte[2 * 34];
    blocks[67] = 9;
    return List.of(
        new GgufTensor("a", GgufType.F32, Shape.of(2, 3), floats),
        new GgufTensor("b", GgufType.Q8_0, Shape.of(2, 32), MemorySegment.ofArray(blocks)),
        new GgufTensor("none", GgufType.F16, Shape.of(0, 3), MemorySegment.ofArray(new byte[0])));
  }

  private Path written() throws IOException {
    Path file = folder.resolve("model.gguf");
    GgufWriter.write(file, METADATA, tensors());
    return file;
  }

  @Test
  void readsWhatWasWritten() throws IOException {
    try (Gguf gguf = Gguf.open(written())) {
      assertThat(gguf.metadata().keySet()).containsExactlyElementsOf(METADATA.keySet());
      assertThat(gguf.text("general.architecture")).contains("llama");
      assertThat(gguf.integer("count")).contains(7L);
      assertThat(gguf.integer("negative")).contains(-7L);
      assertThat(gguf.integer("long")).contains(1L << 40);
      assertThat(gguf.number("float")).contains(0.5);
      assertThat(gguf.number("double")).contains(0.1);
      assertThat(gguf.number("count")).contains(7.0);
      assertThat(gguf.truth("truth")).contains(true);
      assertThat(gguf.metadata().get("words")).isEqualTo(List.of("a", "", "ü"));
      assertThat(gguf.metadata().get("scores")).isEqualTo(List.of(1.0, -2.0));
      assertThat(gguf.metadata().get("types")).isEqualTo(List.of(3L, -1L));
      assertThat(gguf.metadata().get("nested")).isEqualTo(List.of(List.of(1L), List.of()));
      assertThat(gguf.text("missing")).isEmpty();
      assertThat(gguf.list("types").orElseThrow()).hasSize(2);
      GgufTensor a = gguf.tensor("a");
      assertThat(a.label()).isEqualTo("f32[2,3]");
      assertThat(a.data().get(ValueLayout.JAVA_FLOAT_UNALIGNED, 20)).isEqualTo(2.5f);
      GgufTensor b = gguf.tensor("b");
      assertThat(b.label()).isEqualTo("q8_0[2,32]");
      assertThat(b.data().get(ValueLayout.JAVA_BYTE, 67)).isEqualTo((byte) 9);
      assertThat(gguf.tensor("none").data().byteSize()).isZero();
    }
  }

  @Test
  void missingAndOtherValues() throws IOException {
    Path file = written();
    try (Gguf gguf = Gguf.open(file)) {
      refused(
          "[load] the file must have a tensor 'c'; got "
              + file
              + " with 3 others; check that the file is complete.",
          () -> gguf.tensor("c"));
      refused(
          "[load] words must be a text; got a list of 3 in "
              + file
              + "; the file is damaged or of another program.",
          () -> gguf.text("words"));
      refused(
          "[load] general.architecture must be a whole number; got 'llama' in "
              + file
              + "; the file is damaged or of another program.",
          () -> gguf.integer("general.architecture"));
    }
  }

  private static void refused(String message, ThrowingCallable what) {
    assertThatThrownBy(what).isInstanceOf(FileFormatException.class).hasMessage(message);
  }

  private void refused(String message, ByteBuffer bytes) throws IOException {
    Path file = folder.resolve("bad.gguf");
    Files.write(file, bytes.array());
    assertThatThrownBy(() -> Gguf.open(file).close())
        .isInstanceOf(FileFormatException.class)
        .hasMessage(message + " of " + file);
  }

  private static ByteBuffer header(int version, long tensors, long entries, int more) {
    return ByteBuffer.allocate(24 + more)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(new byte[] {'G', 'G', 'U', 'F'})
        .putInt(version)
        .putLong(tensors)
        .putLong(entries);
  }

  @Test
  void damagedFiles() throws IOException {
    refused(
        "[load] a GGUF file must begin with GGUF and have a header of 24 bytes; got an empty file"
            + " at byte 0",
        ByteBuffer.allocate(0));
    refused(
        "[load] a GGUF file must begin with GGUF and have a header of 24 bytes; got bytes 00 00 00"
            + " at byte 0",
        ByteBuffer.allocate(3));
    refused(
        "[load] the version must be 2 or 3, little-endian; got 50331648 at byte 4",
        header(3 << 24, 0, 0, 0));
    refused(
        "[load] the number of tensors must fit the size of the file; got 18446744073709551615 in 24"
            + " bytes at byte 8",
        header(3, -1, 0, 0));
    refused(
        "[load] the number of entries of metadata must fit the size of the file; got 9 in 24 bytes"
            + " at byte 16",
        header(3, 0, 9, 0));
    refused(
        "[load] a text must lie within the file; got 9223372036854775807 bytes at byte 24",
        header(3, 0, 1, 20).putLong(Long.MAX_VALUE));
    refused(
        "[load] the type of a value must be from 0 to 12; got 13 at byte 33",
        header(3, 0, 1, 20).putLong(1).put((byte) 'k').putInt(13));
    refused(
        "[load] a list must lie within the file; got 4611686018427387904 elements at byte 41",
        header(3, 0, 1, 30).putLong(1).put((byte) 'k').putInt(9).putInt(4).putLong(1L << 62));
    refused(
        "[load] a truth value must be 0 or 1; got 2 at byte 37",
        header(3, 0, 1, 20).putLong(1).put((byte) 'k').putInt(7).put((byte) 2));
    refused(
        "[load] a text must be UTF-8; got other bytes at byte 32",
        header(3, 0, 1, 20).putLong(1).put((byte) 0xFF));
  }

  private static ByteBuffer tensor(long dim, int type, long offset) {
    return header(3, 1, 0, 64)
        .putLong(1)
        .put((byte) 't')
        .putInt(1)
        .putLong(dim)
        .putInt(type)
        .putLong(offset);
  }

  @Test
  void damagedTensors() throws IOException {
    refused(
        "[load] t must have at most 4 dimensions; got 5 at byte 33",
        header(3, 1, 0, 64).putLong(1).put((byte) 't').putInt(5));
    refused(
        "[load] dimensions of t must have a product below 2^60; got 9223372036854775807 at byte 37",
        tensor(Long.MAX_VALUE, 0, 0));
    refused("[load] the type of t must be one of GGUF's; got 99 at byte 45", tensor(1, 99, 0));
    refused(
        "[load] rows of t must have whole blocks of 32; got 33 elements at byte 45",
        tensor(33, 8, 0));
    refused("[load] the offset of t must be a multiple of 32; got 8 at byte 49", tensor(1, 0, 8));
    refused(
        "[load] the data of t must lie within the file; got 400 bytes at 0 of 24 bytes of data; the"
            + " file is truncated or damaged at byte 24",
        tensor(100, 0, 0));
    refused(
        "[load] the data of t must lie within the file; got 4 bytes at 9223372036854775776 of 24"
            + " bytes of data; the file is truncated or damaged at byte 24",
        tensor(1, 0, Long.MAX_VALUE - 31));
  }

  /** Damaged and truncated files are refused, or read; they cause no other error. */
  @Test
  void anyBytes() throws IOException {
    byte[] good = Files.readAllBytes(written());
    var random = new Random(1);
    Path file = folder.resolve("any.gguf");
    for (int round = 0; round < 2000; round++) {
      byte[] bytes = Arrays.copyOf(good, 1 + random.nextInt(good.length));
      for (int k = random.nextInt(4); k >= 0; k--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      Files.write(file, bytes);
      try (Gguf gguf = Gguf.open(file)) {
        gguf.tensors().values().forEach(t -> t.data().toArray(ValueLayout.JAVA_BYTE));
      } catch (FileFormatException e) {
        assertThat(e).hasMessageStartingWith("[load] ").hasMessageEndingWith(file.toString());
      }
    }
  }

  @Test
  void refusedValues() {
    Path file = folder.resolve("x.gguf");
    assertThatThrownBy(() -> GgufWriter.write(file, Map.of("k", 'c'), List.of()))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[save] values of metadata must be numbers, truth values, texts or lists; got Character"
                + " of k; convert it.");
    assertThatThrownBy(() -> GgufWriter.write(file, Map.of("k", List.of(1, "a")), List.of()))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[save] elements of a list must have one type; got Integer and String of k; convert"
                + " one.");
    var data = MemorySegment.ofArray(new byte[3]);
    var tensor = new GgufTensor("t", GgufType.F32, Shape.of(1), data);
    assertThatThrownBy(() -> GgufWriter.write(file, Map.of(), List.of(tensor)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[save] tensors must have whole blocks of 1 elements, and the bytes of their shape; got"
                + " t f32[1] with 3 bytes; encode its rows first.");
    assertThat(file).doesNotExist();
  }
}
