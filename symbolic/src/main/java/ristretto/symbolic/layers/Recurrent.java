package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import ristretto.expr.Ops;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/**
 * Recurrent network over a sequence: one or more layers of cells, in one direction or both.
 *
 * <pre>{@code
 * var r = Recurrent.of(Cell.lstm(), 200).layers(2).over("lstm", words);   // words[steps, n, in]
 * Variable<F32> logits = dense("out", r.outputs(), 10_000);   // r.outputs()[steps, n, 200]
 * }</pre>
 *
 * <p>A network with a name can be applied several times with the same parameters:
 *
 * <pre>{@code
 * var encoder = new Recurrent("enc", Cell.gru(), 64);
 * Variable<F32> a = encoder.of(question).outputs();
 * Variable<F32> b = encoder.of(answer).outputs();
 * }</pre>
 */
public final class Recurrent {
  /**
   * Outputs of a recurrent network.
   *
   * @param outputs outputs of the last layer, {@code [steps, n, hidden]}; {@code [steps, n, 2 *
   *     hidden]} if bidirectional, forward outputs first
   * @param last states after the last step, {@code [layers, n, hidden]} each; if bidirectional,
   *     forward and backward states of each layer in turn; the first state is the output
   */
  public record Result<T>(Variable<T> outputs, List<Variable<T>> last) {}

  private final Optional<String> name;
  private final Cell cell;
  private final long hidden;

  /** Parameters of a network with a name, by layer; created at the first application. */
  private final Map<String, Parameters> parameters = new ConcurrentHashMap<>();

  // Set only in a fresh copy, before it is published.
  private int layers = 1;
  private boolean bidirectional;
  private boolean reverse;
  private double dropout;
  private Optional<Variable<I32>> lengths = Optional.empty();
  private Optional<Initializer> initializer = Optional.empty();

  /**
   * Creates a network with one layer of cells and a name, without parameters yet.
   *
   * @param name name of the network, the prefix of its parameters; see {@link #over(String,
   *     Variable)}
   * @param hidden width of the output
   */
  public Recurrent(String name, Cell cell, long hidden) {
    this(Optional.of(name), cell, hidden);
  }

  private Recurrent(Optional<String> name, Cell cell, long hidden) {
    if (hidden < 1) {
      throw new ShapeException(
          "[%s] a layer must have at least one output; got %s."
              .formatted(name.orElse("recurrent"), hidden));
    }
    this.name = name;
    this.cell = cell;
    this.hidden = hidden;
  }

  private Recurrent with(String option, Consumer<Recurrent> change) {
    Parameters.requireNew(name.orElse(""), option, !parameters.isEmpty());
    var copy = new Recurrent(name, cell, hidden);
    copy.layers = layers;
    copy.bidirectional = bidirectional;
    copy.reverse = reverse;
    copy.dropout = dropout;
    copy.lengths = lengths;
    copy.initializer = initializer;
    change.accept(copy);
    return copy;
  }

  /**
   * Network with one layer of cells.
   *
   * @param hidden width of the output
   */
  public static Recurrent of(Cell cell, long hidden) {
    return new Recurrent(Optional.empty(), cell, hidden);
  }

  /** Returns this network with several layers; each reads the outputs of the layer below. */
  public Recurrent layers(int layers) {
    if (layers < 1) {
      throw new ShapeException("[recurrent] there must be at least one layer; got " + layers + ".");
    }
    return with("layers(" + layers + ")", r -> r.layers = layers);
  }

  /** Returns this network with bidirectional layers. */
  public Recurrent bidirectional() {
    return with(
        "bidirectional()",
        r -> {
          r.bidirectional = true;
          r.reverse = false;
        });
  }

  /** Returns this network processing sequences from the last time step to the first. */
  public Recurrent reverse() {
    return with(
        "reverse()",
        r -> {
          r.bidirectional = false;
          r.reverse = true;
        });
  }

