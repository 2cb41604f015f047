package ristretto.nnet3.tool;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.train.FeatureTransform;
import ristretto.nnet3.train.LdaStats;

/** Computes a feature transform from statistics by class. */
final class GetFeatureTransform implements Tool {
  private final Options options =
      new Options(
          "nnet3-get-feature-transform",
          """
          Makes a transform of features from what nnet3-acc-lda-stats accumulated, for a
          FixedAffineComponent: a matrix whose last column is an offset.

          Usage:  nnet3-get-feature-transform [options] <matrix-out> <lda-acc-1> <lda-acc-2> ...
          e.g.:
          nnet3-get-feature-transform lda.mat 1.acc 2.acc
          """);
  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary file");
  private final Option<Boolean> removeOffset =
      options.bool("remove-offset", true, "Bring the mean to zero, by an offset");
  private final Option<Integer> dim =
      options.integer("dim", -1, "Columns of transformed features; -1 for all");
  private final Option<Float> within =
      options.real(
          "within-class-factor",
          0.001f,
          "Variance within classes that remains; 1 for linear discriminant analysis, less makes"
              + " columns small in which classes hardly differ");
  private final Option<Float> most =
      options.real("max-singular-value", 5, "Largest singular value of the transform, if above 0");

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(2, Integer.MAX_VALUE);
  }

  @Override
  public int run(List<String> arguments, Log log) {
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
