package ristretto.nnet3.component;

import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.io.DoubleMatrix;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.Matrix;

/** Reader of a component's fields. */
final class FieldReader extends Fields {
  private final KaldiInput in;
  private String ahead;
  private long aheadAt;

  FieldReader(KaldiInput in) {
    this.in = in;
  }

  @Override
  boolean reading() {
    return true;
  }

  /** Consumes and returns the next token. */
  String word() {
    String word = peek();
    ahead = null;
    return word;
  }

  private String peek() {
    if (ahead == null) {
      in.peek();
      aheadAt = in.offset();
      ahead = in.readToken();
    }
    return ahead;
  }

  /** Returns the error for an unexpected last token. */
  FileFormatException wrong(String rule, String got) {
    return in.malformed(aheadAt, rule, got);
  }

  @Override
  void token(String token) {
    if (ahead == null) {
      in.expectToken(token);
      return;
    }
    String got = word();
    if (!got.equals(token)) {
      throw wrong("the token %s must stand here".formatted(token), '"' + Excerpt.of(got) + '"');
    }
  }

  @Override
  boolean optional(String token, boolean present) {
    if (!peek().equals(token)) {
      return false;
    }
    ahead = null;
    return true;
  }

  private KaldiInput value() {
    if (ahead != null) {
      throw wrong("a value must stand here", '"' + Excerpt.of(ahead) + '"');
    }
    return in;
  }

  @Override
  int integer(int value) {
    return value().readInt();
  }

  @Override
  float real(float value) {
    return value().readFloat();
  }

  @Override
  double longReal(double value) {
    return value().readDouble();
  }

  @Override
  boolean flag(boolean value) {
    return value().readBool();
  }

  @Override
  float[] vector(float[] value) {
    return value().readVector();
  }

  @Override
  double[] doubles(double[] value) {
    return value().readDoubleVector();
  }

  @Override
  Matrix matrix(Matrix value) {
    return value().readMatrix();
  }

  @Override
  DoubleMatrix doubleMatrix(DoubleMatrix value) {
    return value().readDoubleMatrix();
  }

  @Override
  int[] integers(int[] value) {
    return value().readIntVector();
  }

  @Override
  int[] pairs(int[] value) {
    return value().readIntPairs();
  }

  @Override
  ComponentBase component(ComponentBase value) {
    return ComponentTypes.read(value());
  }

  @Override
  void check(boolean ok, String rule, Object got) {
    if (!ok) {
      throw in.malformed(in.offset(), rule, String.valueOf(got));
    }
  }
}
