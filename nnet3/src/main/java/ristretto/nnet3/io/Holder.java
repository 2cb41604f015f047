package ristretto.nnet3.io;

import java.util.List;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;

/**
 * Reads and writes the values of a table.
 *
 * @param <T> type of a value
 */
public interface Holder<T> {
  /** Matrices of floats; also reads matrices of doubles and compressed matrices. */
  Holder<Matrix> MATRIX = MatrixHolders.MATRIX;

  /** Full, compressed and sparse matrices of floats. */
  Holder<GeneralMatrix> GENERAL_MATRIX = MatrixHolders.GENERAL_MATRIX;

  /** Matrices of doubles; also reads matrices of floats. */
  Holder<DoubleMatrix> DOUBLE_MATRIX = MatrixHolders.DOUBLE_MATRIX;

  /** Vectors of floats; also reads vectors of doubles. */
  Holder<float[]> VECTOR = MatrixHolders.VECTOR;

  /** Vectors of doubles; also reads vectors of floats. */
  Holder<double[]> DOUBLE_VECTOR = MatrixHolders.DOUBLE_VECTOR;

  /** 32-bit integers. */
  Holder<Integer> INT = new BasicHolders.Int();

  /** Floats. */
  Holder<Float> FLOAT = new BasicHolders.Real();

  /** Vectors of integers, such as alignments. */
  Holder<int[]> INTS = new BasicHolders.Ints();

  /** Pairs of integers, such as phones and their durations; elements 2k and 2k + 1 are a pair. */
  Holder<int[]> INT_PAIRS = new BasicHolders.Pairs();

  /** Words without white space. */
  Holder<String> TOKEN = new BasicHolders.Token();

  /** Lines of words, such as transcripts. */
  Holder<List<String>> TOKENS = new BasicHolders.Tokens();

  /** Posteriors: weights of classes for each frame. */
  Holder<Posterior> POSTERIOR = new PosteriorHolder();

  /** Reads a value; the mode of the input, text or binary, was set by the value's first bytes. */
  T read(KaldiInput in);

  /** Writes a value in the output's mode. */
  void write(KaldiOutput out, T value);

  /** Returns true if values are text in binary tables too. */
  default boolean alwaysText() {
    return false;
  }

  /**
   * Returns true if binary values begin with a magic number of their own, in place of the header of
   * Kaldi's files.
   */
  default boolean ownHeader() {
    return false;
  }

  /**
   * Returns true if entries of a table may share a key, because they are never looked up by key.
   */
  default boolean repeatsKeys() {
    return false;
  }

  /** Returns the range of a value that a script names. */
  default T part(T value, MatrixRange range) {
    throw new FileFormatException(
        "[table] a range must select from a matrix or a vector; got [%s] of another value; leave it out."
            .formatted(range.text()));
  }

  /**
   * Reads the only value of a file, or the value at the byte offset that ends the name; a range in
   * brackets at the end of the name selects a part.
   */
  default T load(String rxfilename) {
    var entry = new ScriptLine("", rxfilename);
    try (var in = Rxfilename.of(entry.file()).open()) {
      T value = ArchiveEntries.value(this, new KaldiInput(in));
      return entry.range() == null ? value : part(value, entry.range());
    }
  }

  /** Writes a file with a single value. */
  default void save(String wxfilename, boolean binary, T value) {
    KaldiOutput.write(wxfilename, binary && !alwaysText(), !ownHeader(), out -> write(out, value));
  }
}
