package ristretto.nnet3.tool;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.forward.Resident;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.Matrix;
import ristretto.nnet3.io.SparseMatrix;
import ristretto.nnet3.io.SparseVector;
import ristretto.nnet3.train.LdaStats;

/** Accumulates statistics of what a network computes, by class. */
final class AccLdaStats implements Tool {
  private static final int CACHE = 64;

  private final Options options =
      new Options(
          "nnet3-acc-lda-stats",
          """
          Accumulates statistics as acc-lda does, of examples: what the network computes of them at
          the output named output are the rows, and targets their classes.
          nnet3-get-feature-transform makes a transform of them.

          Usage:  nnet3-acc-lda-stats [options] <raw-nnet-in> <training-examples-in> <lda-stats-out>
          e.g.:
          nnet3-acc-lda-stats 0.raw ark:1.egs 1.acc
          """);
  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary file");
  private final Option<Float> prune =
      options.real(
          "rand-prune",
          0,
          "Weights below it become it or zero, at random, so that their mean stays");
  private final Option<Integer> seed = options.integer("srand", 0, "Seed of --rand-prune");
  private Random random;
  private LdaStats stats;

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(3, 3);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    Nnet nnet = Nnet.load(arguments.get(0));
    random = new Random(seed.get());
    long examples = 0;
    try (Context context = Context.open();
        var reader = Egs.reader(arguments.get(1))) {
      var compiler = new Compiler(nnet, new Resident(context), CACHE);
      for (; reader.next(); examples++) {
        accumulate(nnet, compiler, reader.value());
      }
    }
    log.info("Processed %d examples.", examples);
    if (stats == null || stats.count() == 0) {
      throw new ShapeException(
          "[lda] there must be examples with targets; got %d without; give others."
              .formatted(examples));
    }
    stats.save(arguments.get(2), binary.get());
    log.info(
        "Accumulated stats, soft frame count = %s.  Wrote to %s",
        FloatText.of(stats.count(), 6), arguments.get(2));
    return 0;
  }

  private void accumulate(Nnet nnet, Compiler compiler, NnetExample example) {
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
          "[lda] an example must have targets for \"output\"; got %s; make others."
              .formatted(example.io().stream().map(NnetIo::name).toList()));
    }
    Matrix rows = compiler.compile(example.request(nnet, false, false)).run(inputs).get("output");
    int classes = targets.features().cols();
    if (stats == null) {
      stats = new LdaStats(classes, rows.cols());
    } else if (stats.classes() != classes) {
      throw new ShapeException(
          "[lda] all targets must be of as many classes; got %d after %d; take examples of one kind."
              .formatted(classes, stats.classes()));
    }
    for (int r = 0; r < rows.rows(); r++) {
      if (targets.features() instanceof SparseMatrix sparse) {
        SparseVector row = sparse.vectors().get(r);
        for (int k = 0; k < row.indices().length; k++) {
          accumulate(rows, r, row.indices()[k], row.values()[k]);
        }
      } else {
        float[] row = targets.features().toMatrix().row(r);
        for (int c = 0; c < classes; c++) {
          accumulate(rows, r, c, row[c]);
        }
      }
    }
  }

  private void accumulate(Matrix rows, int row, int of, float weight) {
    float pruned = pruned(weight);
    if (pruned != 0) {
      stats.accept(rows.data(), row * rows.cols(), of, pruned);
    }
  }

  private float pruned(float weight) {
    float least = prune.get();
    if (weight == 0 || Math.abs(weight) >= least) {
      return weight;
    }
    return random.nextFloat() < Math.abs(weight) / least ? Math.copySign(least, weight) : 0;
  }
}
