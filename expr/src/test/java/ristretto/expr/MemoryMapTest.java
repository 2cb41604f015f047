package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.kernels.ClosedException;
import ristretto.kernels.FileException;
import ristretto.kernels.ShapeException;

class MemoryMapTest {
  @TempDir Path folder;

  private Context ctx;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    ctx = Context.open("cpu");
    var bytes = ByteBuffer.allocate(4 * 1000).order(ByteOrder.LITTLE_ENDIAN);
    for (int k = 0; k < 1000; k++) {
      bytes.putFloat(k);
    }
    file = Files.write(folder.resolve("numbers"), bytes.array());
  }

  @AfterEach
  void close() {
    ctx.close();
  }

  @Test
  void elementsAreThoseOfTheFile() {
    var t = ctx.memoryMap(Ops.F32, file, 4 * 7, 3, 100);
    assertThat(ctx.eval(Ops.sum(t)).item()).isEqualTo(300 * 7 + 299 * 300 / 2);
    assertThat(t.slice(Ops.at(2), Ops.at(1)).item()).isEqualTo(208);
    assertThat(ctx.memoryMap(Ops.F32, file, 4000, 0, 5).toFloatArray()).isEmpty();
  }

  @Test
  void assignmentsDoNotReachTheFile() throws IOException {
    byte[] before = Files.readAllBytes(file);
    var t = ctx.memoryMap(Ops.F32, file, 0, 1000);
    ctx.assign(t, t.plus(1));
    assertThat(t.toFloatArray()).startsWith(1, 2).endsWith(1000);
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    assertThat(ctx.memoryMap(Ops.F32, file, 0, 2).toFloatArray()).containsExactly(0, 1);
  }

  @Test
  void filesThatMayNotBeWrittenAreCopied() {
    file.toFile().setWritable(false);
    var t = ctx.memoryMap(Ops.F32, file, 8, 2);
    ctx.assign(t, t.times(2));
    assertThat(t.toFloatArray()).containsExactly(4, 6);
  }

  @Test
  void theContextClosesTensors() {
    var t = ctx.memoryMap(Ops.F32, file, 0, 2);
    ctx.close();
    assertThatThrownBy(t::toFloatArray).isInstanceOf(ClosedException.class);
  }

  @Test
  void memoryOfTheDeviceIsNotTaken() {
    long before = ctx.stats().bytesAllocated();
    var t = ctx.memoryMap(Ops.F32, file, 0, 1000);
    assertThat(ctx.stats().bytesAllocated()).isEqualTo(before);
    assertThat(t.shape().size()).isEqualTo(1000);
  }

  @Test
  void placesOutsideTheFile() {
    for (long[] wrong : new long[][] {{-4, 1}, {2, 1}, {3996, 2}, {4004, 0}, {0, 1L << 61}}) {
      assertThatThrownBy(() -> ctx.memoryMap(Ops.F32, file, wrong[0], wrong[1]))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              ("[memoryMap] the elements must lie within the file, from a multiple of 4 bytes on;"
                      + " got f32[%s] at byte %s of 4000 bytes in %s; check the offset and the"
                      + " shape.")
                  .formatted(wrong[1], wrong[0], file));
    }
    assertThatThrownBy(() -> ctx.memoryMap(Ops.F32, folder.resolve("none"), 0, 1))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[memoryMap] the file must be readable; got %s (no such file); check the path"
                .formatted(folder.resolve("none")));
  }

  @Test
  void copiesToTheHost() {
    var t = ctx.tensor(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
    var to = new float[4];
    ctx.copy(t.t().slice(Ops.range(1, 3)), MemorySegment.ofArray(to));
    assertThat(to).containsExactly(2, 5, 3, 6);
    assertThatThrownBy(() -> ctx.copy(t, MemorySegment.ofArray(to)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[copy] the memory must hold the tensor; got 16 bytes for f32[2,3] (24 bytes).");
  }
}
