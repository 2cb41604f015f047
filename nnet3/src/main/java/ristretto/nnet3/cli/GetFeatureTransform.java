package ristretto.nnet3.cli;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.train.FeatureTransform;
import ristretto.nnet3.train.LdaStats;

/** Computes a feature transform from statistics by class. */
final class GetFeatureTransform extends Tool {
  GetFeatureTransform() {
    super(
        "nnet3-get-feature-transform",
        """
        Computes a feature transform from the statistics of nnet3-acc-lda-stats, for a
        FixedAffineComponent: a matrix whose last column is an offset.

        Usage:  nnet3-get-feature-transform [options] <matrix-out> <lda-acc-1> <lda-acc-2> ...
        e.g.:
        nnet3-get-feature-transform lda.mat 1.acc 2.acc
        """,
        2,
        Integer.MAX_VALUE);
  }

  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary file");
  private final Option<Boolean> removeOffset =
      options.bool("remove-offset", true, "Add an offset that makes the mean zero");
  private final Option<Integer> dim =
      options.integer("dim", -1, "Dimension of the transformed features; -1 for all");
  private final Option<Float> within =
      options.real(
          "within-class-factor",
          0.001f,
          "Remaining variance within classes; 1 for linear discriminant analysis, smaller values"
              + " scale down columns in which classes hardly differ");
  private final Option<Float> most =
      options.real(
          "max-singular-value",
          5,
          "Largest singular value of the transform; no limit if 0 or less");

  @Override
  public int run(List<String> arguments, CommandLog log) {
    LdaStats stats = LdaStats.load(arguments.get(1));
    for (String file : arguments.subList(2, arguments.size())) {
      stats.add(LdaStats.load(file));
    }
    var transform =
        FeatureTransform.of(
            stats,
            new FeatureTransform.Options(dim.get(), removeOffset.get(), within.get(), most.get()));
    double[] ratios = transform.ratios();
    log.info("Data count is %s", number(stats.count()));
    log.info(
        "LDA singular values are  [ %s ]",
        Arrays.stream(ratios)
            .mapToObj(GetFeatureTransform::number)
            .collect(Collectors.joining(" ")));
    log.info("Sum of all singular values is %s", number(Arrays.stream(ratios).sum()));
    log.info(
        "Sum of selected singular values is %s",
        number(Arrays.stream(ratios).limit(transform.matrix().rows()).sum()));
    KaldiOutput.write(arguments.get(0), binary.get(), out -> out.writeMatrix(transform.matrix()));
    return 0;
  }

  private static String number(double value) {
    return FloatText.of(value, 6);
  }
}
