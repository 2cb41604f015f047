package ristretto.nnet3.component;

import ristretto.nnet3.io.DoubleMatrix;
import ristretto.nnet3.io.Matrix;

/**
 * The fields of a component in the order of its file. One method of a component names them all: to
 * write, each is given and comes back as it is; to read, what comes back is what the file holds.
 */
abstract class Fields {
  /** Whether fields come from a file. */
  abstract boolean reading();

  /** A word that must stand here. */
  abstract void token(String token);

  /** Whether a word stands here that need not; to write, {@code present} decides. */
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

  /** A whole component. */
  abstract ComponentBase component(ComponentBase value);

  /** To read, refuses the file unless {@code ok}. */
  abstract void check(boolean ok, String rule, Object got);

  final int integer(String token, int value) {
    token(token);
    return integer(value);
  }

  /** One that must be at least 1. */
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
   * A number that is written unless it is {@code usual}, which stands for it where it is missing.
   */
  final float optionalReal(String token, float value, float usual) {
    return optional(token, value != usual) ? real(value) : usual;
  }

  /** A field that older files have and no longer means anything. */
  final void oldReal(String token) {
    if (optional(token, false)) {
      longReal(0);
    }
  }
}
