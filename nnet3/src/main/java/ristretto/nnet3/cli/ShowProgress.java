package ristretto.nnet3.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.CompilerOptions;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.options.UseGpuOption;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.ComputeProb;
import ristretto.nnet3.train.ObjectiveGradient;
import ristretto.nnet3.train.ObjectiveTotals;

/** Shows the differences between the parameters of two networks. */
final class ShowProgress extends Tool {
  ShowProgress() {
    super(
        "nnet3-show-progress",
        """
        Shows the difference between the parameters of two networks, by component. With examples,
        also shows the objective of the mean of both networks, and attributes the change of the
        objective to the components, to first order.

        Usage:  nnet3-show-progress [options] <old-net-in> <new-net-in> [<training-examples-in>]
        e.g.: nnet3-show-progress 1.nnet 2.nnet ark:valid.egs
        """,
        2,
        3);
    options.bool("debug-computation", false, "Accepted without effect; see --computation.debug");
  }

  private final Option<Integer> segments =
      options.integer(
          "num-segments",
          1,
          "Number of segments between the networks; derivatives are computed in each");
  private final Option<Boolean> accuracy =
      options.bool("compute-accuracy", true, "Log accuracies as well as objectives");
  private final Option<Boolean> perDim =
      options.bool("compute-per-dim-accuracy", false, "Log the accuracy of each class");
  private final UseGpuOption computation = new UseGpuOption(options);
  private final CompilerOptions compilation = new CompilerOptions(options);

  @Override
  public int run(List<String> arguments, CommandLog log) {
    Nnet before = Nnet.load(arguments.get(0));
    Nnet after = Nnet.load(arguments.get(1));
    if (before.parameterCount() != after.parameterCount()) {
      log.warning("Parameter-dim mismatch, cannot show progress.");
      return 0;
    }
    computation.tell(log);
    if (arguments.size() == 3) {
      objective(before, after, arguments.get(2), log);
    }
    Nnet difference = before.copy();
    difference.add(-1, after);
    Map<String, Double> changes = norms(difference);
    log.info("Parameter differences per layer are %s", list(changes));
    log.info("Norms of parameter matrices from <new-nnet-in> are %s", list(norms(after)));
    Map<String, Double> old = norms(before);
    changes.replaceAll((name, change) -> change / old.get(name));
    log.info("Relative parameter differences per layer are %s", list(changes));
    return 0;
  }

  private void objective(Nnet before, Nnet after, String rspecifier, CommandLog log) {
    if (segments.get() < 1) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "[options] --num-segments must be 1 or more; got %d; leave it out for the default.",
              segments.get()));
    }
    List<NnetExample> examples = new ArrayList<>();
    try (var reader = ExampleKind.NNET3.reader(rspecifier)) {
      while (reader.next()) {
        examples.add(reader.value());
      }
    }
    if (examples.isEmpty()) {
      throw new ShapeException(
          "[progress] there must be examples; got none in %s; give another archive."
              .formatted(rspecifier));
    }
    Map<String, Double> change = new LinkedHashMap<>();
    try (Context context = compilation.open()) {
      for (int s = 0; s < segments.get(); s++) {
        float middle = (s + 0.5f) / segments.get();
        Nnet between = after.copy();
        between.scale(middle);
        between.add(1 - middle, before);
        var prob =
            new ComputeProb(context, between, perDim.get(), compilation.cache(log))
                .lowering(compilation.lowering());
        examples.forEach(example -> prob.accept(example, accuracy.get()));
        prob.report().forEach(line -> log.info("%s", line));
        ObjectiveTotals.Value value = prob.objectives().get("output");
        if (value == null) {
          throw new ShapeException(
              "[progress] examples must have targets for \"output\"; got %s; give other examples."
                  .formatted(prob.objectives().keySet()));
        }
        log.info(
            "At position %s, objf per frame is %s",
            FloatText.of(middle, 6), FloatText.of(value.average(), 6));
        Nnet gradient =
            ObjectiveGradient.of(
                context, compilation.lowering(), between, examples, compilation.cache(log));
        Map<String, Double> old = products(gradient, before);
        double scale = 1 / value.weight() / segments.get();
        products(gradient, after)
            .forEach((name, product) ->
                change.merge(name, (product - old.get(name)) * scale, Double::sum));
      }
    }
    log.info("Total objf change per component is %s", list(change));
  }

  private static Map<String, Double> norms(Nnet nnet) {
    Map<String, Double> norms = products(nnet, nnet);
    norms.replaceAll((name, square) -> Math.sqrt(square));
    return norms;
  }

  /** Inner products of the parameters of two networks, by component. */
  static Map<String, Double> products(Nnet a, Nnet b) {
    var products = new LinkedHashMap<String, Double>();
    a.components()
        .forEach((name, component) -> {
          if (component instanceof UpdatableComponent one && one.parameterCount() > 0) {
            products.put(name, product(one, (UpdatableComponent) b.components().get(name)));
          }
        });
    return products;
  }

  private static double product(UpdatableComponent a, UpdatableComponent b) {
    List<float[]> left = a.parameters();
    List<float[]> right = b.parameters();
    double sum = 0;
    for (int k = 0; k < left.size(); k++) {
      float[] x = left.get(k);
      float[] y = right.get(k);
      for (int i = 0; i < x.length; i++) {
        sum += (double) x[i] * y[i];
      }
    }
    return sum;
  }

  static String list(Map<String, Double> values) {
    return values.entrySet().stream()
        .map(e -> e.getKey() + ":" + FloatText.of(e.getValue(), 6) + " ")
        .collect(Collectors.joining("", "[ ", "]"));
  }
}
