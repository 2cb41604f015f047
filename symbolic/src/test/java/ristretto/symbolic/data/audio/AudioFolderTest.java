package ristretto.symbolic.data.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.standin.Mutations;
import ristretto.symbolic.data.Batch;
import ristretto.symbolic.data.Batcher;
import ristretto.symbolic.data.Dataset;

class AudioFolderTest {
  @TempDir Path root;

  /** WAV file of samples from -1 to 1, interleaved by channel. */
  private static byte[] wav(int format, int rate, int channels, int bits, double... samples) {
    int width = bits / 8;
    ByteBuffer b =
        ByteBuffer.allocate(44 + 10 + samples.length * width).order(ByteOrder.LITTLE_ENDIAN);
    b.put(ascii("RIFF")).putInt(b.capacity() - 8).put(ascii("WAVEfmt ")).putInt(16);
    b.putShort((short) format).putShort((short) channels).putInt(rate);
    b.putInt(rate * channels * width).putShort((short) (channels * width)).putShort((short) bits);
    // A chunk of odd length that is skipped, with its padding.
    b.put(ascii("LIST")).putInt(1).put((byte) 1).put((byte) 0);
    b.put(ascii("data")).putInt(samples.length * width);
    for (double v : samples) {
      switch (bits) {
        case 8 -> b.put((byte) Math.round(v * 128 + 128));
        case 16 -> b.putShort((short) Math.round(v * 32768));
        case 24 -> {
          int n = (int) Math.round(v * (1 << 23));
          b.putShort((short) n).put((byte) (n >> 16));
        }
        case 32 -> {
          if (format == 3) {
            b.putFloat((float) v);
          } else {
            b.putInt((int) Math.round(v * 0x1p31));
          }
        }
        default -> b.putDouble(v);
      }
    }
    return b.array();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private Path write(String name, byte[] content) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, content);
  }

  private void some(int... lengths) throws IOException {
    for (int k = 0; k < lengths.length; k++) {
      double[] samples = new double[lengths[k]];
      for (int t = 0; t < samples.length; t++) {
        samples[t] = (t + 1) / 1024.0;
      }
      write((k % 2 == 0 ? "no/" : "yes/") + (10 + k) + ".wav", wav(1, 8000, 1, 16, samples));
    }
  }

  private static float[] floats(Dataset data, long example) {
    var to = MemorySegment.ofArray(new float[(int) data.fields().get(0).shape().size()]);
    data.read(0, example, to);
    return to.toArray(ValueLayout.JAVA_FLOAT);
  }

  private static int integer(Dataset data, int field, long example) {
    var to = MemorySegment.ofArray(new int[1]);
    data.read(field, example, to);
    return to.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
  }

  @Test
  void samplesOfAllWidths() throws IOException {
    int[][] formats = {{1, 8}, {1, 16}, {1, 24}, {1, 32}, {3, 32}, {3, 64}};
    for (int[] f : formats) {
      write("a/x.wav", wav(f[0], 44_100, 2, f[1], -1, -0.5, 0.5, 0.25, 0.5, -0.5));
      var folder = AudioFolder.of(root);
      assertThat(folder).hasToString("1 files of 1 classes, 44100 Hz");
      float[] x = floats(folder, 0);
      float error = f[1] == 8 ? 0.004f : 1e-6f;
      assertThat(x).hasSize(3);
      assertThat(x[0]).isCloseTo(-0.75f, within(error));
      assertThat(x[1]).isCloseTo(0.375f, within(error));
      assertThat(x[2]).isCloseTo(0, within(error));
    }
  }

  @Test
  void batchesAreAsLongAsTheirLongestFile() throws IOException {
    some(3, 70, 5, 2);
    var folder = AudioFolder.of(root);
    assertThat(folder.fields()).hasToString("[audio f32[70], label i32[], steps i32[]]");
    assertThat(folder.classes()).containsExactly("no", "yes");
    assertThat(folder.file(1)).isEqualTo(root.resolve("no/12.wav"));
    assertThat(integer(folder, 1, 2)).isEqualTo(1);
    assertThat(integer(folder, 2, 1)).isEqualTo(5);
    assertThat(integer(folder.classes(List.of("yes", "no")), 1, 2)).isZero();
    var shapes = new ArrayList<Shape>();
    try (var batches = new Batcher(folder, 2).bucketed()) {
      for (Batch batch : batches.epoch(0)) {
        shapes.add(batch.shape("audio"));
      }
    }
    assertThat(shapes).containsExactly(Shape.of(2, 3), Shape.of(2, 70));
  }

  @Test
  void sectionsOfFiles() throws IOException {
    some(3, 70);
    var folder = AudioFolder.of(root);
    var first = folder.cut(5);
    assertThat(first.fields()).hasToString("[audio f32[5], label i32[], steps i32[]]");
    assertThat(floats(first, 0)).containsExactly(1 / 1024f, 2 / 1024f, 3 / 1024f, 0, 0);
    assertThat(integer(first, 2, 0)).isEqualTo(3);
    assertThat(floats(first, 1)[4]).isEqualTo(5 / 1024f);
    var random = folder.cut(5, 3);
    var starts = new ArrayList<Float>();
    for (int epoch = 0; epoch < 30; epoch++) {
      float[] x = floats(random.epoch(epoch), 1);
      assertThat(x[4] - x[0]).isEqualTo(4 / 1024f);
      assertThat(floats(random.epoch(epoch), 1)).isEqualTo(x);
      starts.add(x[0]);
    }
    assertThat(starts.stream().distinct().count()).isGreaterThan(10);
    assertThatThrownBy(() -> folder.cut(0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[audio] there must be at least 1 sample; got 0.");
  }

  private void refused(byte[] content, String message) throws IOException {
    Path file = write("a/x.wav", content);
    assertRefused(
        () -> AudioFolder.of(root), message + " in " + file + "; remove or convert the file.");
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(FileFormatException.class).hasMessage(message);
  }

  @Test
  void flawsOfFilesAreFound() throws IOException {
    byte[] good = wav(1, 8000, 1, 16, 0.5, 0.25);
    refused(
        ascii("text of some words"),
        "[audio] a file must begin with RIFF and WAVE; got other bytes");
    refused(
        Arrays.copyOf(good, 57), "[audio] a file must have all of its samples; got 3 bytes of 4");
    refused(
        Arrays.copyOf(good, 40),
        "[audio] a file must have all of its samples; got the end of the file");
    refused(
        wav(2, 8000, 1, 16, 0.5),
        "[audio] samples must be PCM of 8, 16, 24 or 32 bits, or floating point of 32 or 64 bits;"
            + " got format 2 of 16 bits");
    refused(
        wav(1, 0, 1, 16, 0.5),
        "[audio] there must be 1 to 64 channels of 1 to 1048576 Hz; got 1 of 0 Hz");
    byte[] frame = good.clone();
    frame[32] = 3;
    refused(frame, "[audio] a sample of all channels must have 2 bytes; got 3");
    byte[] format = good.clone();
    format[16] = 15;
    refused(format, "[audio] a format must have 16 bytes; got 15");
    byte[] early = good.clone();
    System.arraycopy(ascii("data"), 0, early, 12, 4);
    refused(early, "[audio] the format must come before the samples; got samples");
    byte[] chunks = new byte[12 + 8 * 1000];
    System.arraycopy(good, 0, chunks, 0, 12);
    refused(chunks, "[audio] samples must be in the first 1000 chunks; got none");
    Path a = write("a/x.wav", good);
    Path b = write("b/x.wav", wav(1, 16_000, 1, 16, 0.5));
    assertRefused(
        () -> AudioFolder.of(root),
        "[audio] all files must have the same sample rate; got 8000 Hz in "
            + a
            + " and 16000 Hz in "
            + b
            + "; remove or convert the file.");
    Files.delete(b);
    Files.delete(b.getParent());
    var folder = AudioFolder.of(root);
    Files.delete(a);
    assertThatThrownBy(() -> floats(folder, 0))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[audio] the file must exist and be readable; got "
                + a
                + " (no such file); check the path.");
  }

  @Test
  void damagedFilesAreRefusedOrRead() throws IOException {
    byte[] whole = wav(1, 8000, 2, 16, 0.5, 0.25, -1, 1);
    for (int seed = 0; seed < Integer.getInteger("ristretto.fuzz", 1000); seed++) {
      write("a/x.wav", new Mutations(new Random(seed)).of(whole));
      try {
        floats(AudioFolder.of(root), 0);
      } catch (RistrettoException e) {
        assertThat(e).hasMessageStartingWith("[audio] ");
        Mutations.checkMessage(e.getMessage());
      }
    }
  }
}
