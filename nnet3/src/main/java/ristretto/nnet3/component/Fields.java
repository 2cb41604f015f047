package ristretto.nnet3.component;

import ristretto.nnet3.io.DoubleMatrix;
import ristretto.nnet3.io.Matrix;

/**
 * Fields of a component in file order. One method of a component lists them for both directions: a
 * writer writes each value and returns it; a reader ignores the argument and returns the value in
 * the file.
 */
abstract class Fields {
  /** Returns true for a reader, false for a writer. */
  abstract boolean reading();

  /** Reads or writes a mandatory token. */
  abstract void token(String token);

  /**
   * Reads or writes an optional token; returns true if the token is there.
   *
   * @param present true if a writer writes the token
   */
  abstract boolean optional(String token, boolean present);

  abstract int integer(int value);

  abstract float real(float value);

  abstract double longReal(double value);

  abstract boolean flag(boolean value);

  abstract float[] vector(float[] value);

  abstract double[] doubles(double[] value);

  abstract Matrix matrix(Matrix value);

  abstract DoubleMatrix doubleMatrix(DoubleMatrix value);

  abstract int[] integers(int[] value);

  abstract int[] pairs(int[] value);

  /** Reads or writes a whole component. */
  abstract ComponentBase component(ComponentBase value);

  /** Fails in a reader unless {@code ok}; a writer does nothing. */
  abstract void check(boolean ok, String rule, Object got);

  final int integer(String token, int value) {
    token(token);
    return integer(value);
  }

  /** Reads or writes an integer that must be at least 1. */
  final int positive(String token, int value) {
    int v = integer(token, value);
    check(v >= 1, token + " must be at least 1", v);
    return v;
  }

  final float real(String token, float value) {
    token(token);
    return real(value);
  }

  final double longReal(String token, double value) {
    token(token);
    return longReal(value);
  }

  final boolean flag(String token, boolean value) {
    token(token);
    return flag(value);
  }

  final float[] vector(String token, float[] value) {
    token(token);
    return vector(value);
  }

  final Matrix matrix(String token, Matrix value) {
    token(token);
    return matrix(value);
  }

  final int[] integers(String token, int[] value) {
    token(token);
    return integers(value);
  }

  /**
   * Reads or writes an optional number: {@code usual} is not written, and is the value if the token
   * is missing.
   */
  final float optionalReal(String token, float value, float usual) {
    return optional(token, value != usual) ? real(value) : usual;
  }

  /** Skips an obsolete field of older files. */
  final void oldReal(String token) {
    if (optional(token, false)) {
      longReal(0);
    }
  }
}
