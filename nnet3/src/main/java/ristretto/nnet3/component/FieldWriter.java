package ristretto.nnet3.component;

import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.Matrix;

/** Writer of a component's fields. */
final class FieldWriter extends Fields {
  private final KaldiOutput out;

  FieldWriter(KaldiOutput out) {
    this.out = out;
  }

  @Override
  public boolean reading() {
    return false;
  }

  @Override
  public void token(String token) {
    out.writeToken(token);
  }

  @Override
  public boolean optional(String token, boolean present) {
    if (present) {
      out.writeToken(token);
    }
    return present;
  }

  @Override
  public int integer(int value) {
    out.writeInt(value);
    return value;
  }

  @Override
  public float real(float value) {
    out.writeFloat(value);
    return value;
  }

  @Override
  public double longReal(double value) {
    out.writeDouble(value);
    return value;
  }

  @Override
  public boolean flag(boolean value) {
    out.writeBool(value);
    return value;
  }

  @Override
  public float[] vector(float[] value) {
    out.writeVector(value);
    return value;
  }

  @Override
  public double[] doubles(double[] value) {
    out.writeDoubleVector(value);
    return value;
  }

  @Override
  public Matrix matrix(Matrix value) {
    out.writeMatrix(value);
    return value;
  }

  @Override
  public DoubleMatrix doubleMatrix(DoubleMatrix value) {
    out.writeDoubleMatrix(value);
    return value;
  }

  @Override
  public int[] integers(int[] value) {
    out.writeIntVector(value);
    return value;
  }

  @Override
  public int[] pairs(int[] value) {
    out.writeIntPairs(value);
    return value;
  }

  @Override
  public ComponentBase component(ComponentBase value) {
    value.write(out);
    return value;
  }

  @Override
  public void check(boolean ok, String rule, Object got) {
    // Values in memory were checked when they were read or initialized.
  }
}
