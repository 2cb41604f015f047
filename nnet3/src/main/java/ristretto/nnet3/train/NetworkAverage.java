package ristretto.nnet3.train;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import ristretto.expr.Context;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.CompileSettings;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.ChainOptions;
import ristretto.nnet3.chain.ChainProb;
import ristretto.nnet3.chain.DenominatorGraph;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.network.Nnet;

/**
 * Average of the last n networks of a training, for the n with the best objective on examples.
 * Networks are numbered from the last one backwards.
 */
public final class NetworkAverage {
  private final Evaluation evaluation;
  private final Options options;
  private final Consumer<String> log;
  private CompileSettings settings = CompileSettings.DEFAULT;

  /**
   * Options, with Kaldi's names.
   *
   * @param maxObjectiveEvaluations approximate maximum number of evaluations of the objective
   * @param batchnormTestMode true to evaluate batch normalization with its stored statistics
   * @param dropoutTestMode true to evaluate without dropout
   */
  public record Options(
      int maxObjectiveEvaluations, boolean batchnormTestMode, boolean dropoutTestMode) {
    /** Kaldi's defaults. */
    public static final Options DEFAULT = new Options(30, false, true);
  }

  /** Computations on examples. */
  private interface Evaluation {
    /** Objectives of a network, by output. */
    Collection<ObjectiveTotals.Value> objectives(
        Context context, Nnet nnet, CompileSettings settings);

    /** Copy of a network with its statistics recomputed. */
    Nnet withStatistics(Context context, Nnet nnet, CompileSettings settings);
  }

  /** Creates a combination that is evaluated on minibatches of examples. */
  public NetworkAverage(List<NnetExample> examples, Options options, Consumer<String> log) {
    this(new OfTargets(List.copyOf(examples)), options, log);
  }

  private NetworkAverage(Evaluation evaluation, Options options, Consumer<String> log) {
    this.evaluation = evaluation;
    this.options = options;
    this.log = log;
  }

  /** Creates a combination that is evaluated with the chain objective, penalties included. */
  public static NetworkAverage chain(
      List<ChainExample> examples,
      DenominatorGraph graph,
      ChainOptions objective,
      Options options,
      Consumer<String> log) {
    return new NetworkAverage(new OfChain(List.copyOf(examples), graph, objective), options, log);
  }

  private record OfTargets(List<NnetExample> examples) implements Evaluation {
    @Override
    public Collection<ObjectiveTotals.Value> objectives(
        Context context, Nnet nnet, CompileSettings settings) {
      var prob = new ComputeProb(context, nnet, false).lowering(settings.lowering());
      examples.forEach(example -> prob.accept(example, false));
      return prob.objectives().values();
    }

    @Override
    public Nnet withStatistics(Context context, Nnet nnet, CompileSettings settings) {
      return MinibatchTrainer.withStatistics(
          nnet,
          examples,
          open ->
              new NnetTrainer(context, open, TrainingOptions.DEFAULT.withoutFading())
                  .lowering(settings.lowering()));
    }
  }

  private record OfChain(
      List<ChainExample> examples, DenominatorGraph graph, ChainOptions objective)
      implements Evaluation {
    @Override
    public Collection<ObjectiveTotals.Value> objectives(
        Context context, Nnet nnet, CompileSettings settings) {
      var prob =
          new ChainProb(
              context, nnet, graph, objective, settings.lowering(), CacheSettings.DEFAULT);
      examples.forEach(prob::accept);
      return prob.totals().values().stream()
          .map(t -> new ObjectiveTotals.Value(t.weight(), t.objective(), t.l2Term()))
          .toList();
    }

    @Override
    public Nnet withStatistics(Context context, Nnet nnet, CompileSettings settings) {
      TrainingOptions steady = TrainingOptions.DEFAULT.withoutFading();
      return MinibatchTrainer.withStatistics(
          nnet,
          examples,
          open ->
              new ChainTrainer(
                      context, open, graph, steady, objective, false, CacheSettings.DEFAULT)
                  .lowering(settings.lowering()));
    }
  }

  /** Sets how networks are evaluated, and returns this combination. */
  public NetworkAverage settings(CompileSettings how) {
    settings = how;
    return this;
  }

  /**
   * Returns the best average.
   *
   * @param count number of networks
   * @param networks by number, the last one of the training first
   */
  public Nnet of(int count, IntFunction<Nnet> networks) {
    Nnet average = networks.apply(0).copy();
    Nnet best = average.copy();
    double first = objective(average);
    double most = first;
    int used = 1;
    log.accept("objective function using the last model is " + ObjectiveTotals.number(first));
    int step =
        (count + options.maxObjectiveEvaluations - 1)
            / Math.max(1, options.maxObjectiveEvaluations);
    for (int n = 1; n < count; n++) {
      average.scale((float) ((double) n / (n + 1)));
      average.add(1f / (n + 1), networks.apply(n));
      if ((n - 1) % step == step - 1 || n == count - 1) {
        double value = objective(average);
        log.accept(
            String.format(
                Locale.ROOT,
                "Combining last %d models, objective function is %s",
                n + 1,
                ObjectiveTotals.number(value)));
        if (value > most) {
          most = value;
          best = average.copy();
          used = n + 1;
        }
      }
    }
    log.accept(
        String.format(
            Locale.ROOT,
            "Combining %d nnets, objective function changed from %s to %s",
            used,
            ObjectiveTotals.number(first),
            ObjectiveTotals.number(most)));
    boolean fading =
        best.components().values().stream().anyMatch(c -> ((ComponentBase) c).fadingStatistics());
    if (!fading) {
      return best;
    }
    log.accept("Recomputing stats on nnet (affects batch-norm)");
    try (Context context = settings.open()) {
      return evaluation.withStatistics(context, best, settings);
    }
  }

  /** Average objective per frame over all outputs. */
  private double objective(Nnet nnet) {
    var edits = new NetworkEdits(nnet, EditLog.NONE);
    if (options.batchnormTestMode) {
      edits.setBatchNormTestMode(true);
    }
    if (options.dropoutTestMode) {
      edits.setDropoutTestMode(true);
    }
    try (Context context = settings.open()) {
      double objective = 0;
      double weight = 0;
      for (ObjectiveTotals.Value value : evaluation.objectives(context, edits.nnet(), settings)) {
        objective += value.objective() + value.penalty();
        weight += value.weight();
      }
      double average = objective / weight;
      return Double.isFinite(average) ? average : Double.NEGATIVE_INFINITY;
    }
  }
}
