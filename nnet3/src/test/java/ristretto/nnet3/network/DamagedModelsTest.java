package ristretto.nnet3.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.RistrettoException;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/** Models that are not whole, or not what they were: an error, or a network. */
class DamagedModelsTest {
  private static final int CUTS = 40;
  private static final int TRIALS = 20;

  private static Throwable error(byte[] bytes) {
    return catchThrowable(() -> Nnet.read(KaldiInput.of("x", bytes)));
  }

  private static void refusedOrRead(String what, byte[] bytes) {
    Throwable error = error(bytes);
    if (error != null) {
      assertThat(error).as(what).isInstanceOf(RistrettoException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"model.raw", "model.txt"})
  void truncatedModelsAreRefused(String file) {
    for (String name : Vectors.casesWith(file)) {
      byte[] bytes = Vectors.bytes(name, file);
      // the white space that ends a text does not count
      int end = file.equals("model.txt") ? bytes.length - 1 : bytes.length;
      for (int k = 0; k < end; k += Math.max(1, bytes.length / CUTS)) {
        assertThat(error(Arrays.copyOf(bytes, k)))
            .as("%s, %d bytes", name, k)
            .isInstanceOf(RistrettoException.class)
            .hasMessageContaining(" x");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"model.raw", "model.txt"})
  void corruptedModelsAreRefusedOrRead(String file) {
    var random = new Random(3);
    for (String name : Vectors.casesWith(file)) {
      byte[] bytes = Vectors.bytes(name, file);
      for (int k = 0; k < TRIALS; k++) {
        byte[] changed = bytes.clone();
        for (int n = random.nextInt(3); n >= 0; n--) {
          changed[random.nextInt(changed.length)] = (byte) random.nextInt();
        }
        refusedOrRead(name, changed);
      }
    }
  }

  /** Any integer may be huge or negative. */
  @Test
  void hostileNumbersAreRefusedOrRead() {
    for (String name : Vectors.casesWith("model.raw")) {
      byte[] bytes = Vectors.bytes(name, "model.raw");
      ByteBuffer numbers = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      for (int k = 2; name.startsWith("comp-") && k < bytes.length - 5; k++) {
        int number = numbers.getInt(k + 1);
        if (bytes[k] == Integer.BYTES && number >= 0 && number < 100_000) {
          for (int value : new int[] {Integer.MAX_VALUE, -1, 0, 100_000_000}) {
            byte[] changed = bytes.clone();
            ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN).putInt(k + 1, value);
            refusedOrRead(
                String.format(Locale.ROOT, "%s, %d at byte %d", name, value, k + 1), changed);
          }
        }
      }
    }
  }

  @Test
  void whatIsNoComponentIsRefused() {
    String start = "<Nnet3> \n\n<NumComponents> 1 <ComponentName> a ";
    for (String token : new String[] {"<", ">", "AffineComponent", "<Affine>"}) {
      byte[] bytes = (start + token + " ").getBytes(StandardCharsets.US_ASCII);
      assertThat(error(bytes))
          .isInstanceOf(FileFormatException.class)
          .hasMessageContaining("a component type must come next; got \"" + token + "\"")
          .hasMessageContaining(" at byte 46 of x; ");
    }
  }

  @Test
  void productsOfSizesMustFit() {
    byte[] bytes = Vectors.bytes("comp-Convolution-zyx", "model.raw");
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int at = text.indexOf("<InputZDim> ") + "<InputZDim> ".length() + 1;
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(at, Integer.MAX_VALUE);
    assertThatThrownBy(() -> Nnet.read(KaldiInput.of("x", bytes)))
        .isInstanceOf(FileFormatException.class)
        .hasMessageMatching(
            "\\[kaldi\\] sizes of a component and their products must be integers of 32 bits; got"
                + " larger ones at byte \\d+ of x; the file is damaged or of another kind\\.");
  }

  @Test
  void aModelThatCannotBeWrittenLeavesTheOldOne(@TempDir Path folder) throws Exception {
    Path model = folder.resolve("x.raw");
    byte[] bytes = Vectors.bytes("comp-Affine", "model.raw");
    Files.write(model, bytes);
    Nnet nnet = Nnet.load(model.toString());
    assertThatThrownBy(() ->
            KaldiOutput.write(
                model.toString(),
                false,
                out -> {
                  nnet.write(out);
                  throw new IllegalStateException("stopped");
                }))
        .hasMessage("stopped");
    assertThat(model).hasBinaryContent(bytes);
    assertThat(folder.toFile().list()).containsExactly("x.raw");
  }
}
