package ristretto.symbolic.decode;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Shared;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Recurrent;

/**
 * Sequence decoder: a recurrent network over the symbols written so far, attention from each of its
 * outputs to an encoded input sequence, and a score for each possible next symbol (Bahdanau et al.,
 * 2015; Luong et al., 2015).
 *
 * <pre>{@code
 * var encoder = Recurrent.of(Cell.gru(), 64).lengths(lengths).over("read", words);
 * var decoder = Decoder.of("write", Cell.gru(), 64, symbols)
 *     .reading(encoder.outputs(), lengths, encoder.last());
 * Variable<F32> scores = decoder.scores(before);              // training
 * Variable<F32> loss = softmaxCrossEntropy(scores, wanted);
 * ...
 * Decoding use = decoder.use(executor);                       // inference
 * use.reader().set(...);
 * List<int[]> written = use.beam(5, start, stop, 20);
 * }</pre>
 *
 * @param <T> the dtype
 */
public final class Decoder<T> {
  /**
   * Configuration of a decoder.
   *
   * @param width width of the symbol embeddings
   * @param additive true for additive attention instead of dot products
   */
  private record Settings(
      String name, Recurrent network, long hidden, long symbols, long width, boolean additive) {}

  /** Decoder whose input sequence is not set yet. */
  public static final class Unread {
    private final Settings settings;

    private Unread(Settings settings) {
      this.settings = settings;
    }

    /** Returns this decoder with a number of recurrent layers. */
    public Unread layers(int layers) {
      Settings s = settings;
      return new Unread(
          new Settings(s.name, s.network.layers(layers), s.hidden, s.symbols, s.width, s.additive));
    }

    /** Returns this decoder with a width of the symbol embeddings; by default that of the cells. */
    public Unread width(long width) {
      Settings s = settings;
      return new Unread(new Settings(s.name, s.network, s.hidden, s.symbols, width, s.additive));
    }

    /** Returns this decoder with additive attention (Bahdanau et al., 2015), not dot products. */
    public Unread additive() {
      Settings s = settings;
      return new Unread(new Settings(s.name, s.network, s.hidden, s.symbols, s.width, true));
    }

    /**
     * Returns a decoder of input sequences, all of one length.
     *
     * @param places encoded sequences, {@code [places, n, any]}, as output by a recurrent network
     * @param states initial states, {@code [layers, n, hidden]} each; zeros if empty
     */
    public <T> Decoder<T> reading(Variable<T> places, List<Variable<T>> states) {
      return new Decoder<>(settings, new Read<>(places, Optional.empty(), List.copyOf(states)));
    }

    /**
     * Returns a decoder of input sequences, each with its own length.
     *
     * @param places encoded sequences, {@code [places, n, any]}, as output by a recurrent network
     * @param lengths {@code [n]}
     * @param states initial states, {@code [layers, n, hidden]} each; zeros if empty
     */
    public <T> Decoder<T> reading(
        Variable<T> places, Variable<I32> lengths, List<Variable<T>> states) {
      return new Decoder<>(settings, new Read<>(places, Optional.of(lengths), List.copyOf(states)));
    }
  }

  /** Encoded input sequences and initial states of a decoder. */
  record Read<T>(Variable<T> places, Optional<Variable<I32>> lengths, List<Variable<T>> states) {
    List<Variable<?>> all() {
      return Stream.of(Stream.of(places), lengths.stream(), states.stream())
          .<Variable<?>>flatMap(s -> s)
          .toList();
    }
  }

  /**
   * Outputs of a decoder.
   *
   * @param scores {@code [n, steps, symbols]}
   * @param states states after the last step
   */
  record Written<T>(Variable<T> scores, List<Variable<T>> states) {}

  /** Application of the decoder to previous symbols and input sequences. */
  private record Request<T>(Variable<I32> before, Read<T> from) {}

  private final Settings settings;
  private final Read<T> read;
  private final Shared<Request<T>, Written<T>> network = Shared.of(this::write);

  private Decoder(Settings settings, Read<T> read) {
    this.settings = settings;
    this.read = read;
    Dims dims = read.places.dims();
    if (dims.rank() != 3 || dims.at(2) == Dims.UNKNOWN) {
      throw new ShapeException(
          "["
              + settings.name
              + "] the attended memory must be [places, n, width] with a known width; got "
              + read.places
              + ".");
    }
  }

