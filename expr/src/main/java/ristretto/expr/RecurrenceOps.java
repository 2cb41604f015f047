package ristretto.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import ristretto.expr.graph.Constant;
import ristretto.expr.graph.Lifted;
import ristretto.expr.graph.Recurrence;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.LambdaException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.lambda.DoubleLambda;
import ristretto.kernels.lambda.FloatLambda;
import ristretto.kernels.lambda.IntLambda;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.lambda.LongLambda;
import ristretto.kernels.lift.Lifter;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Recurrences with user lambdas, in one kernel each: one step after the other along axis 0, for all
 * elements of the other axes at once. Gradients run a recurrence in reverse.
 *
 * @hidden its operations are documented as those of {@link Ops}
 */
public abstract class RecurrenceOps extends StatisticsOps {
  RecurrenceOps() {}

  // F32

  /**
   * Recurrence along axis 0: {@code s[t] = f(s[t - 1], xs[t])}, from a state before the first step:
   * {@code state[...], xs[n, ...] -> y[n, ...]}. The state broadcasts against a step of the input.
   * Unlike that of {@link #cumulative}, the lambda need not be associative: an exponential average
   * is {@code scan(scalar(F32, 0), xs, (s, x) -> 0.9f * s + 0.1f * x)}.
   *
   * @throws LambdaException if the lambda uses an unsupported operation
   * @throws ShapeException if the shapes do not broadcast
   */
  public static Expr<F32> scan(Expr<F32> state, Expr<F32> xs, FloatLambda.ToFloat2 f) {
    return states(List.of(state), List.of(xs), List.of(f)).getFirst();
  }

  /** Recurrence with two inputs. */
  public static Expr<F32> scan(
      Expr<F32> state, Expr<F32> xs, Expr<F32> ys, FloatLambda.ToFloat3 f) {
    return states(List.of(state), List.of(xs, ys), List.of(f)).getFirst();
  }

  /** Recurrence with three inputs. */
  public static Expr<F32> scan(
      Expr<F32> state, Expr<F32> xs, Expr<F32> ys, Expr<F32> zs, FloatLambda.ToFloat4 f) {
    return states(List.of(state), List.of(xs, ys, zs), List.of(f)).getFirst();
  }

  /**
   * Recurrence of two states: each lambda takes both states before the step and the input, and
   * returns one of the new states.
   *
   * @return both states of all steps
   */
  public static List<Expr<F32>> scan(
      Expr<F32> state1,
      Expr<F32> state2,
      Expr<F32> xs,
      FloatLambda.ToFloat3 f1,
      FloatLambda.ToFloat3 f2) {
    return states(List.of(state1, state2), List.of(xs), List.of(f1, f2));
  }

  /** Recurrence of two states with two inputs. */
  public static List<Expr<F32>> scan(
      Expr<F32> state1,
      Expr<F32> state2,
      Expr<F32> xs,
      Expr<F32> ys,
      FloatLambda.ToFloat4 f1,
      FloatLambda.ToFloat4 f2) {
    return states(List.of(state1, state2), List.of(xs, ys), List.of(f1, f2));
  }

  /** Recurrence of three states. */
  public static List<Expr<F32>> scan(
      Expr<F32> state1,
      Expr<F32> state2,
      Expr<F32> state3,
      Expr<F32> xs,
      FloatLambda.ToFloat4 f1,
      FloatLambda.ToFloat4 f2,
      FloatLambda.ToFloat4 f3) {
    return states(List.of(state1, state2, state3), List.of(xs), List.of(f1, f2, f3));
  }

  /**
   * Cumulative results of a user's associative lambda along an axis: {@code cumulative(a, 0f, (u,
   * v) -> u + v, axis)} is the cumulative sum. The identity is the neutral element of the lambda.
   *
   * @throws LambdaException if the lambda uses an unsupported operation
   */
  public static Expr<F32> cumulative(
      Expr<F32> a, float identity, FloatLambda.ToFloat2 f, int axis) {
    return accumulated(a, a.number(identity), f, axis);
  }

  // F64

  /** Recurrence over F64; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}. */
  public static Expr<F64> scan(Expr<F64> state, Expr<F64> xs, DoubleLambda.ToDouble2 f) {
    return states(List.of(state), List.of(xs), List.of(f)).getFirst();
  }

  /** Recurrence with two inputs; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}. */
  public static Expr<F64> scan(
      Expr<F64> state, Expr<F64> xs, Expr<F64> ys, DoubleLambda.ToDouble3 f) {
    return states(List.of(state), List.of(xs, ys), List.of(f)).getFirst();
  }

