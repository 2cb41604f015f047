package ristretto.nnet3.egs;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Index;
import ristretto.nnet3.io.CompressedMatrix;
import ristretto.nnet3.io.GeneralMatrix;
import ristretto.nnet3.io.Matrix;

/**
 * What an example has for an input of a network, or wants at an output.
 *
 * @param name of the input or output
 * @param indexes what each row is about
 * @param features a row for each index
 */
public record NnetIo(String name, List<Index> indexes, GeneralMatrix features) {
  /** With as many rows as indexes. */
  public NnetIo {
    indexes = List.copyOf(indexes);
    if (indexes.size() != features.rows()) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[egs] there must be a row for each index; got %d indexes and %d rows of \"%s\"; give"
                  + " as many.",
              indexes.size(),
              features.rows(),
              Excerpt.of(name)));
    }
  }

  /** The same, a full matrix rounded to one or two bytes an element. */
  NnetIo compressed() {
    return features instanceof Matrix full
        ? new NnetIo(name, indexes, CompressedMatrix.of(full, CompressedMatrix.Method.AUTOMATIC))
        : this;
  }

  /** The same under another name. */
  public NnetIo renamed(String newName) {
    return new NnetIo(newName, indexes, features);
  }

  /** The same with features times a factor. */
  public NnetIo scaled(float factor) {
    return new NnetIo(name, indexes, features.scaled(factor));
  }

  /** The rows from a first to a last time, both included. */
  public NnetIo between(int first, int last) {
    int[] rows =
        IntStream.range(0, indexes.size())
            .filter(r -> indexes.get(r).t() >= first && indexes.get(r).t() <= last)
            .toArray();
    if (rows.length == indexes.size()) {
      return this;
    }
    if (rows.length == 0) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[egs] rows must be left; got none from time %d to %d of \"%s\"; take other times.",
              first,
              last,
              Excerpt.of(name)));
    }
    List<Index> kept = Arrays.stream(rows).mapToObj(indexes::get).toList();
    return new NnetIo(name, kept, features.select(rows));
  }

  /** The same some time later. */
  public NnetIo shifted(int time) {
    List<Index> later = indexes.stream().map(i -> i.at(i.t() + time, i.x())).toList();
    return new NnetIo(name, later, features);
  }
}
