package ristretto.nnet3.tool;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.io.FloatText;

/** Shows how far apart two networks are. */
final class ShowProgress implements Tool {
  private final Options options =
      new Options(
          "nnet3-show-progress",
          """
          Shows by how much the parameters of two networks differ, by component.

          Usage:  nnet3-show-progress [options] <old-net-in> <new-net-in>
          e.g.: nnet3-show-progress 1.nnet 2.nnet
          """);

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(2, 2);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    Nnet before = Nnet.load(arguments.get(0));
    Nnet after = Nnet.load(arguments.get(1));
    if (before.parameterCount() != after.parameterCount()) {
      log.warning("Parameter-dim mismatch, cannot show progress.");
      return 0;
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

  private static Map<String, Double> norms(Nnet nnet) {
    Map<String, Double> norms = products(nnet, nnet);
    norms.replaceAll((name, square) -> Math.sqrt(square));
    return norms;
  }

  /** The inner products of parameters, by component. */
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
