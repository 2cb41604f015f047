package ristretto.nnet3.io;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;

/** Holders of matrices and vectors, of which scripts can name ranges. */
final class MatrixHolders {
  static final Holder<Matrix> MATRIX =
      new Parts<>(KaldiInput::readMatrix, KaldiOutput::writeMatrix, MatrixHolders::part);
  static final Holder<GeneralMatrix> GENERAL_MATRIX =
      new Parts<>(
          KaldiInput::readGeneralMatrix,
          KaldiOutput::writeMatrix,
          (value, range) -> part(value.toMatrix(), range));
  static final Holder<DoubleMatrix> DOUBLE_MATRIX =
      new Parts<>(
          KaldiInput::readDoubleMatrix, KaldiOutput::writeDoubleMatrix, MatrixHolders::part);
  static final Holder<float[]> VECTOR =
      new Parts<>(
          KaldiInput::readVector,
          KaldiOutput::writeVector,
          (value, range) -> {
            MatrixRange.Span span = elements(value.length, range);
            return Arrays.copyOfRange(value, span.first(), span.last() + 1);
          });
  static final Holder<double[]> DOUBLE_VECTOR =
      new Parts<>(
          KaldiInput::readDoubleVector,
          KaldiOutput::writeDoubleVector,
          (value, range) -> {
            MatrixRange.Span span = elements(value.length, range);
            return Arrays.copyOfRange(value, span.first(), span.last() + 1);
          });

  private MatrixHolders() {}

  private record Parts<T>(
      Function<KaldiInput, T> reader,
      BiConsumer<KaldiOutput, T> writer,
      BiFunction<T, MatrixRange, T> cutter)
      implements Holder<T> {
    @Override
    public T read(KaldiInput in) {
      return reader.apply(in);
    }

    @Override
    public void write(KaldiOutput out, T value) {
      writer.accept(out, value);
    }

    @Override
    public T part(T value, MatrixRange range) {
      return cutter.apply(value, range);
    }
  }

  private static MatrixRange.Span elements(int dim, MatrixRange range) {
    String what = String.format(Locale.ROOT, "a vector of %d elements", dim);
    if (range.cols() != null) {
      throw new ristretto.kernels.FileFormatException(
          "[table] a range of a vector must have no columns; got [%s] of %s; leave out the comma and what follows."
              .formatted(range.text(), what));
    }
    return range.rowsOf(dim, what);
  }

  private static Matrix part(Matrix from, MatrixRange range) {
    String what =
        String.format(Locale.ROOT, "a matrix of %d rows and %d columns", from.rows(), from.cols());
    MatrixRange.Span rows = range.rowsOf(from.rows(), what);
    MatrixRange.Span cols = range.colsOf(from.cols(), what);
    int width = cols.last() - cols.first() + 1;
    var to = new Matrix(rows.last() - rows.first() + 1, width);
    for (int r = 0; r < to.rows(); r++) {
      int at = (rows.first() + r) * from.cols() + cols.first();
      System.arraycopy(from.data(), at, to.data(), r * width, width);
    }
    return to;
  }

  private static DoubleMatrix part(DoubleMatrix from, MatrixRange range) {
    String what =
        String.format(Locale.ROOT, "a matrix of %d rows and %d columns", from.rows(), from.cols());
    MatrixRange.Span rows = range.rowsOf(from.rows(), what);
    MatrixRange.Span cols = range.colsOf(from.cols(), what);
    int width = cols.last() - cols.first() + 1;
    int height = rows.last() - rows.first() + 1;
    var to = new double[width * height];
    for (int r = 0; r < height; r++) {
      int at = (rows.first() + r) * from.cols() + cols.first();
      System.arraycopy(from.data(), at, to, r * width, width);
    }
    return new DoubleMatrix(height, width, to);
  }
}
