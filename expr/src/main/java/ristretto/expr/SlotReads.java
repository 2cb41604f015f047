package ristretto.expr;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Reads whose inputs are slots of a separate tape: records the formula of a pointwise expression.
 * Slot k is input k; launch scalars and positions follow.
 */
final class SlotReads extends Reads {
  /** Signals that an expression reads its inputs at other indices than its own. */
  static final class NotPointwise extends RuntimeException {
    private static final long serialVersionUID = 1L;
    static final NotPointwise INSTANCE = new NotPointwise();

    private NotPointwise() {
      super(null, null, false, false);
    }
  }

  /** Slot that is not an input. */
  sealed interface More {
    record Number(int k) implements More {}

    record Coordinate(int axis) implements More {}

    record ElementNumber() implements More {}
  }

  private final Expr<?> expr;
  private final TapeBuilder tape = new TapeBuilder();
  private final List<More> more = new ArrayList<>();
  private final List<ScalarType> numbers = new ArrayList<>();

  SlotReads(Expr<?> expr) {
    super(null, expr, null);
    this.expr = expr;
    expr.scalars(
        new ScalarSink() {
          @Override
          public void add(DType<?> dtype, double value) {
            numbers.add(dtype.compute());
          }

          @Override
          public void add(long value) {
            numbers.add(ScalarType.I64);
          }

          @Override
          public void addBits(DType<?> dtype, long bits) {
            numbers.add(dtype.compute());
          }
        });
  }

  @Override
  TapeBuilder tape() {
    return tape;
  }

  /** Slots after those of the inputs. */
  List<More> more() {
    return more;
  }

  private Scalar slot(More what, ScalarType type) {
    int at = more.indexOf(what);
    if (at < 0) {
      at = more.size();
      more.add(what);
    }
    return scalar(tape.input(expr.inputs().size() + at, type));
  }

  @Override
  public Scalar input(int k) {
    return scalar(tape.input(k, expr.inputs().get(k).dtype().compute()));
  }

  @Override
  public Scalar coordinate(int axis) {
    int d = expr.shape().axis(axis, "coordinate");
    return slot(new More.Coordinate(d), ScalarType.I64);
  }

  @Override
  public Scalar elementNumber() {
    return slot(new More.ElementNumber(), ScalarType.I64);
  }

  @Override
  public Scalar number(int k) {
    return slot(new More.Number(k), numbers.get(k));
  }

  @Override
  Scalar constant(ScalarType type, double value) {
    return scalar(tape.constant(type, value));
  }

  @Override
  Scalar through(int k, ViewOp op) {
    throw NotPointwise.INSTANCE;
  }

  @Override
  Scalar through(int k, ViewOp op, Shape to) {
    throw NotPointwise.INSTANCE;
  }

  @Override
  Scalar gather(int source, int indices, int axis, boolean along) {
    throw NotPointwise.INSTANCE;
  }

  @Override
  Scalar scalar(int row) {
    return new Scalar(tape, row);
  }
}
