package ristretto.nnet3.train;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Program;
import ristretto.expr.Seed;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.DerivativeTimes;
import ristretto.nnet3.Index;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.compile.CompileCache;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.compile.ForwardBackward;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.egs.Example;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/**
 * Trains a network by steps on minibatches of examples. Parameters stay on the context's device;
 * {@link #nnet} fetches them.
 *
 * @param <E> kind of examples
 */
public abstract sealed class MinibatchTrainer<E extends Example<E>>
    permits NnetTrainer, ChainTrainer {
  /** Average number of minibatches per application of the orthonormal constraint. */
  private static final int CONSTRAINED = 4;

  final Context context;
  private final TrainingOptions options;
  private final Nnet nnet;
  private final DeviceParameters deviceParameters;
  private final Compiler compiler;
  private final ParameterBuffer buffer;
  private final LearningRates rates;
  private final UpdateWithMaxChange update;
  private final Preconditioners preconditioners;
  private final StepStatistics statistics;
  private final ObjectiveTotals totals;
  private final Map<String, Program> constraints = new LinkedHashMap<>();
  private final Random random;
  private final CacheSettings cache;
  private final CompileCache<TrainingStep<E>> steps;
  private final Set<List<String>> begun = new HashSet<>();
  private Consumer<String> log = _ -> {};
  private Function<ComputationRequest, DerivativeTimes> times = _ -> DerivativeTimes.ALL;
  private int minibatches;

  MinibatchTrainer(Context context, Nnet nnet, TrainingOptions options, CacheSettings cache) {
    this.cache = cache;
    this.steps = new CompileCache<>("computation", cache);
    this.context = context;
    this.options = options;
    this.nnet = nnet.copy();
    this.random = new Random(options.seed());
    this.nnet
        .components()
        .values()
        .forEach(component -> {
          if (component instanceof UpdatableComponent updatable) {
            updatable.mapParameters(float[]::clone);
          }
          if (options.zeroComponentStats()) {
            ((ComponentBase) component).zeroStatistics();
          }
        });
    deviceParameters = new DeviceParameters(context);
    buffer = new ParameterBuffer(deviceParameters, this.nnet);
    rates = new LearningRates(context, buffer);
    update =
        new UpdateWithMaxChange(
            context, buffer, rates, options.maxParamChange(), options.momentum());
    preconditioners = new Preconditioners(context);
    statistics = new StepStatistics(context, options.batchnormStatsScale());
    totals = new ObjectiveTotals(options.printInterval());
    compiler = new Compiler(this.nnet, deviceParameters, cache.capacity());
    buffer.components().forEach((name, component) -> constrain(name, component));
  }

  private void constrain(String name, UpdatableComponent component) {
    float scale = component.orthonormalConstraint();
    if (scale != 0) {
      Tensor<F32> m = deviceParameters.matrix(component.constrained());
      constraints.put(
          name, context.recordOnly(() -> OrthonormalConstraint.step(context, m, scale)));
    }
  }

  /**
   * Limits derivatives to a time range, which may depend on the minibatch's request.
   *
   * @return this trainer
   */
  public MinibatchTrainer<E> derivativeTimes(Function<ComputationRequest, DerivativeTimes> to) {
    times = to;
    return this;
  }

  /**
   * Sets the compilation choices, before the first minibatch.
   *
   * @return this trainer
   */
  public MinibatchTrainer<E> lowering(LoweringOptions how) {
    deviceParameters.lowering(how);
    return this;
  }

  /**
   * Sets the receiver of lines about progress.
   *
   * @return this trainer
   */
  public MinibatchTrainer<E> log(Consumer<String> to) {
    log = to;
    return this;
  }

  /** Trains on a minibatch. */
  public void train(E minibatch) {
    totals.begin(minibatches).forEach(log);
    double sequences = sequences(minibatch) * options.l2Factor();
    double back = options.backstitchScale();
    boolean stitch =
        back > 0
            && minibatches % options.backstitchInterval()
                == Math.floorMod(options.seed(), options.backstitchInterval());
    long seed = Seed.of(options.seed()).fold(minibatches).number();
    if (stitch) {
      preconditioners.freeze(true);
      step(minibatch, seed, "", -back, back, 0);
      constrain();
      preconditioners.freeze(false);
      step(minibatch, seed, "_backstitch", 1 + back, 1 + back, sequences / (1 + back));
    } else {
      step(minibatch, seed, "", 1, 1, sequences);
      constrain();
    }
    minibatches++;
  }

  private void step(
      E minibatch, long seed, String suffix, double scale, double limit, double decay) {
    ComputationRequest request = request(nnet, minibatch, options.storeComponentStats());
    update.set(scale, limit, decay);
    context.copy(MemorySegment.ofArray(new long[] {seed}), deviceParameters.seed());
    List<String> names = names(minibatch);
    TrainingStep<E> step;
    if (begun.add(names)) {
      step = made(request, minibatch);
      step.make(parts(suffix), false);
    } else {
      var key =
          new CompileCache.Key(
              request,
              Map.of(
                  "entries of targets",
                  entries(minibatch),
                  "updates of preconditioners",
                  preconditioners.pattern(),
                  "suffix of outputs",
                  suffix));
      step =
          steps.get(
              key,
              _ -> {
                TrainingStep<E> made = made(request, minibatch);
                made.make(parts(suffix), true);
                cache.debug().accept(made::print);
                return made;
              });
      step.supply(minibatch);
    }
    step.run();
    for (String output : step.outputs()) {
      totals.count(output + suffix);
    }
  }

  private TrainingStep<E> made(ComputationRequest request, E minibatch) {
    ForwardBackward pass = compiler.pass(request).limited(times.apply(request));
    return new TrainingStep<>(context, pass, objectives(pass, minibatch));
  }

  private TrainingStep.Parts parts(String suffix) {
    // Most statistics are gathered only in steps that update preconditioners, which costs less.
    List<Boolean> updates = preconditioners.pattern();
    boolean all = updates.isEmpty() || updates.contains(true);
    ParameterUpdates.Gathers gathers =
        !options.storeComponentStats()
            ? all ? ParameterUpdates.Gathers.NEEDED : ParameterUpdates.Gathers.NONE
            : all ? ParameterUpdates.Gathers.ALL : ParameterUpdates.Gathers.FADING;
    var changes =
        new ParameterUpdates(
            context, buffer, rates, preconditioners, statistics, gathers, options.momentum() != 0);
    return new TrainingStep.Parts(changes, update, totals, suffix, preconditioners, statistics);
  }

  private void constrain() {
    constraints
        .values()
        .forEach(program -> {
          if (random.nextInt(CONSTRAINED) == 0) {
            program.run();
          }
        });
  }

  private int sequences(E minibatch) {
    List<Index> indexes = inputs(minibatch).getFirst().indexes();
    return 1 + indexes.stream().mapToInt(Index::n).max().orElse(0);
  }

  /**
   * Returns a copy of a network with its statistics recomputed on examples.
   *
   * @param make makes a trainer of a network that does not let statistics fade
   */
  static <E extends Example<E>> Nnet withStatistics(
      Nnet nnet, List<E> examples, Function<Nnet, MinibatchTrainer<E>> make) {
    Nnet open = nnet.copy();
    open.components()
        .values()
        .forEach(c -> {
          if (c instanceof UpdatableComponent updatable) {
            updatable.setActualLearningRate(1);
          }
        });
    MinibatchTrainer<E> trainer = make.apply(open);
    for (E example : examples) {
      trainer.step(example, 0, "", 0, 1, 0);
    }
    Nnet result = trainer.nnet();
    result
        .components()
        .forEach((name, c) -> {
          if (c instanceof UpdatableComponent updatable) {
            updatable.setActualLearningRate(
                ((UpdatableComponent) nnet.components().get(name)).learningRate());
          }
        });
    return result;
  }

  // Examples

  /** Request of a minibatch, with derivatives of the parameters. */
  abstract ComputationRequest request(Nnet network, E minibatch, boolean stats);

  /** Inputs, or inputs and outputs, of a minibatch. */
  abstract List<NnetIo> inputs(E minibatch);

  /** Names of the inputs and outputs of a minibatch. */
  abstract List<String> names(E minibatch);

  /** Number of entries of each target, on which a recorded step depends. */
  abstract List<Integer> entries(E minibatch);

  /** Objectives of a step on minibatches like one; uploads this one. */
  abstract StepObjectives<E> objectives(ForwardBackward pass, E minibatch);

  /** Sets the learning rates of all components, each times the component's factor. */
  public void learningRate(float rate) {
    buffer.components().values().forEach(c -> c.setUnderlyingLearningRate(rate));
    rates.refresh();
  }

  /** Analyses the request of future minibatches. */
  public void prepare(ComputationRequest request) {
    compiler.prepare(request);
  }

  /** Returns the requests of the cached computations. */
  public Set<ComputationRequest> requests() {
    var all = new LinkedHashSet<ComputationRequest>();
    steps.keys().forEach(key -> all.add(key.request()));
    return all;
  }

  /** Returns the objectives so far. */
  public ObjectiveTotals totals() {
    return totals;
  }

  /** Returns the number of minibatches so far. */
  public int minibatches() {
    return minibatches;
  }

  /** Returns lines about the whole training. */
  public List<String> report() {
    List<String> lines = new ArrayList<>(totals.lines());
    double[] limited = update.limitedPercent();
    int k = 0;
    for (String name : buffer.components().keySet()) {
      double percent = limited[k++];
      if (percent > 0) {
        lines.add(
            "For %s, per-component max-change was enforced %s %% of the time."
                .formatted(name, ObjectiveTotals.number(percent)));
      }
    }
    if (limited[k] > 0) {
      lines.add(
          "The global max-change was enforced %s %% of the time."
              .formatted(ObjectiveTotals.number(limited[k])));
    }
    return lines;
  }

  /** Returns a copy of the network with its current parameters and statistics. */
  public Nnet nnet() {
    statistics.store();
    Nnet copy = nnet.copy();
    Map<float[], float[]> now = buffer.fetch();
    copy.components()
        .values()
        .forEach(component -> {
          if (component instanceof UpdatableComponent updatable) {
            updatable.mapParameters(array -> now.getOrDefault(array, array));
          }
        });
    return copy;
  }
}
