package ristretto.symbolic.decode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;

/**
 * Sequence generation with a {@link Decoder}, symbol by symbol. Set the input sequences in {@link
 * #reader}, like in the executor that trains.
 */
public final class Decoding<T> {
  private final Executor reader;
  private final Executor writer;
  private final Decoder.Read<T> read;
  private final Decoder.Read<T> given;
  private final Variable<I32> before;
  private final List<Variable<T>> after;
  private final Variable<T> logarithms;

  /** Candidate sequence with its log probability. */
  private record Line(int[] symbols, double score, boolean over) {
    Line with(int symbol, double more, int stop) {
      if (symbol == stop) {
        return new Line(symbols, score + more, true);
      }
      int[] longer = Arrays.copyOf(symbols, symbols.length + 1);
      longer[symbols.length] = symbol;
      return new Line(longer, score + more, false);
    }
  }

  /** Candidate sequence and the row of the states that continue it. */
  private record Next(Line line, int row) {}

  Decoding(Decoder<T> decoder, Decoder.Read<T> read, Executor executor) {
    this.read = read;
    this.reader = executor.sharing(read.all().toArray(Variable<?>[]::new));
    var dtype = read.places().dtype();
    Variable<T> places = Variable.input("places", dtype, -1, -1, read.places().dims().at(2));
    Optional<Variable<I32>> lengths =
        read.lengths().map(_ -> Variable.input("lengths", Ops.I32, -1));
    List<Variable<T>> states =
        IntStream.range(0, decoder.states())
            .mapToObj(
                k -> Variable.input("state " + k, dtype, decoder.depth(), -1, decoder.hidden()))
            .toList();
    this.given = new Decoder.Read<>(places, lengths, states);
    this.before = Variable.input("before", Ops.I32, -1, 1);
    Decoder.Written<T> step = decoder.step(before, given);
    this.after = step.states();
    this.logarithms = Layers.logSoftmax(step.scores(), 2);
    var outputs = new ArrayList<Variable<?>>(after);
    outputs.add(logarithms);
    this.writer = executor.sharing(outputs.toArray(Variable<?>[]::new));
  }

  /** Returns the executor in which to set the inputs before generating. */
  public Executor reader() {
    return reader;
  }

  /**
   * Generates sequences by choosing the most probable symbol at each step.
   *
   * @param start start symbol
   * @param stop stop symbol, not included in the results; -1 if there is none
   * @param longest largest number of symbols
   * @return the generated sequence for each input sequence
   */
  public List<int[]> greedy(int start, int stop, int longest) {
    return beam(1, start, stop, longest);
  }

  /**
   * Generates sequences by beam search.
   *
   * @param width beam width; 1 is greedy
   * @param start start symbol
   * @param stop stop symbol, not included in the results; -1 if there is none
   * @param longest largest number of symbols
   * @return the most probable sequence found for each input sequence
   */
  public List<int[]> beam(int width, int start, int stop, int longest) {
    if (width < 1) {
      throw new ShapeException("[beam] the beam width must be at least 1; got " + width + ".");
    }
    reader.forward();
    Tensor<T> places = reader.tensor(read.places());
    Context ctx = places.context();
    int n = Math.toIntExact(places.shape().dim(1));
    writer.set(given.places(), Ops.repeat(places, width, 1));
    given
        .lengths()
        .ifPresent(
            v -> writer.set(v, Ops.repeat(reader.tensor(read.lengths().orElseThrow()), width, 0)));
    for (int k = 0; k < after.size(); k++) {
      Variable<T> state = given.states().get(k);
      Expr<T> first =
          read.states().isEmpty()
              ? Ops.fill(state.dtype(), 0, state.dims().at(0), n, state.dims().at(2))
              : reader.tensor(read.states().get(k));
      writer.set(state, Ops.repeat(first, width, 1));
    }
    // The initial candidates of a sequence are equal, so all but the first get probability 0.
    Line[] lines = new Line[n * width];
    for (int row = 0; row < lines.length; row++) {
      double score = row % width == 0 ? 0 : Double.NEGATIVE_INFINITY;
      lines[row] = new Line(new int[0], score, false);
    }
    int[] last = new int[lines.length];
    Arrays.fill(last, start);
    for (int step = 0; step < longest; step++) {
      if (Arrays.stream(lines).allMatch(line -> line.over)) {
        break;
      }
      writer.set(before, ctx.tensor(last, lines.length, 1));
      writer.forward();
      int[] rows = advance(lines, last, width, stop);
      Expr<I32> from = ctx.tensor(rows);
      for (int k = 0; k < after.size(); k++) {
        writer.set(given.states().get(k), Ops.take(writer.tensor(after.get(k)), from, 1));
      }
    }
    return IntStream.range(0, n).mapToObj(k -> lines[k * width].symbols).toList();
  }

  /**
   * Advances all beams by one symbol, best candidates first, and returns the rows of their states.
   */
  private int[] advance(Line[] lines, int[] last, int width, int stop) {
    Tensor<T> all = writer.tensor(logarithms);
    int symbols = Math.toIntExact(all.shape().dim(2));
    double[] more = all.context().eval(all.cast(Ops.F64)).toDoubleArray();
    int[] rows = new int[lines.length];
    for (int first = 0; first < lines.length; first += width) {
      var candidates = new ArrayList<Next>();
      for (int row = first; row < first + width; row++) {
        Line line = lines[row];
        if (line.over) {
          candidates.add(new Next(line, row));
          continue;
        }
        for (int symbol : best(more, row * symbols, symbols, width)) {
          candidates.add(new Next(line.with(symbol, more[row * symbols + symbol], stop), row));
        }
      }
      candidates.sort(Comparator.comparingDouble(next -> -next.line.score));
      for (int k = 0; k < width; k++) {
        Next next = candidates.get(Math.min(k, candidates.size() - 1));
        // With fewer candidates than the beam width, the rest gets probability 0.
        lines[first + k] =
            k < candidates.size()
                ? next.line
                : new Line(next.line.symbols, Double.NEGATIVE_INFINITY, true);
        rows[first + k] = next.row;
        int[] written = lines[first + k].symbols;
        last[first + k] = written.length == 0 ? 0 : written[written.length - 1];
      }
    }
    return rows;
  }

  /** Returns the most probable symbols of a row, at most {@code width} of them. */
  private static int[] best(double[] scores, int from, int symbols, int width) {
    if (width == 1) {
      int best = 0;
      for (int s = 1; s < symbols; s++) {
        best = scores[from + s] > scores[from + best] ? s : best;
      }
      return new int[] {best};
    }
    return IntStream.range(0, symbols)
        .boxed()
        .sorted(Comparator.comparingDouble(s -> -scores[from + s]))
        .limit(width)
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
