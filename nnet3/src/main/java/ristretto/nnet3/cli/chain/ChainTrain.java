package ristretto.nnet3.cli.chain;

import java.util.List;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.DenominatorGraph;
import ristretto.nnet3.cli.options.CacheOptions;
import ristretto.nnet3.cli.options.ChainFlags;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.CompilerOptions;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.TrainingToolOptions;
import ristretto.nnet3.cli.options.UseGpuOption;
import ristretto.nnet3.cli.tool.Languages;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.ChainTrainer;

/** Trains a network with the chain objective on minibatches of examples. */
public final class ChainTrain extends Tool {
  private static final String TRAINS =
      """
      Trains a raw network with the chain objective%s by stochastic gradient ascent on
      minibatches from nnet3-chain-merge-egs. RISTRETTO_DEVICE and RISTRETTO_THREADS choose the
      device and the number of threads.

      """;
  private static final String DEFAULT = "default";

  private final boolean byLanguage;

  /**
   * Creates the command.
   *
   * @param byLanguage true for a denominator graph for each language, as in Kaldi's
   *     nnet3-chain-train2
   */
  public ChainTrain(boolean byLanguage) {
    super(
        byLanguage ? "nnet3-chain-train2" : "nnet3-chain-train",
        TRAINS.formatted(byLanguage ? " of several languages" : "")
            + (byLanguage
                ? """
                The output and the graph LANGUAGE.den.fst of a minibatch are those of the language
                in its key, such as KEY?lang=english; without one, those of "default".

                Usage:  nnet3-chain-train2 [options] <raw-nnet-in> <den-fst-dir> <chain-training-examples-in> <raw-nnet-out>

                e.g.:
                nnet3-chain-train2 1.raw den_fsts 'ark:nnet3-chain-merge-egs --multilingual-eg=true 1.cegs ark:-|' 2.raw
                """
                : """
                Usage:  nnet3-chain-train [options] <raw-nnet-in> <denominator-fst-in> <chain-training-examples-in> <raw-nnet-out>

                e.g.:
                nnet3-chain-train 1.raw den.fst 'ark:nnet3-chain-merge-egs 1.cegs ark:-|' 2.raw
                """),
        4,
        4);
    this.byLanguage = byLanguage;
    options.bool("cuda-cache-memory", true, "Accepted without effect");
    options.real("cuda-memory-proportion", 0.5f, "Accepted without effect");
  }

  private final Option<Integer> seed = options.integer("srand", 0, "Seed of random numbers");
  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary model");
  private final Option<Boolean> weights =
      options.bool(
          "apply-deriv-weights", true, "Apply the weights of derivatives that examples have");
  private final ChainFlags chain = new ChainFlags(options);
  private final TrainingToolOptions training = new TrainingToolOptions(options);
  private final CompilerOptions compilation = new CompilerOptions(options);
  private final CacheOptions cache = new CacheOptions(options);
  private final UseGpuOption computation = new UseGpuOption(options);

  @Override
  public int run(List<String> arguments, CommandLog log) {
    boolean some;
    computation.tell(log);
    Nnet nnet = Nnet.load(arguments.get(0));
    Function<String, DenominatorGraph> graphs = graphs(arguments.get(1));
    try (Context context = compilation.open();
        var examples = TableReader.open(arguments.get(2), ChainExample.HOLDER)) {
      var trainer =
          new ChainTrainer(
              context,
              nnet,
              graphs,
              training.get(seed.get()),
              chain.get(),
              weights.get(),
              compilation.cache(log));
      trainer
          .lowering(compilation.lowering())
          .derivativeTimes(compilation::times)
          .log(line -> log.info("%s", line));
      cache.read(trainer::prepare, log);
      while (examples.next()) {
        ChainExample minibatch = examples.value();
        trainer.train(
            byLanguage
                ? Languages.unnamed(minibatch, Languages.of(examples.key(), DEFAULT))
                : minibatch);
      }
      trainer.report().forEach(line -> log.info("%s", line));
      some = trainer.totals().all().values().stream().anyMatch(value -> value.weight() != 0);
      if (some) {
        cache.write(trainer.requests(), log);
        trainer.nnet().save(arguments.get(3), binary.get());
        log.info("Wrote raw model to %s", arguments.get(3));
      } else {
        log.warning("No examples were trained on, and nothing was written.");
      }
    }
    return some ? 0 : 1;
  }

  private Function<String, DenominatorGraph> graphs(String name) {
    if (byLanguage) {
      return output -> DenominatorGraph.load(name + "/" + Languages.ofOutput(output) + ".den.fst");
    }
    DenominatorGraph graph = DenominatorGraph.load(name);
    return _ -> graph;
  }
}
