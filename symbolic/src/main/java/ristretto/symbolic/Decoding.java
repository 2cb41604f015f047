package ristretto.symbolic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.I32;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/**
 * A {@link Decoder} that writes by itself, symbol after symbol. What is read is given to {@link
 * #reader}, as to the executor that learned.
 */
public final class Decoding<T> {
  private final Executor reader;
  private final Executor writer;
  private final Decoder.Read<T> read;
  private final Decoder.Read<T> given;
  private final Variable<I32> before;
  private final List<Variable<T>> after;
  private final Variable<T> logarithms;

  /** Symbols so far, and the logarithm of their probability. */
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

  /** A line and the row of states that it goes on from. */
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

  /** Where the inputs of what is read are set before anything is written. */
  public Executor reader() {
    return reader;
  }

  /**
   * At each step the likeliest symbol.
   *
   * @param start what marks the beginning
   * @param stop what marks the end, which is not in the results; -1 if nothing does
   * @param longest symbols to write at most
   * @return for each sequence that was read what is written
   */
  public List<int[]> greedy(int start, int stop, int longest) {
    return beam(1, start, stop, longest);
  }

  /**
   * The likeliest sequences, of which at each step so many are followed (beam search).
   *
   * @param width sequences that are followed; 1 is greedy
   * @param start what marks the beginning
   * @param stop what marks the end, which is not in the results; -1 if nothing does
   * @param longest symbols to write at most
   * @return for each sequence that was read the likeliest that was found
   */
  public List<int[]> beam(int width, int start, int stop, int longest) {
    if (width < 1) {
      throw new ShapeException("[beam] at least one sequence must be followed; got " + width + ".");
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
    // At first all lines of a sequence are the same, so only one of them counts.
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

  /** The next lines, best ones first, and the rows they go on from. */
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
        // Where there are fewer symbols than lines, the others do not count.
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

  /** The likeliest symbols of a row, as many as lines are followed. */
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
