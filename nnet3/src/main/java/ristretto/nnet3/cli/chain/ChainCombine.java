package ristretto.nnet3.cli.chain;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.DenominatorGraph;
import ristretto.nnet3.cli.options.ChainFlags;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UseGpuOption;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.NetworkAverage;

/** Averages the last networks of a training, in the number that maximizes the chain objective. */
public final class ChainCombine extends Tool {
  public ChainCombine() {
    super(
        "nnet3-chain-combine",
        """
        Averages the last raw networks of a training, given with the last network first. The
        number of averaged networks is the one with the largest chain objective on the examples,
        with the penalty on outputs and the cross-entropy, if it is regularized with. Statistics
        of batch normalization are recomputed from the examples.

        Usage:  nnet3-chain-combine [options] <den-fst> <raw-nnet-in1> <raw-nnet-in2> ... <raw-nnet-inN> <chain-examples-in> <raw-nnet-out>

        e.g.:
         nnet3-chain-combine den.fst 3.raw 2.raw 1.raw ark:valid.cegs final.raw
        """,
        4,
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
  private final ChainFlags chain = new ChainFlags(options);
  private final UseGpuOption computation = new UseGpuOption(options);

  @Override
  public int run(List<String> arguments, CommandLog log) {
    computation.tell(log);
    DenominatorGraph graph = DenominatorGraph.load(arguments.get(0));
    int last = arguments.size() - 2;
    List<ChainExample> examples = new ArrayList<>();
    try (var reader = ExampleKind.CHAIN.reader(arguments.get(last))) {
      while (reader.next()) {
        examples.add(reader.value());
      }
    }
    log.info("Read %d examples.", examples.size());
    if (examples.isEmpty()) {
      throw new ShapeException(
          "[combine] there must be examples; got none in %s; give another archive."
              .formatted(arguments.get(last)));
    }
    var how =
        new NetworkAverage.Options(Math.max(1, evaluations.get()), batchnorm.get(), dropout.get());
    NetworkAverage.chain(examples, graph, chain.get(), how, line -> log.info("%s", line))
        .of(last - 1, n -> Nnet.load(arguments.get(n + 1)))
        .save(arguments.get(last + 1), binary.get());
    log.info("Finished combining neural nets, wrote model to %s", arguments.get(last + 1));
    return 0;
  }
}