  /** Recurrence with three inputs; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}. */
  public static Expr<F64> scan(
      Expr<F64> state, Expr<F64> xs, Expr<F64> ys, Expr<F64> zs, DoubleLambda.ToDouble4 f) {
    return states(List.of(state), List.of(xs, ys, zs), List.of(f)).getFirst();
  }

  /**
   * Recurrence of two states: each lambda takes both states before the step and the input, and
   * returns one of the new states; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}.
   *
   * @return both states of all steps
   */
  public static List<Expr<F64>> scan(
      Expr<F64> state1,
      Expr<F64> state2,
      Expr<F64> xs,
      DoubleLambda.ToDouble3 f1,
      DoubleLambda.ToDouble3 f2) {
    return states(List.of(state1, state2), List.of(xs), List.of(f1, f2));
  }

  /**
   * Recurrence of two states with two inputs; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}.
   */
  public static List<Expr<F64>> scan(
      Expr<F64> state1,
      Expr<F64> state2,
      Expr<F64> xs,
      Expr<F64> ys,
      DoubleLambda.ToDouble4 f1,
      DoubleLambda.ToDouble4 f2) {
    return states(List.of(state1, state2), List.of(xs, ys), List.of(f1, f2));
  }

  /** Recurrence of three states; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}. */
  public static List<Expr<F64>> scan(
      Expr<F64> state1,
      Expr<F64> state2,
      Expr<F64> state3,
      Expr<F64> xs,
      DoubleLambda.ToDouble4 f1,
      DoubleLambda.ToDouble4 f2,
      DoubleLambda.ToDouble4 f3) {
    return states(List.of(state1, state2, state3), List.of(xs), List.of(f1, f2, f3));
  }

  /**
   * Cumulative results of a user's associative lambda; see {@link #cumulative(Expr, float,
   * FloatLambda.ToFloat2, int)}.
   */
  public static Expr<F64> cumulative(
      Expr<F64> a, double identity, DoubleLambda.ToDouble2 f, int axis) {
    return accumulated(a, a.number(identity), f, axis);
  }

  // I32

  /** Recurrence over I32; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}. */
  public static Expr<I32> scan(Expr<I32> state, Expr<I32> xs, IntLambda.ToInt2 f) {
    return states(List.of(state), List.of(xs), List.of(f)).getFirst();
  }

  /** Recurrence with two inputs; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}. */
  public static Expr<I32> scan(Expr<I32> state, Expr<I32> xs, Expr<I32> ys, IntLambda.ToInt3 f) {
    return states(List.of(state), List.of(xs, ys), List.of(f)).getFirst();
  }

  /** Recurrence with three inputs; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}. */
  public static Expr<I32> scan(
      Expr<I32> state, Expr<I32> xs, Expr<I32> ys, Expr<I32> zs, IntLambda.ToInt4 f) {
    return states(List.of(state), List.of(xs, ys, zs), List.of(f)).getFirst();
  }

  /**
   * Recurrence of two states: each lambda takes both states before the step and the input, and
   * returns one of the new states; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}.
   *
   * @return both states of all steps
   */
  public static List<Expr<I32>> scan(
      Expr<I32> state1, Expr<I32> state2, Expr<I32> xs, IntLambda.ToInt3 f1, IntLambda.ToInt3 f2) {
    return states(List.of(state1, state2), List.of(xs), List.of(f1, f2));
  }

  /**
   * Recurrence of two states with two inputs; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}.
   */
  public static List<Expr<I32>> scan(
      Expr<I32> state1,
      Expr<I32> state2,
      Expr<I32> xs,
      Expr<I32> ys,
      IntLambda.ToInt4 f1,
      IntLambda.ToInt4 f2) {
    return states(List.of(state1, state2), List.of(xs, ys), List.of(f1, f2));
  }

  /** Recurrence of three states; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}. */
  public static List<Expr<I32>> scan(
      Expr<I32> state1,
      Expr<I32> state2,
      Expr<I32> state3,
      Expr<I32> xs,
      IntLambda.ToInt4 f1,
      IntLambda.ToInt4 f2,
      IntLambda.ToInt4 f3) {
    return states(List.of(state1, state2, state3), List.of(xs), List.of(f1, f2, f3));
  }

  /**
   * Cumulative results of a user's associative lambda; see {@link #cumulative(Expr, float,
   * FloatLambda.ToFloat2, int)}.
   */
  public static Expr<I32> cumulative(Expr<I32> a, int identity, IntLambda.ToInt2 f, int axis) {
    return accumulated(a, a.number(identity), f, axis);
  }

  // I64

