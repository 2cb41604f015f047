package ristretto.nnet3.egs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Index;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;

/** Merges examples into one minibatch, with inputs and outputs sorted by name. */
final class MergeExamples {
  private MergeExamples() {}

  static NnetExample apply(List<NnetExample> examples) {
    if (examples.isEmpty()) {
      throw new ShapeException(
          "[egs] there must be examples to merge; got none; give at least one.");
    }
    // number of sequences per example: above 1 if the examples are minibatches
    int stride =
        1 + examples.get(0).io().get(0).indexes().stream().mapToInt(Index::n).max().orElse(0);
    Map<String, List<Index>> indexes = new TreeMap<>();
    Map<String, List<GeneralMatrix>> features = new TreeMap<>();
    for (int k = 0; k < examples.size(); k++) {
      for (NnetIo io : examples.get(k).io()) {
        List<Index> all = indexes.computeIfAbsent(io.name(), _ -> new ArrayList<>());
        for (Index index : io.indexes()) {
          if (index.n() >= stride) {
            throw new ShapeException(
                String.format(
                    Locale.ROOT,
                    "[egs] examples to merge must have as many sequences as the first; got n = %d"
                        + " of \"%s\", and %d sequences in the first; merge them before.",
                    index.n(),
                    Excerpt.of(io.name()),
                    stride));
          }
          all.add(new Index(index.n() + k * stride, index.t(), index.x()));
        }
        features.computeIfAbsent(io.name(), _ -> new ArrayList<>()).add(io.features());
      }
    }
    List<NnetIo> merged = new ArrayList<>();
    indexes.forEach(
        (name, all) -> merged.add(new NnetIo(name, all, append(name, features.get(name)))));
    return new NnetExample(merged);
  }

  /**
   * Concatenates the rows of matrices; the result is sparse if all matrices are, otherwise full.
   */
  private static GeneralMatrix append(String name, List<GeneralMatrix> parts) {
    int cols = parts.get(0).cols();
    int rows = 0;
    boolean sparse = true;
    for (GeneralMatrix part : parts) {
      if (part.cols() != cols) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[egs] examples to merge must have features of one dimension; got %d and %d of"
                    + " \"%s\"; make them from the same features.",
                cols,
                part.cols(),
                Excerpt.of(name)));
      }
      rows += part.rows();
      sparse &= part instanceof SparseMatrix;
    }
    if (sparse) {
      List<SparseVector> vectors = new ArrayList<>();
      for (GeneralMatrix part : parts) {
        vectors.addAll(((SparseMatrix) part).vectors());
      }
      return new SparseMatrix(vectors);
    }
    var to = new Matrix(rows, cols);
    int at = 0;
    for (GeneralMatrix part : parts) {
      float[] from = part.toMatrix().data();
      System.arraycopy(from, 0, to.data(), at, from.length);
      at += from.length;
    }
    return to;
  }
}
