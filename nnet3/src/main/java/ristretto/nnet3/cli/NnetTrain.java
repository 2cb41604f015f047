package ristretto.nnet3.cli;

import java.util.List;
import ristretto.expr.Context;
import ristretto.nnet3.cli.options.CacheOptions;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.CompilerOptions;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.TrainingToolOptions;
import ristretto.nnet3.cli.options.UseGpuOption;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.NnetTrainer;

/** Trains a network on minibatches of examples. */
final class NnetTrain extends Tool {
  NnetTrain() {
    super(
        "nnet3-train",
        """
        Trains a raw network by stochastic gradient ascent on minibatches from nnet3-merge-egs.
        RISTRETTO_DEVICE and RISTRETTO_THREADS choose the device and the number of threads.

        Usage:  nnet3-train [options] <raw-model-in> <training-examples-in> <raw-model-out>

        e.g.:
        nnet3-train 1.raw 'ark:nnet3-merge-egs 1.egs ark:-|' 2.raw
        """,
        3,
        3);
    options.bool("cuda-cache-memory", true, "Accepted without effect");
    options.real("cuda-memory-proportion", 0.5f, "Accepted without effect");
  }

  private final Option<Integer> seed = options.integer("srand", 0, "Seed of random numbers");
  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary model");
  private final TrainingToolOptions training = new TrainingToolOptions(options);
  private final CompilerOptions compilation = new CompilerOptions(options);
  private final CacheOptions cache = new CacheOptions(options);
  private final UseGpuOption computation = new UseGpuOption(options);

  @Override
  public int run(List<String> arguments, CommandLog log) {
    boolean some;
    computation.tell(log);
    try (Context context = compilation.open();
        var examples = ExampleKind.NNET3.reader(arguments.get(1))) {
      Nnet nnet = Nnet.load(arguments.get(0));
      var trainer =
          new NnetTrainer(context, nnet, training.get(seed.get()), compilation.cache(log))
              .lowering(compilation.lowering())
              .derivativeTimes(compilation::times)
              .log(line -> log.info("%s", line));
      cache.read(trainer::prepare, log);
      while (examples.next()) {
        trainer.train(examples.value());
      }
      trainer.report().forEach(line -> log.info("%s", line));
      some = trainer.totals().all().values().stream().anyMatch(value -> value.weight() != 0);
      if (some) {
        cache.write(trainer.requests(), log);
        trainer.nnet().save(arguments.get(2), binary.get());
        log.info("Wrote model to %s", arguments.get(2));
      } else {
        log.warning("No examples were trained on, and nothing was written.");
      }
    }
    return some ? 0 : 1;
  }
}
