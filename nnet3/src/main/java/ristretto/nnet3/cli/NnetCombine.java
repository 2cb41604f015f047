package ristretto.nnet3.cli;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UseGpuOption;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.NetworkAverage;

/** Averages the last networks of a training, in the number that maximizes the objective. */
final class NnetCombine extends Tool {
  NnetCombine() {
    super(
        "nnet3-combine",
        """
        Averages the last raw networks of a training, given with the last network first. The
        number of averaged networks is the one with the largest objective on the examples.
        Statistics of batch normalization are recomputed from the examples.

        Usage:  nnet3-combine [options] <nnet-in1> <nnet-in2> ... <nnet-inN> <valid-examples-in> <nnet-out>

        e.g.:
         nnet3-combine 3.raw 2.raw 1.raw ark:valid.egs final.raw
        """,
        3,
        Integer.MAX_VALUE);
  }

  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary model");
  private final Option<Integer> evaluations =
      options.integer(
          "max-objective-evaluations", 30, "Approximate number of evaluations of the objective");
  private final Option<Boolean> batchnorm =
      options.bool(
          "batchnorm-test-mode", false, "Put batch normalization in test mode for the evaluations");
  private final Option<Boolean> dropout =
      options.bool("dropout-test-mode", true, "Disable dropout for the evaluations");
  private final UseGpuOption computation = new UseGpuOption(options);

  @Override
  public int run(List<String> arguments, CommandLog log) {
    computation.tell(log);
    int count = arguments.size() - 2;
    List<NnetExample> examples = new ArrayList<>();
    try (var reader = ExampleKind.NNET3.reader(arguments.get(count))) {
      while (reader.next()) {
        examples.add(reader.value());
      }
    }
    log.info("Read %d examples.", examples.size());
    if (examples.isEmpty()) {
      throw new ShapeException(
          "[combine] there must be examples; got none in %s; give another archive."
              .formatted(arguments.get(count)));
    }
    var how =
        new NetworkAverage.Options(Math.max(1, evaluations.get()), batchnorm.get(), dropout.get());
    new NetworkAverage(examples, how, line -> log.info("%s", line))
        .of(count, n -> Nnet.load(arguments.get(n)))
        .save(arguments.get(count + 1), binary.get());
    log.info("Finished combining neural nets, wrote model to %s", arguments.get(count + 1));
    return 0;
  }
}
