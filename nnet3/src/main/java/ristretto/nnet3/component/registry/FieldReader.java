package ristretto.nnet3.component.registry;

import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.Matrix;

/** Reader of a component's fields. */
final class FieldReader extends Fields {
  private final KaldiInput in;
  private String ahead;
  private long aheadAt;

  FieldReader(KaldiInput in) {
    this.in = in;
  }

  @Override
  public boolean reading() {
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
  public void token(String token) {
    if (ahead == null) {
      in.expectToken(token);
      return;
    }
    String got = word();
    if (!got.equals(token)) {
      throw wrong("the token %s must come next".formatted(token), '"' + Excerpt.of(got) + '"');
    }
  }

  @Override
  public boolean optional(String token, boolean present) {
    if (!peek().equals(token)) {
      return false;
    }
    ahead = null;
    return true;
  }

  private KaldiInput value() {
    if (ahead != null) {
      throw wrong("a value must come next", '"' + Excerpt.of(ahead) + '"');
    }
    return in;
  }

  @Override
  public int integer(int value) {
    return value().readInt();
  }

  @Override
  public float real(float value) {
    return value().readFloat();
  }

  @Override
  public double longReal(double value) {
    return value().readDouble();
  }

  @Override
  public boolean flag(boolean value) {
    return value().readBool();
  }

  @Override
  public float[] vector(float[] value) {
    return value().readVector();
  }

  @Override
  public double[] doubles(double[] value) {
    return value().readDoubleVector();
  }

  @Override
  public Matrix matrix(Matrix value) {
    return value().readMatrix();
  }

  @Override
  public DoubleMatrix doubleMatrix(DoubleMatrix value) {
    return value().readDoubleMatrix();
  }

  @Override
  public int[] integers(int[] value) {
    return value().readIntVector();
  }

  @Override
  public int[] pairs(int[] value) {
    return value().readIntPairs();
  }

  @Override
  public ComponentBase component(ComponentBase value) {
    return ComponentTypes.read(value());
  }

  @Override
  public void check(boolean ok, String rule, Object got) {
    if (!ok) {
      throw in.malformed(in.offset(), rule, String.valueOf(got));
    }
  }
}