  /** Returns this network with dropout between layers, active in training mode. */
  public Recurrent dropout(double rate) {
    ActivationLayers.requireRate(rate);
    return with("dropout(" + rate + ")", r -> r.dropout = rate);
  }

  /**
   * Returns this network with a length for each sequence: outputs beyond the length are 0, and
   * states keep their value. If the lengths are an input, runs throw a {@link ShapeException} for a
   * length below 0 or above the number of steps.
   *
   * @param lengths {@code [n]}
   */
  public Recurrent lengths(Variable<I32> lengths) {
    return with("lengths(...)", r -> r.lengths = Optional.of(lengths));
  }

  /**
   * Returns this network with an initializer of all weights and biases; by default uniform within
   * {@code 1 / sqrt(hidden)}.
   */
  public Recurrent initializer(Initializer initializer) {
    return with("initializer(...)", r -> r.initializer = Optional.of(initializer));
  }

  /** Returns the number of states of a cell. */
  public int states() {
    return cell.states();
  }

  /** Returns the number of layers, counting each direction. */
  public int depth() {
    return bidirectional ? 2 * layers : layers;
  }

  /**
   * Applies a network with a name to {@code v[steps, n, in]}, with zeros as initial states. All
   * applications have the same parameters.
   *
   * @throws ShapeException if the network has no name, or an earlier input had another width
   */
  public <T> Result<T> of(Variable<T> v) {
    return of(v, List.of());
  }

  /**
   * Applies a network with a name as {@link #of(Variable)} does, with given initial states, in the
   * layout of {@link Result#last}.
   *
   * @param initial {@code [layers, n, hidden]} each
   */
  public <T> Result<T> of(Variable<T> v, List<Variable<T>> initial) {
    return over(required(), v, initial, lengths, parameters);
  }

  /**
   * Applies a network with a name as {@link #of(Variable)} does, with a length for each sequence of
   * this input; see {@link #lengths}, which gives all inputs the same lengths.
   *
   * @param steps {@code [n]}
   */
  public <T> Result<T> of(Variable<T> v, Variable<I32> steps) {
    return of(v, steps, List.of());
  }

  /**
   * Applies a network with a name as {@link #of(Variable)} does, with a length for each sequence of
   * this input and given initial states, in the layout of {@link Result#last}.
   *
   * @param steps {@code [n]}
   * @param initial {@code [layers, n, hidden]} each
   */
  public <T> Result<T> of(Variable<T> v, Variable<I32> steps, List<Variable<T>> initial) {
    return over(required(), v, initial, Optional.of(steps), parameters);
  }

  private String required() {
    if (name.isEmpty()) {
      throw new ShapeException(
          "[recurrent] a network must have a name to be applied by of; got one without; make it"
              + " with new Recurrent(name, cell, hidden), or call over(name, ...).");
    }
    return name.get();
  }

  /**
   * Applies the network to {@code v[steps, n, in]}, with zeros as initial states.
   *
   * @param name name of the network; its parameters are {@code name.0.input}, {@code
   *     name.0.hidden}, {@code name.0.bias} and so on, for the backward direction {@code
   *     name.0.reverse.input} and so on
   */
  public <T> Result<T> over(String name, Variable<T> v) {
    return over(name, v, List.of());
  }

  /**
   * Applies the network to {@code v[steps, n, in]}, with given initial states, in the layout of
   * {@link Result#last}.
   *
   * @param initial {@code [layers, n, hidden]} each
   */
  public <T> Result<T> over(String name, Variable<T> v, List<Variable<T>> initial) {
    return over(name, v, initial, lengths, new HashMap<>());
  }