  /** Recurrence over I64; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}. */
  public static Expr<I64> scan(Expr<I64> state, Expr<I64> xs, LongLambda.ToLong2 f) {
    return states(List.of(state), List.of(xs), List.of(f)).getFirst();
  }

  /** Recurrence with two inputs; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}. */
  public static Expr<I64> scan(Expr<I64> state, Expr<I64> xs, Expr<I64> ys, LongLambda.ToLong3 f) {
    return states(List.of(state), List.of(xs, ys), List.of(f)).getFirst();
  }

  /** Recurrence with three inputs; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}. */
  public static Expr<I64> scan(
      Expr<I64> state, Expr<I64> xs, Expr<I64> ys, Expr<I64> zs, LongLambda.ToLong4 f) {
    return states(List.of(state), List.of(xs, ys, zs), List.of(f)).getFirst();
  }

  /**
   * Recurrence of two states: each lambda takes both states before the step and the input, and
   * returns one of the new states; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}.
   *
   * @return both states of all steps
   */
  public static List<Expr<I64>> scan(
      Expr<I64> state1,
      Expr<I64> state2,
      Expr<I64> xs,
      LongLambda.ToLong3 f1,
      LongLambda.ToLong3 f2) {
    return states(List.of(state1, state2), List.of(xs), List.of(f1, f2));
  }

  /**
   * Recurrence of two states with two inputs; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}.
   */
  public static List<Expr<I64>> scan(
      Expr<I64> state1,
      Expr<I64> state2,
      Expr<I64> xs,
      Expr<I64> ys,
      LongLambda.ToLong4 f1,
      LongLambda.ToLong4 f2) {
    return states(List.of(state1, state2), List.of(xs, ys), List.of(f1, f2));
  }

  /** Recurrence of three states; see {@link #scan(Expr, Expr, FloatLambda.ToFloat2)}. */
  public static List<Expr<I64>> scan(
      Expr<I64> state1,
      Expr<I64> state2,
      Expr<I64> state3,
      Expr<I64> xs,
      LongLambda.ToLong4 f1,
      LongLambda.ToLong4 f2,
      LongLambda.ToLong4 f3) {
    return states(List.of(state1, state2, state3), List.of(xs), List.of(f1, f2, f3));
  }

  /**
   * Cumulative results of a user's associative lambda; see {@link #cumulative(Expr, float,
   * FloatLambda.ToFloat2, int)}.
   */
  public static Expr<I64> cumulative(Expr<I64> a, long identity, LongLambda.ToLong2 f, int axis) {
    return accumulated(a, a.number(identity), f, axis);
  }

  // Planning

  /** Recurrence of one lambda per state. Returns the states of all steps, one tensor per state. */
  static <T> List<Expr<T>> states(
      List<Expr<T>> states, List<? extends Expr<T>> inputs, List<? extends Lambda> lambdas) {
    Shape lanes = states.getFirst().shape();
    long steps = -1;
    for (Expr<T> x : inputs) {
      if (x.shape().rank() < 1 || steps >= 0 && x.shape().dim(0) != steps) {
        throw new ShapeException(
            "[scan] the first axis of each input must be the steps; got " + labels(inputs) + ".");
      }
      steps = x.shape().dim(0);
      lanes = joined(lanes, row(x), states, inputs);
    }
    for (Expr<T> s : states) {
      lanes = joined(lanes, s.shape(), states, inputs);
    }
    var operands = new ArrayList<Expr<?>>();
    for (Expr<T> s : states) {
      operands.add(isNumber(s) ? s : s.expand(lanes.extents()));
    }
    long[] dims = stacked(states.size(), steps, lanes);
    long[] all = dims.clone();
    if (states.size() > 1) {
      all = Arrays.copyOfRange(dims, 1, dims.length);
    }
    for (Expr<T> x : inputs) {
      operands.add(aligned(x, lanes.rank()).expand(all));
    }
    var codes = lambdas.stream().map(Lifter::lift).toList();
    Recurrence op = Recurrence.of(codes, List.copyOf(lambdas));
    return parts(
        states.size(), new Computed<>(op, states.getFirst().dtype(), Shape.of(dims), operands));
  }

  private static Shape row(Expr<?> x) {
    long[] dims = x.shape().extents();
    return Shape.of(Arrays.copyOfRange(dims, 1, dims.length));
  }

  private static Shape joined(Shape a, Shape b, List<?> states, List<?> inputs) {
    Shape both = Shape.broadcast(a, b);
    if (both == null) {
      throw new ShapeException(
          "[scan] states and steps of the inputs must broadcast; got states %s, inputs %s."
              .formatted(labels(states), labels(inputs)));
    }
    return both;
  }

