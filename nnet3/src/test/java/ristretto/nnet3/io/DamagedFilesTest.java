package ristretto.nnet3.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;

/** Truncated, corrupted and hostile files: an error that says where, and bounded memory. */
class DamagedFilesTest {
  /** Each kind of item in a file. */
  private static final List<Consumer<KaldiOutput>> WRITERS =
      List.of(
          out -> out.writeToken("<Token>"),
          out -> out.writeInt(12345),
          out -> out.writeFloat(0.25f),
          out -> out.writeDouble(0.25),
          out -> out.writeBool(true),
          out -> out.writeIntVector(new int[] {1, 2, 3}),
          out -> out.writeIntPairs(new int[] {1, 2, 3, 4}),
          out -> out.writeVector(new float[] {1, 2}),
          out -> out.writeDoubleVector(new double[] {1, 2}),
          out -> out.writeMatrix(Matrix.of(new float[] {1, 2}, new float[] {3, 4})),
          out -> out.writeDoubleMatrix(new DoubleMatrix(1, 2, new double[] {1, 2})),
          out ->
              out.writeMatrix(
                  new SparseMatrix(
                      List.of(new SparseVector(9, new int[] {1, 5}, new float[] {1, 2})))),
          out -> out.writeToken("</Token>"));

  private static final List<Consumer<KaldiInput>> READERS =
      List.of(
          in -> in.expectToken("<Token>"),
          KaldiInput::readInt,
          KaldiInput::readFloat,
          KaldiInput::readDouble,
          KaldiInput::readBool,
          KaldiInput::readIntVector,
          KaldiInput::readIntPairs,
          KaldiInput::readVector,
          KaldiInput::readDoubleVector,
          KaldiInput::readMatrix,
          KaldiInput::readDoubleMatrix,
          KaldiInput::readGeneralMatrix,
          in -> in.expectToken("</Token>"));

  private static byte[] all(boolean binary) {
    return KaldiOutput.bytes(binary, out -> WRITERS.forEach(w -> w.accept(out)));
  }

  private static void read(byte[] bytes) {
    try (var in = KaldiInput.of("x", bytes)) {
      READERS.forEach(r -> r.accept(in));
    }
  }

