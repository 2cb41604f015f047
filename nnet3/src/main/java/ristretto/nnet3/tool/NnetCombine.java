package ristretto.nnet3.tool;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.train.Combination;

/** Averages the last networks of a training, in the number that maximizes the objective. */
final class NnetCombine implements Tool {
  private final Options options =
      new Options(
          "nnet3-combine",
          """
          Averages the first of some raw networks, of as many as make the objective of examples
          largest. Given are the last networks of a training, the last one first. Statistics of
          batch normalization are made again from the examples.

          Usage:  nnet3-combine [options] <nnet-in1> <nnet-in2> ... <nnet-inN> <valid-examples-in> <nnet-out>

          e.g.:
           nnet3-combine 3.raw 2.raw 1.raw ark:valid.egs final.raw
          """);
  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary model");
  private final Option<Integer> evaluations =
      options.integer(
          "max-objective-evaluations", 30, "About how often the objective may be computed");
  private final Option<Boolean> batchnorm =
      options.bool("batchnorm-test-mode", false, "Use statistics in batch normalization meanwhile");
  private final Option<Boolean> dropout =
      options.bool("dropout-test-mode", true, "Drop nothing at random meanwhile");
  private final ComputationOptions computation = new ComputationOptions(options);

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(3, Integer.MAX_VALUE);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    computation.tell(log);
    int count = arguments.size() - 2;
    List<NnetExample> examples = new ArrayList<>();
    try (var reader = Egs.reader(arguments.get(count))) {
      while (reader.next()) {
        examples.add(reader.value());
      }
    }
    log.info("Read %d examples.", examples.size());
    if (examples.isEmpty()) {
      throw new ShapeException(
          "[combine] there must be examples; got none in %s; give others."
              .formatted(arguments.get(count)));
    }
    var how =
        new Combination.Options(Math.max(1, evaluations.get()), batchnorm.get(), dropout.get());
    new Combination(examples, how, line -> log.info("%s", line))
        .of(count, n -> Nnet.load(arguments.get(n)))
        .save(arguments.get(count + 1), binary.get());
    log.info("Finished combining neural nets, wrote model to %s", arguments.get(count + 1));
    return 0;
  }
}