  private static String labels(List<?> all) {
    var text = new StringBuilder();
    for (Object e : all) {
      text.append(text.isEmpty() ? "" : ", ").append(((Expr<?>) e).label());
    }
    return text.toString();
  }

  /** Inserts axes after the steps, such that the others align with the last axes of the lanes. */
  private static <T> Expr<T> aligned(Expr<T> x, int rank) {
    Expr<T> wide = x;
    while (wide.shape().rank() < rank + 1) {
      wide = wide.unsqueeze(1);
    }
    return wide;
  }

  /** Number that the kernel takes as a launch scalar. */
  private static boolean isNumber(Expr<?> state) {
    return state.shape().rank() == 0 && state.operation() instanceof Constant;
  }

  /** Extents of a result: several states are stacked along a first axis. */
  private static long[] stacked(int states, long steps, Shape lanes) {
    int first = states == 1 ? 0 : 1;
    long[] dims = new long[first + 1 + lanes.rank()];
    dims[0] = states;
    dims[first] = steps;
    System.arraycopy(lanes.extents(), 0, dims, first + 1, lanes.rank());
    return dims;
  }

  private static <T> List<Expr<T>> parts(int states, Expr<T> stacked) {
    if (states == 1) {
      return List.of(stacked);
    }
    var all = new ArrayList<Expr<T>>();
    for (long s = 0; s < stacked.shape().at(0); s++) {
      all.add(stacked.slice(Slice.at(s)));
    }
    return all;
  }

  /** Cumulative results of an associative lambda along an axis. */
  static <T> Expr<T> accumulated(Expr<T> a, Expr<T> identity, Lambda f, int axis) {
    int d = a.shape().axis(axis, "cumulative");
    int rank = a.shape().rank();
    int[] order = new int[rank];
    int[] back = new int[rank];
    for (int k = 0; k < rank; k++) {
      order[k] = k == 0 ? d : k <= d ? k - 1 : k;
      back[order[k]] = k;
    }
    if (d == 0) {
      return states(List.of(identity), List.of(a), List.of(f)).getFirst();
    }
    return states(List.of(identity), List.of(a.permute(order)), List.of(f))
        .getFirst()
        .permute(back);
  }

  /**
   * Gradients by a recurrence in reverse: the adjoint of each step's states is the gradient of the
   * result plus the adjoint of the next step, times the derivative of that step.
   */
  static <T> List<Expr<?>> gradients(Expr<T> e, Recurrence r, Expr<T> dy) {
    if (!e.dtype().isFloat()) {
      return Collections.nCopies(e.inputs().size(), null);
    }
    int states = r.states();
    long steps = e.shape().at(states == 1 ? 0 : 1);
    if (e.shape().elements() == 0) {
      return e.inputs().stream()
          .<Expr<?>>map(in -> Scalars.filled(in.dtype(), in.shape(), 0))
          .toList();
    }
    if (r.codes().isEmpty()) {
      return linearGradients(e, r, dy, steps);
    }
    var operands = new ArrayList<Expr<?>>();
    List<Expr<T>> results = parts(states, e);
    for (int s = 0; s < states; s++) {
      long[] dims = row(results.get(s)).extents();
      Expr<T> first = operand(e, s).expand(dims).unsqueeze(0);
      Expr<T> rest = ArrayManipulation.slice(results.get(s), 0, Slice.range(0, steps - 1));
      operands.add(ArrayManipulation.concat("scan", 0, List.of(first, rest)));
    }
    operands.addAll(e.inputs().subList(states, e.inputs().size()));
    var formulas = new ArrayList<Expr<T>>();
    for (int s = 0; s < states; s++) {
      var lifted = new Lifted(r.lambdas().get(s), r.codes().get(s), false);
      formulas.add(new Computed<>(lifted, e.dtype(), results.getFirst().shape(), operands));
    }
    Expr<T> one = Scalars.literal(e.dtype(), 1).expand(results.getFirst().shape().extents());
    List<List<Expr<?>>> slopes = formulas.stream().map(f -> FormulaGradient.of(f, one)).toList();
    // Factors of the next step's states; the last step has none.
    List<List<Expr<T>>> factors = new ArrayList<>();
    for (int j = 0; j < states; j++) {
      factors.add(new ArrayList<>());
      for (int k = 0; k < states; k++) {
        Expr<T> slope = typed(slopes.get(j).get(k));
        factors.get(j).add(slope == null ? null : later(slope));
      }
    }
    List<Expr<T>> adjoints = linear(true, factors, parts(states, dy), steps);
    var result = new ArrayList<Expr<?>>();
    for (int k = 0; k < e.inputs().size(); k++) {
      Expr<T> sum = null;
      for (int s = 0; s < states; s++) {
        Expr<?> slope = slopes.get(s).get(k);
        if (slope != null) {
          Expr<T> share = adjoints.get(s).times(RecurrenceOps.<T>typed(slope));
          sum = sum == null ? share : sum.plus(share);
        }
      }
      if (k >= states || sum == null) {
        result.add(sum);
      } else {
        result.add(isNumber(e.inputs().get(k)) ? null : sum.slice(Slice.at(0)));
      }
    }
    return result;
  }

