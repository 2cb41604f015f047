package ristretto.nnet3.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import ristretto.expr.Context;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.egs.ChunkInputs;
import ristretto.nnet3.egs.Chunker;
import ristretto.nnet3.egs.ExampleGenerationOptions;
import ristretto.nnet3.egs.ExampleMaker;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.io.Posterior;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
import ristretto.nnet3.train.ClassPriors;
import ristretto.nnet3.train.ComputeProb;
import ristretto.nnet3.train.LdaRows;
import ristretto.nnet3.train.MinibatchTrainer;
import ristretto.nnet3.train.NetworkAverage;
import ristretto.nnet3.train.NnetTrainer;
import ristretto.nnet3.train.TrainingOptions;

/** Training with classes or rows of numbers as targets of each frame. */
record TargetTask(FitOptions options) implements FitTask<NnetExample> {
  @Override
  public Holder<NnetExample> holder() {
    return NnetExample.HOLDER;
  }

  @Override
  public String suffix() {
    return "egs";
  }

  @Override
  public ExampleGenerationOptions chunks(Nnet nnet) {
    return options.examples().chunks(SimpleContext.of(nnet));
  }

  @Override
  public int passes() {
    return 1;
  }

  @Override
  public UtteranceTargets<NnetExample> targets(Nnet nnet) {
    return new Targets(nnet);
  }

  /** Targets of a table. */
  private final class Targets implements UtteranceTargets<NnetExample> {
    private final int classes;
    private final RandomAccessTable<?> table;
    private final Chunker chunker;
    private final ExampleMaker maker;
    private final ExampleMaker validMaker;
    private BiConsumer<String, NnetExample> to;

    Targets(Nnet nnet) {
      classes = nnet.outputDim("output");
      table = RandomAccessTable.open(options.examples().targets(), holder(options.examples()));
      chunker = new Chunker(chunks(nnet), options.seed());
      var validChunker = new Chunker(chunks(nnet), options.seed());
      maker = new ExampleMaker(chunker, options.seed(), true, (key, e) -> to.accept(key, e));
      validMaker =
          new ExampleMaker(validChunker, options.seed(), true, (key, e) -> to.accept(key, e));
    }

    private static Holder<?> holder(FitOptions.Examples examples) {
      return switch (examples.kind()) {
        case ALIGNMENTS -> Holder.INTS;
        case POSTERIORS -> Holder.POSTERIOR;
        case MATRICES -> Holder.GENERAL_MATRIX;
      };
    }

    @Override
    public boolean has(String key) {
      return table.has(key);
    }

    @Override
    public void examples(
        boolean valid,
        String key,
        GeneralMatrix features,
        ChunkInputs.Ivectors ivectors,
        BiConsumer<String, NnetExample> receiver) {
      to = receiver;
      ExampleMaker with = valid ? validMaker : maker;
      switch (table.get(key)) {
        case int[] alignment ->
            with.accept(key, features, Posterior.of(alignment), classes, ivectors);
        case Posterior posterior -> with.accept(key, features, posterior, classes, ivectors);
        case Object numbers ->
            with.accept(key, features, ((GeneralMatrix) numbers).toMatrix(), ivectors);
      }
    }

    @Override
    public List<String> report() {
      return chunker.report();
    }

    @Override
    public void close() {
      table.close();
    }
  }

  @Override
  public NnetExample shifted(NnetExample example, int frames) {
    return example;
  }

  @Override
  public MinibatchTrainer<NnetExample> trainer(
      Context context, Nnet nnet, TrainingOptions how, CacheSettings cache) {
    return new NnetTrainer(context, nnet, how, cache);
  }

  @Override
  public List<String> measures() {
    return List.of("accuracy");
  }

  @Override
  public EvaluationResult evaluate(Nnet nnet, List<NnetExample> minibatches) {
    Nnet test = EvaluationResult.inTestMode(nnet);
    try (Context context = options.settings().open()) {
      var prob = new ComputeProb(context, test, false).lowering(options.settings().lowering());
      minibatches.forEach(example -> prob.accept(example, true));
      return new EvaluationResult(
          prob.objectives().get("output").average(), List.of(prob.accuracies().get("output")));
    }
  }

  @Override
  public NetworkAverage average(
      List<NnetExample> minibatches, NetworkAverage.Options how, Consumer<String> log) {
    return new NetworkAverage(minibatches, how, log);
  }

  @Override
  public void accept(LdaRows rows, NnetExample example) {
    rows.accept(example);
  }

  @Override
  public void priors(Path file, Nnet nnet, TrainingData<NnetExample> data) {
    boolean wanted =
        options.examples().kind() != FitOptions.Kind.MATRICES || options.end().posteriors();
    if (wanted && !Files.exists(file)) {
      try (Context context = options.settings().open()) {
        float[] priors =
            ClassPriors.of(
                context,
                nnet,
                data.some(options.end().priorExamples()),
                options.settings().lowering());
        KaldiOutput.write(file.toString(), true, out -> out.writeVector(priors));
      }
    }
  }
}
