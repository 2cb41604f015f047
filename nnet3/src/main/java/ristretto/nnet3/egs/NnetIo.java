package ristretto.nnet3.egs;

import java.util.List;
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
          "[egs] there must be a row for each index; got %d indexes and %d rows of \"%s\"; give as many."
              .formatted(indexes.size(), features.rows(), name));
    }
  }

  /** The same, a full matrix rounded to one or two bytes an element. */
  NnetIo compressed() {
    return features instanceof Matrix full
        ? new NnetIo(name, indexes, CompressedMatrix.of(full, CompressedMatrix.Method.AUTOMATIC))
        : this;
  }
}
