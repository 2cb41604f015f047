package ristretto.symbolic.automaton;

import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import ristretto.expr.type.DType;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;

/**
 * Inputs of a model for automata: one for each sequence, or one for all sequences.
 *
 * <pre>{@code
 * var supervision = AutomatonInput.of("supervision", F32);
 * var graph = AutomatonInput.of("graph", F32);
 * Variable<F32> loss = lfmmi(logits, supervision, graph);
 * var executor = new Executor(ctx, loss);
 * graph.set(List.of(allStrings), executor::set);
 * supervision.set(ofThisMinibatch, executor::set);
 * }</pre>
 *
 * <p>States, and transitions of a state, are padded to powers of two, so that minibatches of
 * similar sizes need one plan. The first extent of all inputs is the number of automata.
 *
 * @param sources states before each state, {@code [n, states, places]}
 * @param entering classes of the transitions from them
 * @param enteringWeights logarithms of the weights of these transitions
 * @param targets states after each state, {@code [n, states, places]}
 * @param leaving classes of the transitions to them
 * @param leavingWeights logarithms of the weights of these transitions
 * @param starts logarithms of the weights of starting, {@code [n, states]}
 * @param ends logarithms of the weights of ending, {@code [n, states]}
 */
public record AutomatonInput<T>(
    Variable<I32> sources,
    Variable<I32> entering,
    Variable<T> enteringWeights,
    Variable<I32> targets,
    Variable<I32> leaving,
    Variable<T> leavingWeights,
    Variable<T> starts,
    Variable<T> ends) {
  /** Logarithm of the weight of what is impossible; finite, so that no difference becomes NaN. */
  public static final double NEVER = -1e30;

  /** Receives the values of inputs: {@code executor::set}. */
  public interface Receiver {
    /** Sets an input to values in row-major order. */
    void set(Variable<?> input, MemorySegment values, Shape shape);
  }

  /**
   * Creates inputs.
   *
   * @param dtype F32 or F64
   */
  public static <T> AutomatonInput<T> of(String name, DType<T> dtype) {
    return new AutomatonInput<>(
        Variable.input(name + ".sources", I32, -1, -1, -1),
        Variable.input(name + ".entering", I32, -1, -1, -1),
        Variable.input(name + ".enteringWeights", dtype, -1, -1, -1),
        Variable.input(name + ".targets", I32, -1, -1, -1),
        Variable.input(name + ".leaving", I32, -1, -1, -1),
        Variable.input(name + ".leavingWeights", dtype, -1, -1, -1),
        Variable.input(name + ".starts", dtype, -1, -1),
        Variable.input(name + ".ends", dtype, -1, -1));
  }

  /** All inputs. */
  public List<Variable<?>> all() {
    return List.of(
        sources, entering, enteringWeights, targets, leaving, leavingWeights, starts, ends);
  }

  /**
   * Sets the inputs.
   *
   * @param automata one for each sequence; or a single one for all sequences
   */
  public void set(List<Automaton> automata, Receiver receiver) {
    if (automata.isEmpty()) {
      throw new ShapeException(
          "[automaton] there must be an automaton for each sequence, or one for all; got none; give"
              + " one.");
    }
    int n = automata.size();
    int states = padded(automata, Automaton::states);
    var in = new Places(n, states, padded(automata, a -> a.largest(a.targets())));
    var out = new Places(n, states, padded(automata, a -> a.largest(a.sources())));
    var first = new double[n * states];
    var last = new double[n * states];
    Arrays.fill(first, NEVER);
    Arrays.fill(last, NEVER);
    for (int k = 0; k < n; k++) {
      Automaton a = automata.get(k);
      for (int s = 0; s < a.states(); s++) {
        first[k * states + s] = Math.max(NEVER, a.starts()[s]);
        last[k * states + s] = Math.max(NEVER, a.ends()[s]);
      }
      for (int t = 0; t < a.sources().length; t++) {
        int source = a.sources()[t];
        int target = a.targets()[t];
        double weight = Math.max(NEVER, a.logWeights()[t]);
        in.add(k * states + target, source, a.classes()[t], weight);
        out.add(k * states + source, target, a.classes()[t], weight);
      }
    }
    in.set(receiver, sources, entering, enteringWeights);
    out.set(receiver, targets, leaving, leavingWeights);
    var shape = Shape.of(n, states);
    receiver.set(starts, segment(starts, first), shape);
    receiver.set(ends, segment(ends, last), shape);
  }

  private static int padded(List<Automaton> automata, ToIntFunction<Automaton> size) {
    int most = Math.max(1, automata.stream().mapToInt(size).max().orElse(1));
    int highest = Integer.highestOneBit(most);
    return highest == most ? most : 2 * highest;
  }

  private static MemorySegment segment(Variable<?> like, double[] values) {
    if (like.dtype() == F64) {
      return MemorySegment.ofArray(values);
    }
    var rounded = new float[values.length];
    for (int k = 0; k < rounded.length; k++) {
      rounded[k] = (float) values[k];
    }
    return MemorySegment.ofArray(rounded);
  }

  /** Transitions by the state that they enter or leave. */
  private static final class Places {
    private final Shape shape;
    private final int size;
    private final int[] counts;
    private final int[] others;
    private final int[] classes;
    private final double[] weights;

    Places(int n, int states, int size) {
      this.size = size;
      shape = Shape.of(n, states, size);
      counts = new int[n * states];
      others = new int[counts.length * size];
      classes = new int[others.length];
      weights = new double[others.length];
      Arrays.fill(weights, NEVER);
    }

    void add(int state, int other, int of, double weight) {
      int at = state * size + counts[state]++;
      others[at] = other;
      classes[at] = of;
      weights[at] = weight;
    }

    void set(Receiver receiver, Variable<I32> other, Variable<I32> of, Variable<?> weight) {
      receiver.set(other, MemorySegment.ofArray(others), shape);
      receiver.set(of, MemorySegment.ofArray(classes), shape);
      receiver.set(weight, segment(weight, weights), shape);
    }
  }
}
