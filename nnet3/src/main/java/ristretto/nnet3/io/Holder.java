package ristretto.nnet3.io;

import ristretto.kernels.FileFormatException;

/**
 * How the values of a table are read and written.
 *
 * @param <T> a value
 */
public interface Holder<T> {
  /** Matrices of floats; those of doubles and compressed ones are read too. */
  Holder<Matrix> MATRIX = MatrixHolders.MATRIX;

  /** Full, compressed and sparse matrices of floats. */
  Holder<GeneralMatrix> GENERAL_MATRIX = MatrixHolders.GENERAL_MATRIX;

  /** Matrices of doubles; those of floats are read too. */
  Holder<DoubleMatrix> DOUBLE_MATRIX = MatrixHolders.DOUBLE_MATRIX;

  /** Vectors of floats; those of doubles are read too. */
  Holder<float[]> VECTOR = MatrixHolders.VECTOR;

  /** Vectors of doubles; those of floats are read too. */
  Holder<double[]> DOUBLE_VECTOR = MatrixHolders.DOUBLE_VECTOR;

  /** Integers of 32 bits. */
  Holder<Integer> INT = new BasicHolders.Int();

  /** Floats. */
  Holder<Float> FLOAT = new BasicHolders.Real();

  /** Rows of integers, such as alignments. */
  Holder<int[]> INTS = new BasicHolders.Ints();

  /** Words without white space. */
  Holder<String> TOKEN = new BasicHolders.Token();

  /** Weights of classes. */
  Holder<Posterior> POSTERIOR = new PosteriorHolder();

  /** Reads a value; the input is in the mode that the value's first bytes told. */
  T read(KaldiInput in);

  /** Writes a value in the output's mode. */
  void write(KaldiOutput out, T value);

  /** Whether values are text in binary tables too. */
  default boolean alwaysText() {
    return false;
  }

  /** Returns true if entries of tables may have the same keys, because nobody asks for them. */
  default boolean repeatsKeys() {
    return false;
  }

  /** The part of a value that a script names. */
  default T part(T value, Range range) {
    throw new FileFormatException(
        "[table] a range must be of a matrix or a vector; got [%s] of another value; leave it out."
            .formatted(range.text()));
  }

  /**
   * Reads the value that is alone in a file, or at the byte that the name ends with; a range in
   * brackets at its end takes a part.
   */
  default T load(String rxfilename) {
    var entry = new ScriptLine("", rxfilename);
    try (var in = InputName.of(entry.file()).open()) {
      T value = ArchiveEntries.value(this, new KaldiInput(in));
      return entry.range() == null ? value : part(value, entry.range());
    }
  }

  /** Writes a value alone into a file. */
  default void save(String wxfilename, boolean binary, T value) {
    KaldiOutput.write(wxfilename, binary && !alwaysText(), out -> write(out, value));
  }
}
