package ristretto.nnet3.train;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.DerivativeTimes;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.compile.ForwardBackward;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.network.Nnet;

/**
 * Trains a network as Kaldi's nnet3-train does, by steps on minibatches of examples. Parameters
 * stay on the context's device; {@link #nnet} fetches them.
 *
 * <pre>{@code
 * var trainer = new NnetTrainer(context, Nnet.load("0.raw"), TrainingOptions.DEFAULT);
 * minibatches.forEach(trainer::train);
 * trainer.nnet().save("1.raw", true);
 * }</pre>
 */
public final class NnetTrainer extends MinibatchTrainer<NnetExample> {
  private final Objectives objectives;

  /**
   * Creates a trainer for a copy of a network.
   *
   * @param context context of the computations
   */
  public NnetTrainer(Context context, Nnet nnet, TrainingOptions options) {
    this(context, nnet, options, CacheSettings.DEFAULT);
  }

  /**
   * Creates a trainer for a copy of a network, with cache options.
   *
   * @param context context of the computations
   * @param cache cache options of computations
   */
  public NnetTrainer(Context context, Nnet nnet, TrainingOptions options, CacheSettings cache) {
    super(context, nnet, options, cache);
    objectives = new Objectives(nnet);
  }

  /**
   * Sets the objective of an output, instead of the one in the network; before the first minibatch.
   *
   * @return this trainer
   * @throws ComputationException after the first minibatch, or if the network has no such output
   */
  public NnetTrainer objective(String output, Objective objective) {
    if (minibatches() > 0) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[objective] an objective must be given before the first minibatch; got one for"
                  + " \"%s\" after %d; make another trainer.",
              Excerpt.of(output),
              minibatches()));
    }
    objectives.put(output, objective);
    return this;
  }

  @Override
  public NnetTrainer derivativeTimes(Function<ComputationRequest, DerivativeTimes> to) {
    super.derivativeTimes(to);
    return this;
  }

  @Override
  public NnetTrainer lowering(LoweringOptions how) {
    super.lowering(how);
    return this;
  }

  @Override
  public NnetTrainer log(Consumer<String> to) {
    super.log(to);
    return this;
  }

  @Override
  ComputationRequest request(Nnet network, NnetExample minibatch, boolean stats) {
    return minibatch.request(network, true, stats);
  }

  @Override
  List<NnetIo> inputs(NnetExample minibatch) {
    return minibatch.io();
  }

  @Override
  List<String> names(NnetExample minibatch) {
    return minibatch.io().stream().map(NnetIo::name).toList();
  }

  @Override
  List<Integer> entries(NnetExample minibatch) {
    return minibatch.io().stream().map(io -> Supervision.entries(io.features())).toList();
  }

  @Override
  StepObjectives<NnetExample> objectives(ForwardBackward pass, NnetExample minibatch) {
    return new TargetObjectives(context, pass.withinProgram(), minibatch, objectives);
  }
}
