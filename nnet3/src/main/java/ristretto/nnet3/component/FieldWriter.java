package ristretto.nnet3.component;

import ristretto.nnet3.io.DoubleMatrix;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.io.Matrix;

/** Writer of a component's fields. */
final class FieldWriter extends Fields {
  private final KaldiOutput out;

  FieldWriter(KaldiOutput out) {
    this.out = out;
  }

  @Override
  boolean reading() {
    return false;
  }

  @Override
  void token(String token) {
    out.writeToken(token);
  }

  @Override
  boolean optional(String token, boolean present) {
    if (present) {
      out.writeToken(token);
    }
    return present;
  }

  @Override
  int integer(int value) {
    out.writeInt(value);
    return value;
  }

  @Override
  float real(float value) {
    out.writeFloat(value);
    return value;
  }

  @Override
  double longReal(double value) {
    out.writeDouble(value);
    return value;
  }

  @Override
  boolean flag(boolean value) {
    out.writeBool(value);
    return value;
  }

  @Override
  float[] vector(float[] value) {
    out.writeVector(value);
    return value;
  }

  @Override
  double[] doubles(double[] value) {
    out.writeDoubleVector(value);
    return value;
  }

  @Override
  Matrix matrix(Matrix value) {
    out.writeMatrix(value);
    return value;
  }

  @Override
  DoubleMatrix doubleMatrix(DoubleMatrix value) {
    out.writeDoubleMatrix(value);
    return value;
  }

  @Override
  int[] integers(int[] value) {
    out.writeIntVector(value);
    return value;
  }

  @Override
  int[] pairs(int[] value) {
    out.writeIntPairs(value);
    return value;
  }

  @Override
  ComponentBase component(ComponentBase value) {
    value.write(out);
    return value;
  }

  @Override
  void check(boolean ok, String rule, Object got) {
    // Values in memory were checked when they were read or initialized.
  }
}
