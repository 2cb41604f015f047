package ristretto.nnet3.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.kernels.FileFormatException;

class ByteTextTest {
  @TempDir private Path folder;

  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void allBytesSurvive() {
    var random = new Random(1);
    for (int trial = 0; trial < 20_000; trial++) {
      byte[] bytes = new byte[random.nextInt(8)];
      random.nextBytes(bytes);
      if (trial % 2 == 0) {
        // more valid sequences
        byte[] text = Character.toString(random.nextInt(0xd800)).getBytes(StandardCharsets.UTF_8);
        bytes = Arrays.copyOf(text, text.length + random.nextInt(2));
        bytes[random.nextInt(bytes.length)] ^= (byte) (random.nextInt(4) << 6);
      }
      String text = ByteText.decode(bytes, bytes.length);
      assertThat(ByteText.encode(text)).isEqualTo(bytes);
    }
  }

  @Test
  void validTextIsItself() {
    for (String text : new String[] {"", "a", "ä€", "\ufffd", "a\ud83d\ude00b"}) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      assertThat(ByteText.decode(bytes, bytes.length)).isEqualTo(text);
      assertThat(ByteText.encode(text)).isEqualTo(bytes);
    }
  }

  @Test
  void orderIsThatOfBytes() {
    var random = new Random(2);
    for (int trial = 0; trial < 20_000; trial++) {
      byte[] a = new byte[random.nextInt(5)];
      byte[] b = new byte[random.nextInt(5)];
      for (byte[] bytes : new byte[][] {a, b}) {
        for (int k = 0; k < bytes.length; k++) {
          bytes[k] = new byte[] {'a', -28, -16, -97, -104, -128, -17}[random.nextInt(7)];
        }
      }
      int order = ByteText.compare(ByteText.decode(a, a.length), ByteText.decode(b, b.length));
      assertThat(Integer.signum(order)).isEqualTo(Integer.signum(Arrays.compareUnsigned(a, b)));
    }
    // as UTF-16 they would be the other way round
    assertThat(ByteText.compare("\uffee", "\ud83d\ude00")).isNegative();
  }

  @Test
  void halvesOfCharactersAreRefused() {
    assertThatThrownBy(() -> ByteText.encode("a\ud83d"))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[kaldi] names must be text that UTF-8 can encode; got half of a character in"
                + " \"a\\ud83d\"; correct it.");
  }

  @Test
  void keysThatAreNotUtf8StayApart() throws Exception {
    Path file = Files.write(folder.resolve("x.ark"), latin1("utt\u00e4 1\nutt\u00f6 2\n"));
    Path copy = folder.resolve("y.ark");
    try (var in = TableReader.open("ark:" + file, Holder.INT);
        var all = RandomAccessTable.open("ark:" + file, Holder.INT);
        var out = TableWriter.open("ark,t:" + copy, Holder.INT)) {
      while (in.next()) {
        assertThat(all.get(in.key())).isEqualTo(in.value());
        out.write(in.key(), in.value());
      }
      out.commit();
    }
    assertThat(Files.readAllBytes(copy)).isEqualTo(latin1("utt\u00e4 1 \nutt\u00f6 2 \n"));
    assertThat(Files.readAllBytes(file)).hasSize(14);
    Path twice = Files.write(folder.resolve("z.ark"), latin1("utt\u00e4 1\nutt\u00e4 2\n"));
    try (var all = RandomAccessTable.open("ark:" + twice, Holder.INT)) {
      assertThatThrownBy(() -> all.has("none"))
          .isInstanceOf(FileFormatException.class)
          .hasMessage(
              "[table] keys must be unique; got \"utt\\udce4\" twice in \"ark:%s\"; rename or leave out one."
                  .formatted(twice));
    }
  }

  @Test
  void onlyAsciiHasSpacesInKeys() throws Exception {
    Path file = folder.resolve("x.ark");
    try (var out = TableWriter.open("ark,t:" + file, Holder.INT)) {
      out.write("a\u3000b", 1);
      out.commit();
    }
    try (var in = TableReader.open("ark:" + file, Holder.INT)) {
      assertThat(in.next()).isTrue();
      assertThat(in.key()).isEqualTo("a\u3000b");
    }
  }

  @Test
  void namesThatTheSystemCannotHaveAreRefused() throws Exception {
    var line = new ByteArrayOutputStream();
    line.writeBytes(latin1("a " + folder + "/\u00e4\u0000\n"));
    Path script = Files.write(folder.resolve("x.scp"), line.toByteArray());
    try (var in = TableReader.open("scp:" + script, Holder.INT)) {
      assertThat(in.next()).isTrue();
      assertThatThrownBy(in::value)
          .isInstanceOf(FileFormatException.class)
          .hasMessage(
              "[kaldi] the name of a file must be text that the system can encode; got \"%s/\\udce4\\u0000\" (Nul character not allowed); rename the file, or set LC_ALL to a locale of UTF-8, such as C.UTF-8."
                  .formatted(folder));
    }
  }
}
