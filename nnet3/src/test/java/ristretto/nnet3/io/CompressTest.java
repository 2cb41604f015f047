package ristretto.nnet3.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.nnet3.matrix.CompressedMatrix;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;

class CompressTest {
  /**
   * Matrices, what Kaldi makes of them by each method, and what it reads back from that: keys begin
   * with the number of the method.
   */
  @Test
  void matricesAreRoundedAsKaldiDoes(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("compressed.ark");
    try (var in = CompressTest.class.getResourceAsStream("compressed.ark")) {
      Files.copy(in, file);
    }
    int count = 0;
    try (var table = TableReader.open("ark:" + file, Holder.GENERAL_MATRIX)) {
      while (table.next()) {
        String key = table.key();
        Matrix full = (Matrix) table.value();
        assertThat(table.next()).isTrue();
        var theirs = (CompressedMatrix) table.value();
        assertThat(table.next()).isTrue();
        var method = CompressedMatrix.Method.values()[key.charAt(1) - '1'];
        CompressedMatrix ours = CompressedMatrix.of(full, method);
        assertThat(bytes(ours)).as(key).isEqualTo(bytes(theirs));
        assertThat(ours.toMatrix().data()).as(key).isEqualTo(table.value().toMatrix().data());
        count++;
      }
    }
    assertThat(count).isEqualTo(202);
  }

  private static byte[] bytes(GeneralMatrix matrix) {
    return KaldiOutput.bytes(true, out -> out.writeMatrix(matrix));
  }

  @Test
  void emptyMatricesHaveOneForm() {
    CompressedMatrix empty =
        CompressedMatrix.of(new Matrix(0, 0), CompressedMatrix.Method.ONE_BYTE);
    assertThat(empty.toMatrix().data()).isEmpty();
    assertThat(bytes(empty)).hasSize(2 + 3 + 16).startsWith(0, 'B', 'C', 'M', ' ');
  }

  @Test
  void elementsMustBeFinite() {
    assertThatThrownBy(() ->
            CompressedMatrix.of(
                Matrix.of(new float[] {1, Float.NaN}), CompressedMatrix.Method.AUTOMATIC))
        .hasMessage("[compress] elements must be finite; got NaN; write the matrix as it is.");
  }
}
