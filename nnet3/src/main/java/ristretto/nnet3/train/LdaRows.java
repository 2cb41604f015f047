package ristretto.nnet3.train;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import ristretto.expr.Context;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.ChainSupervision;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/** Accumulates LDA statistics of a network's output on examples, with the targets as classes. */
public final class LdaRows {
  private static final int CACHE = 64;

  private final Nnet nnet;
  private final double prune;
  private final Random random;
  private final Compiler compiler;
  private LdaStats stats;

  /**
   * Creates an accumulator.
   *
   * @param prune smaller weights are randomly set to this value or zero, which keeps their
   *     expectation
   * @param seed seed of the random numbers
   */
  public LdaRows(Context context, Nnet nnet, double prune, long seed) {
    this.nnet = nnet;
    this.prune = prune;
    this.random = new Random(seed);
    this.compiler = new Compiler(nnet, new DeviceParameters(context), CACHE);
  }

  /** Accumulates an example, or a minibatch. */
  public void accept(NnetExample example) {
    Map<String, Matrix> inputs = new HashMap<>();
    NnetIo targets = null;
    for (NnetIo io : example.io()) {
      if (nnet.inputDim(io.name()) >= 0) {
        inputs.put(io.name(), io.features().toMatrix());
      } else if (io.name().equals("output")) {
        targets = io;
      }
    }
    if (targets == null) {
      throw new ShapeException(
          "[lda] an example must have targets for \"output\"; got %s; give other examples."
              .formatted(example.io().stream().map(io -> Excerpt.of(io.name())).toList()));
    }
    Matrix rows = compiler.compile(example.request(nnet, false, false)).run(inputs).get("output");
    begin(targets.features().cols(), rows.cols());
    for (int r = 0; r < rows.rows(); r++) {
      if (targets.features() instanceof SparseMatrix sparse) {
        SparseVector row = sparse.vectors().get(r);
        for (int k = 0; k < row.indices().length; k++) {
          accept(rows, r, row.indices()[k], row.values()[k]);
        }
      } else {
        float[] row = targets.features().toMatrix().row(r);
        for (int c = 0; c < row.length; c++) {
          accept(rows, r, c, row[c]);
        }
      }
    }
  }

  /**
   * Accumulates an example of a chain model. Classes are the pdfs of its alignment, if it has one,
   * or else of the paths of its supervision, with the probabilities of their costs.
   *
   * @throws ShapeException if the example has several sequences or outputs, or is end-to-end
   *     without an alignment
   */
  public void accept(ChainExample example) {
    ChainExample.Output output = example.outputs().getFirst();
    ChainSupervision supervision = output.supervision();
    if (example.outputs().size() > 1
        || !output.name().equals("output")
        || supervision.sequences() != 1) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[lda] examples must have one sequence and one output, \"output\"; got %d sequences"
                  + " and \"%s\"; take examples before they are merged.",
              supervision.sequences(),
              Excerpt.of(output.name())));
    }
    Map<String, Matrix> inputs = new HashMap<>();
    for (NnetIo io : example.inputs()) {
      inputs.put(io.name(), io.features().toMatrix());
    }
    Matrix rows =
        compiler.compile(example.request(nnet, false, false, false)).run(inputs).get("output");
    Matrix posteriors = supervision.posteriors();
    begin(posteriors.cols(), rows.cols());
    for (int r = 0; r < rows.rows(); r++) {
      for (int c = 0; c < posteriors.cols(); c++) {
        accept(rows, r, c, posteriors.get(r, c));
      }
    }
  }

  /** Begins the statistics, or checks the number of classes. */
  private void begin(int classes, int columns) {
    if (stats == null) {
      stats = new LdaStats(classes, columns);
    } else if (stats.classes() != classes) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[lda] all targets must have the same number of classes; got %d after %d; take"
                  + " examples of one kind.",
              classes,
              stats.classes()));
    }
  }

  private void accept(Matrix rows, int row, int of, float weight) {
    float pruned = pruned(weight);
    if (pruned != 0) {
      stats.accept(rows.data(), row * rows.cols(), of, pruned);
    }
  }

  private float pruned(float weight) {
    float least = (float) prune;
    if (weight == 0 || Math.abs(weight) >= least) {
      return weight;
    }
    return random.nextFloat() < Math.abs(weight) / least ? Math.copySign(least, weight) : 0;
  }

  /** Returns the statistics; null if no example was accumulated. */
  public LdaStats stats() {
    return stats;
  }
}
