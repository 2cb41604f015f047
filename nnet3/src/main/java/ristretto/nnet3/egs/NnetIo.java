package ristretto.nnet3.egs;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Index;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.matrix.CompressedMatrix;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;

/**
 * Rows of an example for one input of a network, or targets for one output.
 *
 * @param name name of the input or output
 * @param indexes index of each row
 * @param features matrix with one row per index
 */
public record NnetIo(String name, List<Index> indexes, GeneralMatrix features) {
  /** Creates an input or output with one row per index. */
  public NnetIo {
    indexes = List.copyOf(indexes);
    if (indexes.size() != features.rows()) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[egs] there must be a row for each index; got %d indexes and %d rows of \"%s\"; give"
                  + " equal numbers.",
              indexes.size(),
              features.rows(),
              Excerpt.of(name)));
    }
  }

  /** Reads an input or output in Kaldi's form. */
  public static NnetIo read(KaldiInput in) {
    return ExampleHolder.readIo(in);
  }

  /** Writes this input or output in Kaldi's form. */
  public void write(KaldiOutput out) {
    ExampleHolder.writeIo(out, this);
  }

  /** Writes indexes in Kaldi's form. */
  public static void writeIndexes(KaldiOutput out, List<Index> indexes) {
    ExampleHolder.writeIndexes(out, indexes);
  }

  /** Reads indexes in Kaldi's form. */
  public static List<Index> readIndexes(KaldiInput in) {
    return ExampleHolder.readIndexes(in);
  }

  /** Copy of this object with a full matrix compressed to one or two bytes per element. */
  NnetIo compressed() {
    return features instanceof Matrix full
        ? new NnetIo(name, indexes, CompressedMatrix.of(full, CompressedMatrix.Method.AUTOMATIC))
        : this;
  }

  /** Copy of this object with another name. */
  public NnetIo renamed(String newName) {
    return new NnetIo(newName, indexes, features);
  }

  /** Copy of this object with features multiplied by a factor. */
  public NnetIo scaled(float factor) {
    return new NnetIo(name, indexes, features.scaled(factor));
  }

  /**
   * Selects the rows with times from {@code first} to {@code last}, inclusive; there must be at
   * least one.
   */
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
              "[egs] the time range must contain rows; got none from time %d to %d of \"%s\"; take"
                  + " other times.",
              first,
              last,
              Excerpt.of(name)));
    }
    List<Index> kept = Arrays.stream(rows).mapToObj(indexes::get).toList();
    return new NnetIo(name, kept, features.select(rows));
  }

  /** Copy of this object with {@code time} added to all times. */
  public NnetIo shifted(int time) {
    List<Index> later = indexes.stream().map(i -> i.at(i.t() + time, i.x())).toList();
    return new NnetIo(name, later, features);
  }
}
