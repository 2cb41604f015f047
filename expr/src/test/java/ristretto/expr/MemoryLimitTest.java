package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static ristretto.expr.Ops.*;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.type.F32;
import ristretto.kernels.DeviceException;

/** Behaviour when memory is short, with 64 MiB for tensors of 16 MiB each. */
class MemoryLimitTest {
  private static final String PROPERTY = "ristretto.cpu.memory-limit";
  private static final int N = 2048;

  @BeforeAll
  static void limit() {
    System.setProperty(PROPERTY, "64m");
  }

  @AfterAll
  static void unlimit() {
    System.clearProperty(PROPERTY);
  }

  @Test
  void aContextGoesOnAfterItHadNoMemory() {
    try (var ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.ones(F32, N, N);
      List<Tensor<F32>> kept = new ArrayList<>();
      assertThatThrownBy(
              () -> {
                while (true) {
                  kept.add(ctx.eval(x.plus(1)));
                }
              })
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[allocate] memory must suffice; asked for 16.0 MiB with 64.0 MiB in use (64.0 MiB"
                  + " with rounding) and a limit of 64.0 MiB; the largest of 4 buffers hold 16.0"
                  + " MiB, 16.0 MiB, 16.0 MiB, 16.0 MiB; release tensors that are no longer needed,"
                  + " or raise -Dristretto.cpu.memory-limit");
      assertThat(kept).hasSize(3);
      ctx.assign(kept.get(0), kept.get(1).plus(kept.get(2)));
      assertThat(kept.get(0).slice(at(N - 1), at(7)).item()).isEqualTo(4);
      kept.clear();
      assertThat(ctx.eval(x.times(3)).slice(at(5), at(5)).item()).isEqualTo(3);
    }
  }

  @Test
  void unusedTensorsMakeRoom() {
    try (var ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.ones(F32, N, N);
      for (int k = 0; k < 20; k++) {
        Tensor<F32> y = ctx.eval(x.plus(k));
        assertThat(y.layout().isContiguous()).isTrue();
      }
    }
  }

  /** Resident memory of this process. */
  private static long resident() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
      }
    }
    throw new AssertionError("no VmRSS");
  }

  /** A .npy file of zeros, which takes no disk. */
  private static byte[] header(long elements) {
    String text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + elements + ",), }";
    String padded = text + " ".repeat(117 - text.length()) + "\n";
    return ("\u0093NUMPY\u0001\0\u0076\0" + padded).getBytes(StandardCharsets.ISO_8859_1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x.npy", "x.npz"})
  void refusedReadsTakeNoMemory(String name, @TempDir Path folder) throws IOException {
    assumeTrue(Files.exists(Path.of("/proc/self/status")));
    Path file = folder.resolve(name);
    long bytes = 240 << 20;
    if (name.equals("x.npy")) {
      try (var all = new RandomAccessFile(file.toFile(), "rw")) {
        all.write(header(bytes / 4));
        all.setLength(128 + bytes);
      }
    } else {
      try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
        zip.putNextEntry(new ZipEntry("x.npy"));
        zip.write(header(bytes / 4));
        byte[] zeros = new byte[1 << 20];
        for (long k = 0; k < bytes; k += zeros.length) {
          zip.write(zeros);
        }
      }
    }
    try (var ctx = Context.open("cpu")) {
      ctx.eval(ctx.ones(F32, 4).plus(1)).toFloatArray();
      long before = resident();
      for (int k = 0; k < 3; k++) {
        assertThatThrownBy(() -> ctx.loadAll(file))
            .isInstanceOf(DeviceException.class)
            .hasMessageStartingWith("[allocate] memory must suffice; asked for 240.0 MiB with ");
      }
      assertThat(resident() - before).isLessThan(bytes / 4);
      Tensor<F32> x = ctx.ones(F32, N, N);
      assertThat(ctx.eval(x.plus(1)).slice(at(0), at(0)).item()).isEqualTo(2);
    }
  }

  /** A plan that fails for want of a second temporary leaves the first to the context. */
  @Test
  void temporariesOfEarlierPlansMakeRoom() {
    try (var ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.ones(F32, N, N);
      Tensor<F32> y = ctx.ones(F32, N, N);
      assertThatThrownBy(() -> ctx.assign(y, dot(dot(x.plus(y), x.plus(2)), y)))
          .isInstanceOf(DeviceException.class);
      Tensor<F32> z = ctx.eval(x.plus(y));
      Tensor<F32> w = ctx.eval(x.minus(z));
      assertThat(w.slice(at(0), at(0)).item()).isEqualTo(-1);
    }
  }
}
