package ristretto.expr.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.standin.Mutations;

/**
 * Damaged files of tensors: each is refused by a FileFormatException, or accepted, and then equal
 * after it is written and read again; anything else is a bug. {@code -Pnightly} reads 100,000 of
 * each.
 */
class TensorFilesFuzzTest {
  private static final int ROUNDS = Integer.getInteger("ristretto.fuzz", 1000);
  private static final long SEED = Long.getLong("ristretto.fuzz.seed", 1);

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "f4.npy",
        "big-i8.npy",
        "fortran.npy",
        "version3.npy",
        "b1.npy",
        "stored.npz",
        "deflated.npz",
        "streamed.npz",
        "zip64.npz",
        "all.safetensors"
      })
  void damagedFilesAreRefusedOrRead(String file) throws IOException {
    byte[] valid = Files.readAllBytes(TestFiles.path(file));
    for (int length = 0; length < valid.length; length++) {
      boolean read = readsOrRefuses(file, Arrays.copyOf(valid, length), "cut to " + length);
      assertThat(read).as("cut to %d", length).isFalse();
    }
    int survived = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long seed = SEED + round;
      byte[] damaged =
          round % 2 == 0
              ? damage(valid, new SplittableRandom(seed))
              : new Mutations(new Random(seed)).of(valid);
      survived += readsOrRefuses(file, damaged, "seed " + seed) ? 1 : 0;
    }
    assertThat(survived).isLessThan(ROUNDS);
  }

  @Test
  void anythingAddedIsRefused() throws IOException {
    for (String file : new String[] {"f4.npy", "all.safetensors", "stored.npz"}) {
      byte[] valid = Files.readAllBytes(TestFiles.path(file));
      assertThat(readsOrRefuses(file, Arrays.copyOf(valid, valid.length + 1), "longer")).isFalse();
    }
  }

  private static byte[] damage(byte[] valid, SplittableRandom random) {
    byte[] damaged = valid.clone();
    int changes = random.nextInt(1, 4);
    for (int k = 0; k < changes; k++) {
      int at = random.nextInt(damaged.length);
      switch (random.nextInt(5)) {
        case 0 -> damaged[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> damaged[at] = (byte) random.nextInt(256);
        case 2 -> damaged[at] = random.nextBoolean() ? 0 : (byte) 0xff;
        case 3 -> {
          int length = Math.min(random.nextInt(1, 9), damaged.length - at);
          Arrays.fill(damaged, at, at + length, random.nextBoolean() ? 0 : (byte) 0xff);
        }
        default -> {
          int length = Math.min(random.nextInt(1, 40), damaged.length - at);
          int from = random.nextInt(damaged.length - length + 1);
          System.arraycopy(valid, from, damaged, at, length);
        }
      }
    }
    return damaged;
  }

  private boolean readsOrRefuses(String file, byte[] bytes, String what) {
    try {
      Map<String, HostTensor> tensors = TestFiles.read(file, bytes);
      long held = tensors.values().stream().mapToLong(t -> t.data().byteSize()).sum();
      assertThat(held).as(what).isLessThanOrEqualTo(1032L * bytes.length);
      Path again = folder.resolve("again" + file.substring(file.lastIndexOf('.')));
      TensorFiles.write(again, tensors);
      TestFiles.checkEqual(TestFiles.read(again), tensors);
      return true;
    } catch (FileFormatException e) {
      assertThat(e).hasMessageStartingWith("[load] ").hasMessageContaining(file);
      Mutations.checkMessage(e.getMessage());
      return false;
    } catch (RuntimeException | Error e) {
      throw new AssertionError(file + ", " + what + ": " + e, e);
    }
  }
}
