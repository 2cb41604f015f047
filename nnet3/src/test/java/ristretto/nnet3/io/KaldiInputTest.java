package ristretto.nnet3.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;

class KaldiInputTest {
  private static KaldiInput text(String text) {
    return KaldiInput.of("x", text.getBytes(StandardCharsets.UTF_8));
  }

  private static String written(Consumer<KaldiOutput> content) {
    return new String(KaldiOutput.bytes(false, content), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void readsBackWhatItWrites(boolean binary) {
    var sparse =
        new SparseMatrix(
            List.of(
                new SparseVector(5, new int[] {0, 3}, new float[] {0.5f, 1}),
                new SparseVector(5, new int[0], new float[0])));
    byte[] bytes =
        KaldiOutput.bytes(
            binary,
            out -> {
              out.writeToken("<A>");
              out.writeInt(-7);
              out.writeFloat(0.25f);
              out.writeDouble(1e100);
              out.writeBool(true);
              out.writeBool(false);
              out.writeIntVector(new int[] {1, -2});
              out.writeIntVector(new int[0]);
              out.writeIntPairs(new int[] {1, 2, 3, 4});
              out.writeVector(new float[] {1, 2.5f});
              out.writeVector(new float[0]);
              out.writeDoubleVector(new double[] {3, 4});
              out.writeMatrix(Matrix.of(new float[] {1, 2}, new float[] {3, 4}));
              out.writeMatrix(new Matrix(0, 0));
              out.writeDoubleMatrix(new DoubleMatrix(1, 2, new double[] {5, 6}));
              out.writeMatrix(sparse);
              out.writeToken("</A>");
            });
    try (var in = KaldiInput.of("x", bytes)) {
      assertThat(in.binary()).isEqualTo(binary);
      assertThat((char) in.peekToken()).isEqualTo('A');
      in.expectToken("<A>");
      assertThat(in.readInt()).isEqualTo(-7);
      assertThat(in.readFloat()).isEqualTo(0.25f);
      assertThat(in.readDouble()).isEqualTo(1e100);
      assertThat(in.readBool()).isTrue();
      assertThat(in.readBool()).isFalse();
      assertThat(in.readIntVector()).containsExactly(1, -2);
      assertThat(in.readIntVector()).isEmpty();
      assertThat(in.readIntPairs()).containsExactly(1, 2, 3, 4);
      assertThat(in.readVector()).containsExactly(1, 2.5f);
      assertThat(in.readVector()).isEmpty();
      assertThat(in.readDoubleVector()).containsExactly(3, 4);
      assertThat(in.readMatrix().data()).containsExactly(1, 2, 3, 4);
      assertThat(in.readMatrix().data()).isEmpty();
      assertThat(in.readDoubleMatrix().data()).containsExactly(5, 6);
      assertThat(in.readGeneralMatrix().toMatrix().data())
          .containsExactly(0.5f, 0, 0, 1, 0, 0, 0, 0, 0, 0);
      in.expectToken("</A>");
      assertThat(in.atEnd()).isTrue();
    }
  }

  @Test
  void writesTextAsKaldiDoes() {
    assertThat(
            written(out -> {
              out.writeToken("<Dim>");
              out.writeInt(3);
              out.writeFloat(0.001f);
              out.writeBool(true);
            }))
        .isEqualTo("<Dim> 3 0.001 T ");
    assertThat(written(out -> out.writeVector(new float[] {1, 2}))).isEqualTo(" [ 1 2 ]\n");
    assertThat(written(out -> out.writeVector(new float[0]))).isEqualTo(" [ ]\n");
    assertThat(written(out -> out.writeIntVector(new int[] {1, 2}))).isEqualTo("[ 1 2 ]\n");
    assertThat(written(out -> out.writeIntPairs(new int[] {1, 2}))).isEqualTo("[ 1,2 ]\n");
    assertThat(written(out -> out.writeMatrix(Matrix.of(new float[] {1}, new float[] {2}))))
        .isEqualTo(" [\n  1 \n  2 ]\n");
    assertThat(written(out -> out.writeMatrix(new Matrix(0, 0)))).isEqualTo(" [ ]\n");
    assertThat(
            written(out ->
                out.writeMatrix(
                    new SparseMatrix(
                        List.of(new SparseVector(3, new int[] {1}, new float[] {0.5f}))))))
        .isEqualTo("rows=1 dim=3 [ 1 0.5 ] \n");
  }

  @Test
  void floatsAndDoublesStandForEachOther() {
    byte[] bytes =
        KaldiOutput.bytes(
            true,
            out -> {
              out.writeDouble(0.5);
              out.writeFloat(0.25f);
              out.writeDoubleVector(new double[] {1});
              out.writeVector(new float[] {2});
              out.writeDoubleMatrix(new DoubleMatrix(1, 1, new double[] {3}));
              out.writeMatrix(Matrix.of(new float[] {4}));
            });
    try (var in = KaldiInput.of("x", bytes)) {
      assertThat(in.readFloat()).isEqualTo(0.5f);
      assertThat(in.readDouble()).isEqualTo(0.25);
      assertThat(in.readVector()).containsExactly(1);
      assertThat(in.readDoubleVector()).containsExactly(2);
      assertThat(in.readMatrix().get(0, 0)).isEqualTo(3);
      assertThat(in.readDoubleMatrix().get(0, 0)).isEqualTo(4);
    }
  }

  @Test
  void toleratesFreeText() {
    assertThat(text("[]").readMatrix().rows()).isZero();
    assertThat(text("[]").readVector()).isEmpty();
    assertThat(text(" [ 1 2; 3 4 ]").readMatrix().get(1, 0)).isEqualTo(3);
    assertThat(text("[\r\n 1 2\r\n 3 4 ]\r\n").readMatrix().get(1, 1)).isEqualTo(4);
    assertThat(text("[ inf -INFINITY nan ]").readVector())
        .containsExactly(Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN);
    assertThat(text("[1,2 3,4]").readIntPairs()).containsExactly(1, 2, 3, 4);
  }

  @Test
  void keepsBytesThroughAToken() {
    var in = text("<T> a b </T> <Next> ");
    assertThat(in.readThrough("</T>")).asString().isEqualTo("<T> a b </T> ");
    in.expectToken("<Next>");
  }

  @Test
  void readsLinesInBinaryFilesToo() {
    var in = KaldiInput.of("x", new byte[] {0, 'B', '<', 'N', '>', ' ', '\n', 'a', '\n', '\n'});
    in.expectToken("<N>");
    assertThat(in.readLine()).isEmpty();
    assertThat(in.readLine()).isEqualTo("a");
    assertThat(in.readLine()).isEmpty();
    assertThat(in.readLine()).isNull();
  }
}
