package ristretto.expr.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/**
 * Files that another program cuts short while they are read: in a JVM of their own, as it ended.
 */
class CutWhileReadTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"t.npy", "t.npz", "t.safetensors"})
  void theFileIsRefusedAndTheJvmLives(String name) throws Exception {
    Path file = folder.resolve(name);
    Path out = folder.resolve("out");
    Process reader =
        TestFiles.java(Reader.class, file.toString())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    assertThat(reader.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(out, StandardCharsets.UTF_8).strip())
        .endsWith("refused before the end, refused by a context");
    assertThat(reader.exitValue()).isZero();
  }

  /** Cuts the file at the first piece of elements, and while a context loads it. */
  static final class Reader {
    public static void main(String[] args) throws Exception {
      Path file = Path.of(args[0]);
      write(file);
      try (TensorFile open = TensorFile.open(file)) {
        StoredTensor last = open.tensors().values().stream().reduce((_, b) -> b).orElseThrow();
        try {
          last.elements()
              .forEach((at, _) -> {
                if (at == 0) {
                  cut(file, 3 << 20);
                }
              });
          System.out.println("read");
        } catch (FileFormatException e) {
          String rule = "[load] a file must not change while it is read; got the end of the file";
          System.out.print(e.getMessage().startsWith(rule) ? "refused before the end, " : e);
        }
      }
      write(file);
      try (Context ctx = Context.open("cpu")) {
        Thread cutter = new Thread(() -> cut(file, 4096));
        cutter.start();
        for (int k = 0; k < 1000; k++) {
          ctx.loadAll(file);
        }
        System.out.println("loaded");
      } catch (FileFormatException e) {
        System.out.println("refused by a context");
      }
    }

    private static void write(Path file) throws IOException {
      var tensors = new LinkedHashMap<String, HostTensor>();
      int bytes = 8 << 20;
      byte[] data = new byte[bytes];
      new java.util.Random(1).nextBytes(data);
      if (!file.toString().endsWith(".npy")) {
        tensors.put("first", new HostTensor(ScalarType.U8, Longs.of(0), MemorySegment.NULL));
      }
      tensors.put(
          "w", new HostTensor(ScalarType.F32, Longs.of(bytes / 4), MemorySegment.ofArray(data)));
      Files.deleteIfExists(file);
      TensorFiles.write(file, tensors);
    }

    private static void cut(Path file, long size) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(size);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }
}