  private <T> Result<T> over(
      String name,
      Variable<T> v,
      List<Variable<T>> initial,
      Optional<Variable<I32>> steps,
      Map<String, Parameters> known) {
    if (v.dims().rank() != 3 || v.dims().at(2) == Dims.UNKNOWN) {
      throw new ShapeException(
          "["
              + name
              + "] the input must be [steps, n, in] with in known; got "
              + v
              + "; add the missing axis, or declare its width.");
    }
    if (!initial.isEmpty() && initial.size() != cell.states()) {
      throw new ShapeException(
          "[%s] the number of initial states must be that of the cell's states; got %s for %s."
              .formatted(name, initial.size(), cell.states()));
    }
    initial.forEach(state -> requireState(name, state.dims(), state));
    steps.ifPresent(s -> {
      if (s.dims().rank() != 1) {
        throw new ShapeException(
            "[%s] lengths must be [n], one for each sequence; got %s; drop or add an axis."
                .formatted(name, s));
      }
    });
    var last = new ArrayList<List<Variable<T>>>();
    for (int k = 0; k < cell.states(); k++) {
      last.add(new ArrayList<>());
    }
    Variable<T> below = v;
    for (int layer = 0; layer < layers; layer++) {
      if (layer > 0 && dropout > 0) {
        below = ActivationLayers.dropout(below, dropout);
      }
      String label = name + "." + layer;
      var forth = layer(known, label, below, steps, reverse, states(initial, last.get(0).size()));
      keep(forth, last);
      if (bidirectional) {
        var back =
            layer(
                known, label + ".reverse", below, steps, true, states(initial, last.get(0).size()));
        keep(back, last);
        below = MathLayers.concat(2, forth.all(), back.all());
      } else {
        below = forth.all();
      }
    }
    List<Variable<T>> stacked = new ArrayList<>();
    for (List<Variable<T>> parts : last) {
      stacked.add(
          MathLayers.apply(
              name + ".last",
              v.dtype(),
              x -> Ops.stack(0, parts.stream().map(x::get).toList()),
              parts.toArray(Variable<?>[]::new)));
    }
    return new Result<>(below, List.copyOf(stacked));
  }

  private void requireState(String name, Dims dims, Variable<?> state) {
    boolean fits =
        dims.rank() == 3
            && (dims.at(0) == depth() || dims.at(0) == Dims.UNKNOWN)
            && (dims.at(2) == hidden || dims.at(2) == Dims.UNKNOWN);
    if (!fits) {
      throw new ShapeException(
          "[%s] an initial state must be [layers, n, hidden], here [%s, n, %s]; got %s; reshape it, or change the network."
              .formatted(name, depth(), hidden, state));
    }
  }

  private static <T> void keep(RecurrentOperator<T> layer, List<List<Variable<T>>> last) {
    for (int k = 0; k < last.size(); k++) {
      last.get(k).add(layer.last().get(k));
    }
  }

  private static <T> List<Variable<T>> states(List<Variable<T>> initial, int number) {
    return initial.stream().map(v -> MathLayers.slice(v, Ops.at(number))).toList();
  }

  private <T> RecurrentOperator<T> layer(
      Map<String, Parameters> known,
      String name,
      Variable<T> v,
      Optional<Variable<I32>> steps,
      boolean back,
      List<Variable<T>> initial) {
    Parameters own = known.computeIfAbsent(name, Parameters::new);
    Initializer first =
        initializer.orElseGet(() ->
            Initializer.uniform(-1 / Math.sqrt((double) hidden), 1 / Math.sqrt((double) hidden)));
    long width = cell.gates() * hidden;
    Variable<T> wx = own.parameter("input", v, first, v.dims().at(2), width);
    Variable<T> wh = own.parameter("hidden", v, first, hidden, width);
    Variable<T> bias = own.parameter("bias", v, first, width);
    Optional<Variable<T>> lastBias =
        cell.separate()
            ? Optional.of(own.parameter("hiddenBias", v, first, width))
            : Optional.empty();
    return new RecurrentOperator<>(
        name,
        cell,
        new RecurrentOperator.Inputs<>(v, wx, wh, bias, lastBias, steps, initial),
        back);
  }
}
