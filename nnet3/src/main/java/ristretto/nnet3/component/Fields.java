package ristretto.nnet3.component;

import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.Matrix;

/**
 * Fields of a component in file order. One method of a component lists them for both directions: a
 * writer writes each value and returns it; a reader ignores the argument and returns the value in
 * the file.
 */
public abstract class Fields {
  /** Returns true for a reader, false for a writer. */
  public abstract boolean reading();

  /** Reads or writes a mandatory token. */
  public abstract void token(String token);

  /**
   * Reads or writes an optional token; returns true if the token is there.
   *
   * @param present true if a writer writes the token
   */
  public abstract boolean optional(String token, boolean present);

  public abstract int integer(int value);

  public abstract float real(float value);

  public abstract double longReal(double value);

  public abstract boolean flag(boolean value);

  public abstract float[] vector(float[] value);

  public abstract double[] doubles(double[] value);

  public abstract Matrix matrix(Matrix value);

  public abstract DoubleMatrix doubleMatrix(DoubleMatrix value);

  public abstract int[] integers(int[] value);

  public abstract int[] pairs(int[] value);

  /** Reads or writes a whole component. */
  public abstract ComponentBase component(ComponentBase value);

  /** Fails in a reader unless {@code ok}; a writer does nothing. */
  public abstract void check(boolean ok, String rule, Object got);

  public final int integer(String token, int value) {
    token(token);
    return integer(value);
  }

  /** Reads or writes an integer that must be at least 1. */
  public final int positive(String token, int value) {
    int v = integer(token, value);
    check(v >= 1, token + " must be at least 1", v);
    return v;
  }

  public final float real(String token, float value) {
    token(token);
    return real(value);
  }

  public final double longReal(String token, double value) {
    token(token);
    return longReal(value);
  }

  public final boolean flag(String token, boolean value) {
    token(token);
    return flag(value);
  }

  public final float[] vector(String token, float[] value) {
    token(token);
    return vector(value);
  }

  public final Matrix matrix(String token, Matrix value) {
    token(token);
    return matrix(value);
  }

  public final int[] integers(String token, int[] value) {
    token(token);
    return integers(value);
  }

  /**
   * Reads or writes an optional number: {@code usual} is not written, and is the value if the token
   * is missing.
   */
  public final float optionalReal(String token, float value, float usual) {
    return optional(token, value != usual) ? real(value) : usual;
  }

  /** Skips an obsolete field of older files. */
  public final void oldReal(String token) {
    if (optional(token, false)) {
      longReal(0);
    }
  }
}
