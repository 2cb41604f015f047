package ristretto.nnet3.train;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.ChainLoss;
import ristretto.nnet3.chain.ChainOptions;
import ristretto.nnet3.chain.ChainStep;
import ristretto.nnet3.chain.DenominatorGraph;
import ristretto.nnet3.compile.ForwardBackward;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.network.Nnet;

/**
 * Trains a network with the chain objective (lattice-free MMI) as Kaldi's nnet3-chain-train does,
 * by steps on minibatches of examples. Parameters stay on the context's device; {@link #nnet}
 * fetches them.
 */
public final class ChainTrainer extends MinibatchTrainer<ChainExample> {
  private final Map<String, ChainLoss> losses = new HashMap<>();
  private final Function<String, DenominatorGraph> graphs;
  private final ChainOptions objective;
  private final boolean xent;
  private final boolean weighted;

  /**
   * Creates a trainer for a copy of a network.
   *
   * @param context context of the computations
   * @param weighted true to apply the weights of derivatives of the examples
   * @param cache cache options of computations
   */
  public ChainTrainer(
      Context context,
      Nnet nnet,
      DenominatorGraph graph,
      TrainingOptions options,
      ChainOptions objective,
      boolean weighted,
      CacheSettings cache) {
    this(context, nnet, _ -> graph, options, objective, weighted, cache);
  }

  /**
   * Creates a trainer with a graph for each output, such as one for each language.
   *
   * @param graphs denominator graph by the name of the output
   */
  public ChainTrainer(
      Context context,
      Nnet nnet,
      Function<String, DenominatorGraph> graphs,
      TrainingOptions options,
      ChainOptions objective,
      boolean weighted,
      CacheSettings cache) {
    super(context, nnet, options, cache);
    this.graphs = graphs;
    this.objective = objective;
    this.xent = objective.xentRegularize() != 0;
    this.weighted = weighted;
  }

  @Override
  ComputationRequest request(Nnet network, ChainExample minibatch, boolean stats) {
    return minibatch.request(network, xent, true, stats);
  }

  @Override
  List<NnetIo> inputs(ChainExample minibatch) {
    return minibatch.inputs();
  }

  @Override
  List<String> names(ChainExample minibatch) {
    var names = new ArrayList<>(minibatch.inputs().stream().map(NnetIo::name).toList());
    minibatch.outputs().forEach(output -> names.add(output.name()));
    return names;
  }

  @Override
  List<Integer> entries(ChainExample minibatch) {
    return List.of();
  }

  @Override
  StepObjectives<ChainExample> objectives(ForwardBackward pass, ChainExample minibatch) {
    return new ChainObjectives(
        context,
        pass,
        minibatch,
        (output, pdfs) -> new ChainStep(context, loss(output.name()), output, pdfs, weighted),
        xent);
  }

  private ChainLoss loss(String output) {
    return losses.computeIfAbsent(
        output, name -> new ChainLoss(context, graphs.apply(name), objective));
  }
}
