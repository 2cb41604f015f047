package ristretto.kernels.driver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;

/** Operation counts and features of kernels, for profiles and explanations. */
public final class Work {
  private Work() {}

  /** Number of operations of one run. */
  public static long operations(Kernel kernel) {
    long points = kernel.space().product();
    return switch (kernel) {
      case Kernel.Map k -> points * k.tape().operations();
      case Kernel.Row k -> points * (k.tape().operations() + k.reductions().size());
      case Kernel.Scan k -> points * (k.tape().operations() + 1);
      case Kernel.Scatter k -> points * (k.tape().operations() + 1);
      case Kernel.Recurrence k -> points * k.tape().operations();
      case Kernel.Product _ -> 2 * points;
      case Kernel.FusedGemm k -> 2 * points + k.after().map(Work::operations).orElse(0L);
      case Kernel.Sort _ -> 0;
      case Kernel.Convolution k ->
          2 * points * (k.filters().product() / Math.max(1, k.filters().get(0)));
      case Kernel.Fourier _ -> 0;
    };
  }

  /** Returns the properties by which a cache miss is explained. */
  public static Map<String, String> features(Kernel kernel) {
    var features = new LinkedHashMap<String, String>();
    features.put("kind", kernel.kind());
    switch (kernel) {
      case Kernel.Map k -> describe(features, k.tape(), k.inputs(), "");
      case Kernel.Row k -> describe(features, k.tape(), k.inputs(), k.reductions().toString());
      case Kernel.Scan k ->
          describe(features, k.tape(), k.inputs(), k.op() + " " + k.reverse() + k.exclusive());
      case Kernel.Recurrence k ->
          describe(features, k.tape(), k.reads(), k.reverse() ? "reverse" : "");
      case Kernel.Scatter k -> describe(features, k.tape(), k.inputs(), k.op().name());
      case Kernel.Gemm k -> {
        features.put("operations", k.beta() == 0 ? "product" : "product and sum");
        features.put("dtype", k.type().label());
        features.put("layout", layout(List.of(k.a(), k.b(), k.c())));
      }
      case Kernel.FusedGemm k -> {
        features.putAll(features(k.gemm()));
        k.left().ifPresent(map -> features.put("left", features(map).toString()));
        k.right().ifPresent(map -> features.put("right", features(map).toString()));
        k.after().ifPresent(map -> features.put("after", features(map).toString()));
      }
      case Kernel.BlockGemm k -> {
        features.put("operations", "product");
        features.put("dtype", k.format().label());
      }
      case Kernel.Sort k -> {
        features.put("operations", k.descending() ? "descending" : "ascending");
        features.put("dtype", k.input().storage().label());
        features.put("layout", layout(List.of(k.input())));
      }
      case Kernel.Convolution k -> {
        features.put("operations", k.made() + " " + k.windows());
        features.put("dtype", k.type().label());
      }
      case Kernel.Fourier k -> features.put("dtype", k.type().label());
    }
    return features;
  }

  private static void describe(
      Map<String, String> features, Tape tape, List<Operand> inputs, String more) {
    features.put(
        "operations",
        tape.nodes().stream()
                .map(n ->
                    switch (n) {
                      case Node.Const c -> "const " + c.bits();
                      case Node.Input _ -> "input";
                      case Node.Apply a -> a.op().word();
                      case Node.Random r -> "random";
                      case Node.Call c -> c.function().name();
                    })
                .collect(Collectors.joining(" "))
            + more);
    features.put(
        "dtype", inputs.stream().map(o -> o.type().label()).collect(Collectors.joining(" ")));
    features.put("layout", layout(inputs));
  }

  /** Formats strides: 0, 1 or n. */
  private static String layout(List<? extends Operand> operands) {
    var words = new ArrayList<String>();
    for (Operand operand : operands) {
      switch (operand) {
        case Operand.Value _ -> words.add("scalar");
        case Operand.Index _ -> words.add("index");
        case Operand.Memory m -> {
          var word = new StringBuilder(m.gather().isPresent() ? "gathered" : "");
          for (long stride : m.map().strides().toArray()) {
            word.append(stride == 0 || stride == 1 ? "" + stride : "n");
          }
          words.add(word.toString() + (m.bounds().isEmpty() ? "" : "bounded"));
        }
      }
    }
    return "(" + String.join(" ", words) + ")";
  }
}
