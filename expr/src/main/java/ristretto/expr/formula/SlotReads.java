package ristretto.expr.formula;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Reads whose inputs are slots of a separate tape: records the formula of a pointwise expression.
 * Slot k is input k; launch scalars and positions follow.
 */
public final class SlotReads extends Reads {
  /** Signals that an expression reads its inputs at other indices than its own. */
  public static final class NotPointwise extends RuntimeException {
    private static final long serialVersionUID = 1L;
    static final NotPointwise INSTANCE = new NotPointwise();

    private NotPointwise() {
      super(null, null, false, false);
    }
  }

  /** Slot that is not an input. */
  public sealed interface More {
    /** Launch scalar. */
    record Number(int k) implements More {}

    /** Position along an axis. */
    record Coordinate(int axis) implements More {}

    /** Row-major number of the element. */
    record ElementNumber() implements More {}
  }

  private final Shape shape;
  private final List<DType<?>> inputs;
  private final List<ScalarType> numbers;
  private final TapeBuilder tape = new TapeBuilder();
  private final List<More> more = new ArrayList<>();

  /**
   * Creates reads of an expression with elements of {@code dtype}.
   *
   * @param inputs element types of the inputs
   * @param numbers types of the launch scalars
   */
  public SlotReads(DType<?> dtype, Shape shape, List<DType<?>> inputs, List<ScalarType> numbers) {
    super(dtype);
    this.shape = shape;
    this.inputs = inputs;
    this.numbers = numbers;
  }

  @Override
  public TapeBuilder tape() {
    return tape;
  }

  /** Slots after those of the inputs. */
  public List<More> more() {
    return more;
  }

  private Scalar slot(More what, ScalarType type) {
    int at = more.indexOf(what);
    if (at < 0) {
      at = more.size();
      more.add(what);
    }
    return scalar(tape.input(inputs.size() + at, type));
  }

  @Override
  public Scalar input(int k) {
    return scalar(tape.input(k, inputs.get(k).compute()));
  }

  @Override
  public Scalar coordinate(int axis) {
    int d = shape.axis(axis, "coordinate");
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
  public Scalar through(int k, ViewOp op) {
    throw NotPointwise.INSTANCE;
  }

  @Override
  public Scalar through(int k, ViewOp op, Shape to) {
    throw NotPointwise.INSTANCE;
  }

  @Override
  public Scalar gather(int source, int indices, int axis, boolean along) {
    throw NotPointwise.INSTANCE;
  }
}
