package ristretto.nnet3.random;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.option.Optimization;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/** Results of a network: outputs, derivatives by inputs and parameters, and statistics, by name. */
record Outcome(Map<String, float[]> numbers) {
  static Outcome of(RandomNet net, Context context) {
    return of(net, context, Set.of(), LoweringOptions.DEFAULT);
  }

  static Outcome of(
      RandomNet net, Context context, Set<Optimization> without, LoweringOptions lowering) {
    context.without(without);
    try {
      var deviceParameters = new DeviceParameters(context);
      deviceParameters.lowering(lowering);
      Computation computation = Computation.compile(net.nnet(), net.request(), deviceParameters);
      computation.check();
      deviceParameters.seed(net.seed());
      var numbers = new LinkedHashMap<String, float[]>();
      add(numbers, "output ", computation.run(net.given()));
      if (computation.backward() != null) {
        add(numbers, "derivative of ", computation.backward(net.derivatives()));
      }
      if (net.request().needModelDerivative() || net.request().storeComponentStats()) {
        components(numbers, computation.gradient());
      }
      return new Outcome(numbers);
    } finally {
      context.without(EnumSet.noneOf(Optimization.class));
    }
  }

  private static void add(Map<String, float[]> to, String what, Map<String, Matrix> all) {
    all.forEach((name, matrix) -> to.put(what + name, matrix.data()));
  }

  private static void components(Map<String, float[]> to, Nnet gradient) {
    gradient
        .components()
        .forEach((name, component) -> {
          if (component instanceof UpdatableComponent u) {
            int k = 0;
            for (float[] parameter : u.parameters()) {
              to.put("gradient of " + name + "[" + k++ + "]", parameter);
            }
          }
          byte[] text = KaldiOutput.bytes(false, component::write);
          to.put("text of " + name, numbers(new String(text, StandardCharsets.UTF_8)));
        });
  }

  private static float[] numbers(String text) {
    var all = new ArrayList<Float>();
    for (String word : text.split("\\s+")) {
      try {
        all.add(Float.parseFloat(word));
      } catch (NumberFormatException e) {
        // a word
      }
    }
    var numbers = new float[all.size()];
    for (int k = 0; k < numbers.length; k++) {
      numbers[k] = all.get(k);
    }
    return numbers;
  }

  /** In what another differs, by more than rounding; empty if in nothing. */
  List<String> differences(Outcome other, double tolerance) {
    var found = new ArrayList<String>();
    if (!numbers.keySet().equals(other.numbers.keySet())) {
      found.add("has " + numbers.keySet() + ", not " + other.numbers.keySet());
      return found;
    }
    numbers.forEach((name, mine) -> {
      double off = distance(mine, other.numbers.get(name));
      if (!(off <= tolerance)) {
        found.add(name + " differs by " + (float) off);
      }
    });
    return found;
  }

  /** Relative to the norm; what is almost zero counts little. */
  static double distance(float[] a, float[] b) {
    if (a.length != b.length) {
      return Double.POSITIVE_INFINITY;
    }
    double difference = 0;
    double norm = 0;
    for (int k = 0; k < a.length; k++) {
      difference += (a[k] - (double) b[k]) * (a[k] - b[k]);
      norm += a[k] * (double) a[k] + b[k] * (double) b[k];
    }
    return Math.sqrt(difference) / Math.max(Math.sqrt(norm), 0.03 * Math.sqrt(a.length + 1));
  }
}
