package ristretto.symbolic.data;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.symbolic.Layers.dense;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.standin.Mutations;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/**
 * Damaged files of data and checkpoints: each is refused by an exception of the project, or
 * accepted, and then equal after it is written and read again; anything else is a bug. {@code
 * -Pnightly} reads 100,000 of each.
 */
class DataFuzzTest {
  private static final int ROUNDS = Integer.getInteger("ristretto.fuzz", 1000);
  private static final long SEED = Long.getLong("ristretto.fuzz.seed", 1);

  @TempDir Path folder;

  /** Reads a file and checks what it gives. */
  private interface Reader {
    void read(Path file) throws IOException;
  }

  private void damaged(String name, byte[] whole, Reader reader) throws IOException {
    damaged(name, whole, reader, ROUNDS);
  }

  private void damaged(String name, byte[] whole, Reader reader, int rounds) throws IOException {
    Path file = folder.resolve(name);
    Files.write(file, whole);
    reader.read(file);
    int refused = 0;
    for (int round = 0; round < rounds; round++) {
      byte[] bytes = new Mutations(new Random(SEED + round)).of(whole);
      Files.write(file, bytes);
      try {
        reader.read(file);
      } catch (RistrettoException e) {
        assertThat(e).hasMessageStartingWith("[");
        Mutations.checkMessage(e.getMessage());
        refused++;
      } catch (RuntimeException | Error e) {
        throw new AssertionError(name + ", seed " + (SEED + round) + ": " + e, e);
      }
    }
    assertThat(refused).isBetween(1, rounds);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void idxFiles(boolean packed) throws IOException {
    byte[] x = new byte[3 * 4 * 5];
    new Random(2).nextBytes(x);
    byte[] labels = idx(new int[] {3}, new byte[] {1, 2, 3});
    Path other = Files.write(folder.resolve("labels"), labels);
    damaged(
        "images",
        packed ? packed(idx(new int[] {3, 4, 5}, x)) : idx(new int[] {3, 4, 5}, x),
        file -> {
          Dataset data = Dataset.idx(file, other);
          assertThat(data.size()).isEqualTo(3);
          float[] pixels = floats(data, 0);
          byte[] again = new byte[pixels.length];
          for (int k = 0; k < pixels.length; k++) {
            again[k] = (byte) Math.round(pixels[k] * 255);
          }
          long[] dims = data.fields().get(0).shape().toArray();
          Path copy = folder.resolve("copy");
          Files.write(copy, idx(new int[] {3, (int) dims[0], (int) dims[1]}, again));
          assertThat(floats(Dataset.idx(copy, other), 0)).isEqualTo(pixels);
        });
  }

  private static byte[] idx(int[] extents, byte[] data) {
    ByteBuffer file = ByteBuffer.allocate(4 + 4 * extents.length + data.length);
    file.putInt(0x800 + extents.length);
    for (int extent : extents) {
      file.putInt(extent);
    }
    return file.put(data).array();
  }

  private static byte[] packed(byte[] bytes) throws IOException {
    var out = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  private static float[] floats(Dataset data, int field) {
    int width = (int) data.fields().get(field).shape().size();
    float[] all = new float[(int) data.size() * width];
    for (int k = 0; k < data.size(); k++) {
      data.read(field, k, MemorySegment.ofArray(all).asSlice(4L * k * width, 4L * width));
    }
    return all;
  }

  @Test
  void csvFiles() throws IOException {
    String text = "a,\"b \"\"x\"\"\",label,c\n1.5,2,3,4\n\"4\", 0 ,-1,1e3\n-5,.25,7,NaN\n";
    damaged(
        "t.csv",
        text.getBytes(StandardCharsets.UTF_8),
        file -> {
          Dataset data = Dataset.csv(file, "label");
          float[] features = floats(data, 0);
          int[] labels = new int[(int) data.size()];
          for (int k = 0; k < labels.length; k++) {
            MemorySegment to = MemorySegment.ofArray(new int[1]);
            data.read(1, k, to);
            labels[k] = to.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
          }
          int width = labels.length == 0 ? 0 : features.length / labels.length;
          var lines = new ArrayList<String>();
          lines.add("label" + ",x".repeat(width));
          for (int k = 0; k < labels.length; k++) {
            var line = new StringBuilder().append(labels[k]);
            for (int j = 0; j < width; j++) {
              line.append(',').append(features[k * width + j]);
            }
            lines.add(line.toString());
          }
          Path copy = Files.write(folder.resolve("copy"), lines);
          assertThat(floats(Dataset.csv(copy, "label"), 0)).isEqualTo(features);
        });
  }

  @Test
  void texts() throws IOException {
    String text = "the cat sat\non the mat\n\nthe <unk> end\r\nügly words\n";
    damaged(
        "t.txt",
        text.getBytes(StandardCharsets.UTF_8),
        file -> {
          Vocabulary words = Vocabulary.of(file);
          int[] numbers = words.read(file);
          assertThat(Arrays.stream(numbers).filter(n -> n >= words.size() || n < 0)).isEmpty();
          var again = new StringBuilder();
          for (int n : numbers) {
            again.append(words.word(n).equals(Vocabulary.END) ? "\n" : words.word(n) + " ");
          }
          Path copy = Files.writeString(folder.resolve("copy"), again);
          assertThat(words.read(copy)).isEqualTo(numbers);
        });
  }

  /** Fewer, as each that is accepted is written twice. */
  @Test
  void checkpoints() throws IOException {
    try (Context ctx = Context.open("cpu")) {
      Variable<?> out = dense("fc", Variable.input("x", F32, -1, 3), 2);
      var executor = new Executor(ctx, 7, out);
      Path saved = folder.resolve("whole.safetensors");
      executor.save(saved, java.util.Map.of("trainer/epochs", "1", "trainer/0/loss", "0.5"));
      Path first = folder.resolve("first.safetensors");
      Path second = folder.resolve("second.safetensors");
      damaged(
          "damaged.safetensors",
          Files.readAllBytes(saved),
          file -> {
            var notes = executor.restore(file);
            executor.save(first, notes);
            executor.save(second, executor.restore(first));
            assertThat(second).hasSameBinaryContentAs(first);
          },
          Math.max(200, ROUNDS / 10));
    }
  }
}