  /** Reads as from a pipe, whose length is not known. */
  private static void readUnknownLength(byte[] bytes) {
    try (var in = new KaldiInput(new ByteSource("x", new ByteArrayInputStream(bytes), 0))) {
      in.header();
      READERS.forEach(r -> r.accept(in));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void truncatedAtAnyByteIsAnErrorThatSaysWhere(boolean binary) {
    byte[] whole = all(binary);
    read(whole);
    readUnknownLength(whole);
    for (int n = 0; n < whole.length; n++) {
      byte[] part = Arrays.copyOf(whole, n);
      for (Consumer<byte[]> reader :
          List.<Consumer<byte[]>>of(DamagedFilesTest::read, DamagedFilesTest::readUnknownLength)) {
        Throwable error = catchThrowable(() -> reader.accept(part));
        assertThat(error)
            .as("%d bytes", n)
            .isInstanceOf(FileFormatException.class)
            .hasMessageMatching(
                "\\[kaldi] .* must .*; got .* at byte \\d+ of x; the file is damaged or of another"
                    + " kind\\.");
        String at = error.getMessage().replaceAll(".* at byte (\\d+) of.*", "$1");
        assertThat(Integer.parseInt(at)).isBetween(0, n);
      }
    }
  }

  @Test
  void truncatedArchivesAreErrorsButBetweenEntries() throws Exception {
    byte[] whole;
    try (var in = DamagedFilesTest.class.getResourceAsStream("feats.ark")) {
      whole = in.readAllBytes();
    }
    int ends = 0;
    for (int n = 0; n <= whole.length; n++) {
      try (var in = new KaldiInput(new ByteSource("x", Arrays.copyOf(whole, n)))) {
        while (!in.text().word().isEmpty()) {
          if (in.source().read() != ' ') {
            throw in.malformed(in.offset(), "a space must follow", in.next());
          }
          in.header();
          Holder.GENERAL_MATRIX.read(in);
        }
        ends++;
      } catch (FileFormatException e) {
        assertThat(e).hasMessageContaining(" of x; ");
      }
    }
    assertThat(ends).isEqualTo(4);
  }

  /** Whatever stands there, it is read or refused, and never more than what is there is taken. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void corruptedIsReadOrRefused(boolean binary) {
    byte[] whole = all(binary);
    var random = new Random(5);
    int refused = 0;
    for (int k = 0; k < 10_000; k++) {
      byte[] bytes = whole.clone();
      for (int n = random.nextInt(3); n >= 0; n--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      Throwable error = catchThrowable(() -> readUnknownLength(bytes));
      if (error != null) {
        assertThat(error)
            .isInstanceOf(FileFormatException.class)
            .hasMessageContaining("; got ")
            .hasMessageContaining(" of x");
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(3_000);
  }

  private static byte[] binary(Object... parts) {
    ByteBuffer to = ByteBuffer.allocate(200).order(ByteOrder.LITTLE_ENDIAN);
    to.put((byte) 0).put((byte) 'B');
    for (Object part : parts) {
      switch (part) {
        case String s -> to.put(s.getBytes(StandardCharsets.UTF_8));
        case Integer i -> to.putInt(i);
        case Byte b -> to.put(b);
        case Float f -> to.putFloat(f);
        default -> throw new IllegalArgumentException(part.toString());
      }
    }
    return Arrays.copyOf(to.array(), to.position());
  }

  private static final byte FOUR = 4;
  private static final int HUGE = 0x7fffffff;

  private static Stream<byte[]> hostile() {
    return Stream.of(
        binary("FV ", FOUR, HUGE - 8, 1, 2),
        binary("FV ", FOUR, HUGE, 1, 2),
        binary("FV ", FOUR, -1, 1, 2),
        binary("DV ", FOUR, HUGE - 8, 1, 2),
        binary("FM ", FOUR, HUGE, FOUR, HUGE, 1, 2),
        binary("FM ", FOUR, 46340, FOUR, 46340, 1, 2),
        binary("FM ", FOUR, 0, FOUR, HUGE, 1, 2),
        binary("FM ", FOUR, -1, FOUR, -1, 1, 2),
        binary("DM ", FOUR, 46340, FOUR, 46340, 1, 2),
        binary("CM ", 0f, 1f, HUGE, HUGE, 1, 2),
        binary("CM ", 0f, 1f, 0, HUGE, 1, 2),
        binary("CM ", 0f, 1f, 1, HUGE - 8, 1, 2),
        binary("CM2 ", 0f, 1f, 30000, 30000, 1, 2),
        binary("CM3 ", 0f, 1f, -5, -5, 1, 2),
        binary("SM ", FOUR, HUGE, "SV ", FOUR, 1, FOUR, 0),
        binary("SM ", FOUR, 1, "SV ", FOUR, HUGE, FOUR, HUGE, 1, 2),
        binary("SM ", FOUR, 1, "SV ", FOUR, 1, FOUR, 2, 1, 2),
        "rows=2000000000 dim=1 [ ]".getBytes(StandardCharsets.US_ASCII),
        "rows=1 dim=99999999999 [ ]".getBytes(StandardCharsets.US_ASCII),
        "[ 1 2\n 3 ]".getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void hugeCountsAreRefusedBeforeMemoryIsTaken() {
    hostile()
        .forEach(bytes -> {
          for (boolean known : new boolean[] {true, false}) {
            var source =
                known
                    ? new ByteSource("x", bytes)
                    : new ByteSource("x", new ByteArrayInputStream(bytes), 0);
            try (var in = new KaldiInput(source)) {
              in.header();
              boolean vector = bytes[0] == 0 && bytes[3] == 'V';
              assertThatThrownBy(
                      () -> {
                        if (vector) {
                          in.readVector();
                        } else {
                          in.readGeneralMatrix();
                        }
                      })
                  .isInstanceOf(FileFormatException.class);
            }
          }
        });
  }

  /** A pipe that never ends, without white space. */
  @Test
  void endlessWordsAreRefused() {
    var endless =
        new java.io.InputStream() {
          @Override
          public int read() {
            return 'a';
          }

          @Override
          public int read(byte[] to, int from, int length) throws IOException {
            Arrays.fill(to, from, from + length, (byte) 'a');
            return length;
          }
        };
    try (var in = new KaldiInput(new ByteSource("x", endless, 0))) {
      assertThatThrownBy(in::readToken)
          .hasMessage(
              "[kaldi] a word must have at most 16777216 bytes; got a longer one at byte 0 of x;"
                  + " the file is damaged or of another kind.");
    }
  }
}