  /**
   * Gradients of a linear recurrence, by one in the other direction: its adjoints are the gradients
   * of the addends, and times a state of the step before those of the factors.
   */
  private static <T> List<Expr<?>> linearGradients(
      Expr<T> e, Recurrence r, Expr<T> dy, long steps) {
    int states = r.states();
    List<List<Expr<T>>> transposed = new ArrayList<>();
    for (int k = 0; k < states; k++) {
      transposed.add(new ArrayList<>(Collections.nCopies(states, null)));
    }
    int next = 2 * states;
    for (int link = 0; link < states * states; link++) {
      if ((r.links() >> link & 1) != 0) {
        Expr<T> factor = operand(e, next++);
        transposed
            .get(link % states)
            .set(link / states, r.reverse() ? earlier(factor, steps) : later(factor));
      }
    }
    List<Expr<T>> adjoints = linear(!r.reverse(), transposed, parts(states, dy), steps);
    var result = new ArrayList<Expr<?>>(Collections.nCopies(states, null));
    result.addAll(adjoints);
    List<Expr<T>> results = parts(states, e);
    for (int link = 0; link < states * states; link++) {
      if ((r.links() >> link & 1) != 0) {
        Expr<T> state = results.get(link / states);
        result.add(
            adjoints.get(link % states).times(r.reverse() ? later(state) : earlier(state, steps)));
      }
    }
    return result;
  }

  /** Elements of the next step; zero for the last step. */
  private static <T> Expr<T> later(Expr<T> e) {
    Expr<T> next = ArrayManipulation.slice(e, 0, Slice.from(1, 1));
    return ArrayManipulation.pad(next, Scalars.literal(e.dtype(), 0), new long[] {0, 1});
  }

  /** Elements of the step before; zero for the first step. */
  private static <T> Expr<T> earlier(Expr<T> e, long steps) {
    Expr<T> before = ArrayManipulation.slice(e, 0, Slice.range(0, steps - 1));
    return ArrayManipulation.pad(before, Scalars.literal(e.dtype(), 0), new long[] {1, 0});
  }

  /**
   * Linear recurrence from zeros: {@code x_k[t] = addend_k[t] + sum_j factor_jk[t] * x_j[t - 1]},
   * or of {@code x_j[t + 1]} in reverse; a factor may be null for zero.
   */
  private static <T> List<Expr<T>> linear(
      boolean reverse, List<List<Expr<T>>> factors, List<Expr<T>> addends, long steps) {
    int states = addends.size();
    DType<T> dtype = addends.getFirst().dtype();
    ScalarType type = dtype.compute();
    var tape = new TapeBuilder();
    var operands = new ArrayList<Expr<?>>();
    long[] lanes = row(addends.getFirst()).extents();
    int[] sums = new int[states];
    for (int k = 0; k < states; k++) {
      operands.add(Scalars.number(dtype, 0.0));
    }
    for (int k = 0; k < states; k++) {
      sums[k] = tape.input(operands.size(), type);
      operands.add(addends.get(k));
    }
    long links = 0;
    for (int j = 0; j < states; j++) {
      for (int k = 0; k < states; k++) {
        Expr<T> each = factors.get(j).get(k);
        if (each != null) {
          links |= 1L << j * states + k;
          int factor = tape.input(operands.size(), type);
          operands.add(each);
          int share = tape.apply(Op.MUL, tape.input(j, type), factor);
          sums[k] = tape.apply(Op.ADD, sums[k], share);
        }
      }
    }
    var op = new Recurrence(states, reverse, tape.build(sums), links, List.of(), List.of());
    Shape shape = Shape.of(stacked(states, steps, Shape.of(lanes)));
    return parts(states, new Computed<>(op, dtype, shape, operands));
  }

  @SuppressWarnings("unchecked")
  private static <T> Expr<T> typed(Expr<?> e) {
    return (Expr<T>) e;
  }

  @SuppressWarnings("unchecked")
  private static <T> Expr<T> operand(Expr<T> e, int k) {
    return (Expr<T>) e.inputs().get(k);
  }
}
