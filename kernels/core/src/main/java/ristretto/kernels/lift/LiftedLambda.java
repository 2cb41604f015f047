package ristretto.kernels.lift;

import java.util.List;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/** Lifting result shared by all lambdas of one class, which differ only in captured values. */
public final class LiftedLambda {
  private final Tape tape;
  private final List<ScalarType> parameters;
  private final List<ScalarType> captured;
  private final String description;
  private final CapturedValues values;

  LiftedLambda(
      Tape tape,
      List<ScalarType> parameters,
      List<ScalarType> captured,
      String description,
      CapturedValues values) {
    this.tape = tape;
    this.parameters = List.copyOf(parameters);
    this.captured = List.copyOf(captured);
    this.description = description;
    this.values = values;
  }

  /**
   * Tape with one output; its input slots are the parameters, then the captured values. Unused
   * slots have no row.
   */
  public Tape tape() {
    return tape;
  }

  public List<ScalarType> parameters() {
    return parameters;
  }

  /** Types of the captured primitives. */
  public List<ScalarType> captured() {
    return captured;
  }

  public ScalarType result() {
    return tape.outputType(0);
  }

  /** Human-readable description: {@code the lambda in Train.main (Train.java:41)}. */
  public String description() {
    return description;
  }

  /**
   * Writes the values captured by {@code lambda} to {@code bits} from {@code at} on, encoded as in
   * {@link ristretto.kernels.scalar.Node.Const}.
   */
  public void readCaptured(Lambda lambda, long[] bits, int at) {
    if (!captured.isEmpty()) {
      values.read(lambda, bits, at);
    }
  }

  /**
   * Returns the values captured by {@code lambda}, encoded as in {@link
   * ristretto.kernels.scalar.Node.Const}.
   */
  public long[] capturedBits(Lambda lambda) {
    long[] bits = new long[captured.size()];
    readCaptured(lambda, bits, 0);
    return bits;
  }
}
