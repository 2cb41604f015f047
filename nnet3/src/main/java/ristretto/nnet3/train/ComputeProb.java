package ristretto.nnet3.train;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import ristretto.expr.Context;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.compile.CompileCache;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.compile.ForwardBackward;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/** Objectives and accuracies of a network on examples. */
public final class ComputeProb {
  private final Context context;
  private final Nnet nnet;
  private final boolean perDim;
  private final DeviceParameters deviceParameters;
  private final Compiler compiler;
  private final Objectives objectives;
  private final CacheSettings cache;
  private final CompileCache<EvaluationStep> steps;
  private final Map<String, Accuracy> accuracies = new TreeMap<>();
  private final ObjectiveTotals totals = new ObjectiveTotals(Integer.MAX_VALUE);

  /**
   * Weight of all rows, and of those whose largest output is at the largest target, in total and by
   * class.
   */
  static final class Accuracy {
    double weight;
    double right;
    double[] weights = {};
    double[] rights = {};
  }

  /**
   * Creates totals of zero.
   *
   * @param perDim true to report accuracies of each class
   */
  public ComputeProb(Context context, Nnet nnet, boolean perDim) {
    this(context, nnet, perDim, CacheSettings.DEFAULT);
  }

  /**
   * Creates totals of zero, with cache options.
   *
   * @param perDim true to report accuracies of each class
   * @param cache cache options of computations
   */
  public ComputeProb(Context context, Nnet nnet, boolean perDim, CacheSettings cache) {
    this.context = context;
    this.nnet = nnet;
    this.perDim = perDim;
    this.cache = cache;
    this.steps = new CompileCache<>("computation", cache);
    this.deviceParameters = new DeviceParameters(context);
    this.compiler = new Compiler(nnet, deviceParameters, cache.capacity());
    this.objectives = new Objectives(nnet);
  }

  /** Sets the compilation choices, before the first minibatch, and returns this object. */
  public ComputeProb lowering(LoweringOptions how) {
    deviceParameters.lowering(how);
    return this;
  }

  /**
   * Evaluates a minibatch.
   *
   * @param accuracy true to count accuracies as well
   */
  public void accept(NnetExample minibatch, boolean accuracy) {
    ComputationRequest request = minibatch.request(nnet, false, false);
    List<Integer> entries =
        minibatch.io().stream().map(io -> Supervision.entries(io.features())).toList();
    EvaluationStep step =
        steps.get(
            new CompileCache.Key(request, Map.of("entries of targets", entries)),
            _ -> {
              ForwardBackward pass = compiler.pass(request);
              var made = new EvaluationStep(context, pass, minibatch, objectives, totals);
              cache.debug().accept(made::print);
              return made;
            });
    step.run(minibatch);
    if (accuracy) {
      step.outputs()
          .forEach((name, output) ->
              Accuracies.add(
                  accuracies.computeIfAbsent(name, _ -> new Accuracy()),
                  output,
                  minibatch.io().stream()
                      .filter(io -> io.name().equals(name))
                      .findFirst()
                      .orElseThrow()
                      .features(),
                  perDim));
    }
  }

  /** Returns the objectives, by output. */
  public Map<String, ObjectiveTotals.Value> objectives() {
    return totals.all();
  }

  /** Returns the accuracies, by output, over minibatches evaluated with accuracy. */
  public Map<String, Double> accuracies() {
    var all = new HashMap<String, Double>();
    accuracies.forEach((name, accuracy) -> all.put(name, accuracy.right / accuracy.weight));
    return all;
  }

  /** Returns lines about all minibatches so far. */
  public List<String> report() {
    List<String> lines = new ArrayList<>();
    objectives()
        .forEach((name, value) ->
            lines.add(
                "Overall %s for '%s' is %s per frame, over %s frames."
                    .formatted(
                        objectives.isLinear(name) ? "log-likelihood" : "objective",
                        name,
                        ObjectiveTotals.number(value.average()),
                        ObjectiveTotals.number(value.weight()))));
    accuracies.forEach((name, a) -> {
      lines.add(
          "Overall accuracy for '%s' is %s per frame, over %s frames."
              .formatted(
                  name,
                  ObjectiveTotals.number(a.right / a.weight),
                  ObjectiveTotals.number(a.weight)));
      if (perDim) {
        List<String> each = new ArrayList<>();
        for (int k = 0; k < a.weights.length; k++) {
          each.add(ObjectiveTotals.number(a.weights[k] == 0 ? -1 : a.rights[k] / a.weights[k]));
        }
        lines.add(
            "Overall per-dim accuracy vector for '%s' is  [ %s ] per frame, over %s frames."
                .formatted(
                    name,
                    each.stream().collect(Collectors.joining(" ")),
                    ObjectiveTotals.number(a.weight)));
      }
    });
    return lines;
  }
}
