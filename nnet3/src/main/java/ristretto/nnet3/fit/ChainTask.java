package ristretto.nnet3.fit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import ristretto.expr.Context;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.ChainProb;
import ristretto.nnet3.chain.ChainSupervision;
import ristretto.nnet3.chain.DenominatorGraph;
import ristretto.nnet3.chain.MakeChainExamples;
import ristretto.nnet3.chain.NormalizeSupervision;
import ristretto.nnet3.egs.ChunkInputs;
import ristretto.nnet3.egs.Chunker;
import ristretto.nnet3.egs.ExampleGenerationOptions;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
import ristretto.nnet3.train.ChainTrainer;
import ristretto.nnet3.train.LdaRows;
import ristretto.nnet3.train.MinibatchTrainer;
import ristretto.nnet3.train.NetworkAverage;
import ristretto.nnet3.train.TrainingOptions;

/**
 * Training with the chain objective, as by Kaldi's {@code steps/nnet3/chain/train.py}: an epoch has
 * a pass over the data for each input frame per output frame, each shifted by another number of
 * frames.
 */
record ChainTask(
    FitOptions options, FitOptions.Chain chain, DenominatorGraph graph, Consumer<String> log)
    implements FitTask<ChainExample> {
  /** Largest difference in output frames between supervisions and features. */
  private static final int TOLERANCE = 1;

  @Override
  public Holder<ChainExample> holder() {
    return ChainExample.HOLDER;
  }

  @Override
  public String suffix() {
    return "cegs";
  }

  /** Half an output frame is added to the contexts, for the shifts. */
  @Override
  public ExampleGenerationOptions chunks(Nnet nnet) {
    SimpleContext context = SimpleContext.of(nnet);
    int more = options.examples().chunks().subsampling() / 2;
    return options
        .examples()
        .chunks(new SimpleContext(context.left() + more, context.right() + more));
  }

  @Override
  public int passes() {
    return options.examples().chunks().subsampling();
  }

  @Override
  public UtteranceTargets<ChainExample> targets(Nnet nnet) {
    return new Supervisions(nnet);
  }

  /** Supervisions of a table. */
  private final class Supervisions implements UtteranceTargets<ChainExample> {
    private final RandomAccessTable<ChainSupervision> table =
        RandomAccessTable.open(options.examples().targets(), ChainSupervision.HOLDER);
    private final MakeChainExamples maker;
    private final MakeChainExamples validMaker;

    Supervisions(Nnet nnet) {
      NormalizeSupervision normalization = NormalizeSupervision.load(chain.normalization(), 1);
      maker = maker(normalization, nnet);
      validMaker = maker(normalization, nnet);
    }

    private MakeChainExamples maker(NormalizeSupervision normalization, Nnet nnet) {
      return new MakeChainExamples(
          new Chunker(chunks(nnet), options.seed()),
          new ChunkInputs(options.seed(), true),
          normalization,
          null,
          TOLERANCE,
          true,
          log);
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
        BiConsumer<String, ChainExample> to) {
      (valid ? validMaker : maker)
          .make(
              key,
              features,
              table.get(key),
              ivectors,
              null,
              (chunk, example) -> to.accept(key + "-" + chunk.first(), example));
    }

    @Override
    public List<String> report() {
      return maker.chunker().report();
    }

    @Override
    public void close() {
      table.close();
    }
  }

  @Override
  public ChainExample shifted(ChainExample example, int frames) {
    return frames == 0 ? example : example.shifted(frames);
  }

  @Override
  public MinibatchTrainer<ChainExample> trainer(
      Context context, Nnet nnet, TrainingOptions how, CacheSettings cache) {
    return new ChainTrainer(
        context, nnet, graph, how, chain.objective(), chain.derivativeWeights(), cache);
  }

  @Override
  public List<String> measures() {
    return chain.objective().xentRegularize() != 0
        ? List.of("numerator", "denominator", "cross-entropy")
        : List.of("numerator", "denominator");
  }

  @Override
  public EvaluationResult evaluate(Nnet nnet, List<ChainExample> minibatches) {
    try (Context context = options.settings().open()) {
      var prob =
          new ChainProb(
              context,
              EvaluationResult.inTestMode(nnet),
              graph,
              chain.objective(),
              options.settings().lowering(),
              CacheSettings.DEFAULT);
      minibatches.forEach(prob::accept);
      Map<String, ChainProb.Total> totals = prob.totals();
      ChainProb.Total total = totals.get("output");
      var measures = new ArrayList<Double>();
      measures.add(total.numerator() / total.weight());
      measures.add(total.denominator() / total.weight());
      if (chain.objective().xentRegularize() != 0) {
        measures.add(totals.get("output-xent").average());
      }
      return new EvaluationResult(total.average(), measures);
    }
  }

  @Override
  public NetworkAverage average(
      List<ChainExample> minibatches, NetworkAverage.Options how, Consumer<String> to) {
    return NetworkAverage.chain(minibatches, graph, chain.objective(), how, to);
  }

  @Override
  public void accept(LdaRows rows, ChainExample example) {
    rows.accept(example);
  }

  /** Outputs of chain models are used without priors. */
  @Override
  public void priors(Path file, Nnet nnet, TrainingData<ChainExample> data) {}
}