  /**
   * Decoder with one layer of cells.
   *
   * @param name name of the decoder; its parameters are {@code name.symbols}, those of the
   *     recurrent network {@code name.cells}, and those of the dense layers {@code name.query},
   *     {@code name.key}, {@code name.both} and {@code name.scores}
   * @param hidden width of the cells' outputs
   * @param symbols number of symbols, including the start and stop symbols
   */
  public static Unread of(String name, Cell cell, long hidden, long symbols) {
    if (symbols < 1) {
      throw new ShapeException(
          "[" + name + "] there must be at least one output symbol; got " + symbols + ".");
    }
    Recurrent network = Recurrent.of(cell, hidden);
    return new Unread(new Settings(name, network, hidden, symbols, hidden, false));
  }

  /**
   * Scores of the next symbol at each step, given the previous symbols (teacher forcing), for
   * training.
   *
   * @param before {@code [n, steps]}: the previous symbol at each step; the start symbol at the
   *     first step
   * @return {@code [n, steps, symbols]}
   */
  public Variable<T> scores(Variable<I32> before) {
    return step(before, read).scores;
  }

  /**
   * Returns a generator of sequences. The outputs of the executor must include the scores, or
   * depend on them; training with the executor may continue.
   */
  public Decoding<T> use(Executor executor) {
    return new Decoding<>(this, read, executor);
  }

  /** Returns one step with this decoder's parameters, for given inputs. */
  Written<T> step(Variable<I32> before, Read<T> given) {
    return network.of(new Request<>(before, given));
  }

  long hidden() {
    return settings.hidden;
  }

  int depth() {
    return settings.network.depth();
  }

  int states() {
    return settings.network.states();
  }

  private Written<T> write(Request<T> request) {
    Variable<I32> before = request.before;
    Read<T> from = request.from;
    String name = settings.name;
    var dtype = from.places.dtype();
    Variable<T> vectors =
        Variable.parameter(
            name + ".symbols", dtype, Initializer.normal(1), settings.symbols, settings.width);
    Variable<T> symbols =
        Layers.apply(
            name + ".symbols",
            dtype,
            x -> Ops.take(x.get(vectors), x.get(before).t(), 0),
            vectors,
            before);
    Recurrent.Result<T> cells = settings.network.over(name + ".cells", symbols, from.states);
    Variable<T> state = Layers.permute(cells.outputs(), 1, 0, 2);
    Variable<T> places = Layers.permute(from.places, 1, 0, 2);
    Variable<T> query = Layers.dense(name + ".query", state, settings.hidden);
    Variable<T> key = Layers.dense(name + ".key", places, settings.hidden);
    Optional<Variable<BOOL>> real = from.lengths.map(n -> real(n, from.places));
    Variable<T> both = Layers.concat(2, state, looked(query, key, places, real));
    Variable<T> rows = Layers.tanh(Layers.dense(name + ".both", both, settings.hidden));
    return new Written<>(Layers.dense(name + ".scores", rows, settings.symbols), cells.last());
  }

  private Variable<T> looked(
      Variable<T> query, Variable<T> key, Variable<T> places, Optional<Variable<BOOL>> real) {
    if (settings.additive) {
      String attention = settings.name + ".attention";
      return real.isPresent()
          ? Layers.additiveAttention(attention, query, key, places, real.get())
          : Layers.additiveAttention(attention, query, key, places);
    }
    return real.isPresent()
        ? Layers.attention(query, key, places, real.get())
        : Layers.attention(query, key, places);
  }

  /** Mask of the positions within the lengths, {@code [n, 1, places]}. */
  private Variable<BOOL> real(Variable<I32> lengths, Variable<T> places) {
    return Layers.apply(
        settings.name + ".real",
        Ops.BOOL,
        x -> {
          long count = x.get(places).shape().at(0);
          Expr<I32> length = x.get(lengths);
          return Ops.coordinate(ristretto.expr.type.Shape.of(count), 0)
              .cast(Ops.I32)
              .lt(length.reshape(-1, 1, 1));
        },
        lengths,
        places);
  }
}
