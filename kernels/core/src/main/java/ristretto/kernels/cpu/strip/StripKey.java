package ristretto.kernels.cpu.strip;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;

/**
 * Cache key of compiled strips: everything that {@link LowerForStrips} and the code generator
 * depend on.
 *
 * @param tape tape before lowering, with Random and BOOL operands
 * @param inputs access class by input slot
 * @param stores for tape output k: {@link StripSpec#STORE}, or the slot of its accumulator
 * @param narrowed I64 index slots whose values fit in 32 bits
 * @param folding accumulators that the strip initializes and folds
 */
public record StripKey(
    Tape tape,
    List<StripSpec.Access> inputs,
    List<Integer> stores,
    List<Integer> narrowed,
    AccumulatorFolds folding) {
  public StripKey {
    inputs = List.copyOf(inputs);
    stores = List.copyOf(stores);
    narrowed = List.copyOf(narrowed);
  }

  public StripKey(
      Tape tape, List<StripSpec.Access> inputs, List<Integer> stores, List<Integer> narrowed) {
    this(tape, inputs, stores, narrowed, AccumulatorFolds.NONE);
  }

  /** Returns the properties by which a cache miss is explained. */
  public Map<String, String> features() {
    var features = new LinkedHashMap<String, String>();
    features.put("operations", words(false));
    features.put("dtype", words(true));
    features.put(
        "layout",
        inputs.stream()
            .map(a -> a.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(" ", "(", ")")));
    features.put("outputs", stores.size() + "");
    features.put("index width", narrowed.isEmpty() ? "64" : "32");
    features.put("folds", folding.folds().isEmpty() ? "none" : folding.toString());
    return features;
  }

  private String words(boolean types) {
    return tape.nodes().stream()
        .filter(n -> !types || n instanceof Node.Input)
        .map(n ->
            types
                ? n.type().label()
                : switch (n) {
                  case Node.Const c ->
                      "const " + (c.type().isFloat() ? "" + c.asDouble() : "" + c.bits());
                  case Node.Input in -> "input";
                  case Node.Apply a -> a.op().word() + a.a() + "," + a.b() + "," + a.c();
                  case Node.Random r -> "random";
                  case Node.Call c -> "call " + c.function().hashCode();
                })
        .collect(Collectors.joining(" "));
  }
}
