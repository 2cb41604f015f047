package ristretto.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.file.ElementType;
import ristretto.onnx.file.Proto;
import ristretto.onnx.file.ProtoReader;
import ristretto.symbolic.onnx.OnnxException;

/**
 * The ONNX project's node tests: cases whose inputs and outputs are dense tensors of numbers, with
 * the types that Ristretto or its emulation has. Needs the folder onnx/backend/test/data/node of
 * the project's repository: {@code -Donnx.nodes=FOLDER}.
 */
class NodeCasesTest {
  /** Least share of cases that pass. */
  private static final double SHARE = 0.9;

  private static final List<ElementType> SMALL =
      List.of(ElementType.INT4, ElementType.UINT4, ElementType.INT2, ElementType.UINT2);

  private enum Outcome {
    PASSED,
    FAILED,
    REFUSED
  }

  /** Number of cases by operator and outcome. */
  private final Map<String, int[]> table = new TreeMap<>();

  private final List<String> notes = new ArrayList<>();

  @Test
  void most() throws IOException {
    String folder = System.getProperty("ristretto.onnx.nodes", "");
    assumeTrue(!folder.isEmpty(), "-Donnx.nodes=FOLDER names no folder of the ONNX node tests");
    String only = System.getProperty("ristretto.onnx.only", "");
    int other = 0;
    try (var all = Files.list(Path.of(folder))) {
      for (Path c : all.sorted().toList()) {
        if (!c.getFileName().toString().contains(only)) {
          continue;
        }
        if (isOfNumbers(c)) {
          run(c);
        } else {
          other++;
        }
      }
    }
    int[] sum = new int[Outcome.values().length];
    System.out.printf("%-32s %7s %7s %7s%n", "operator", "passed", "failed", "refused");
    table.forEach((operator, counts) -> {
      System.out.printf("%-32s %7d %7d %7d%n", operator, counts[0], counts[1], counts[2]);
      for (int k = 0; k < sum.length; k++) {
        sum[k] += counts[k];
      }
    });
    System.out.printf("%-32s %7d %7d %7d%n", "all", sum[0], sum[1], sum[2]);
    System.out.printf("%d cases of other kinds of values not run%n", other);
    notes.forEach(System.out::println);
    assertThat(sum[0] / (double) (sum[0] + sum[1] + sum[2])).isGreaterThanOrEqualTo(SHARE);
  }

  /** Returns true if all inputs and outputs are dense tensors of supported numbers. */
  private static boolean isOfNumbers(Path folder) {
    try {
      Proto.Model model = ProtoReader.model(folder.resolve("model.onnx"));
      var all = new ArrayList<>(model.graph().inputs());
      all.addAll(model.graph().outputs());
      return model.graph().nodes().stream().allMatch(n -> n.domain().isEmpty())
          && all.stream()
              .allMatch(d ->
                  d.kind().equals("tensor") && d.type().isSupported() && !SMALL.contains(d.type()));
    } catch (OnnxException e) {
      return false;
    }
  }

  private void run(Path folder) throws IOException {
    String operator =
        ProtoReader.model(folder.resolve("model.onnx")).graph().nodes().stream()
            .map(Proto.Node::operator)
            .distinct()
            .reduce((a, b) -> "(several)")
            .orElse("(none)");
    Outcome outcome;
    try (Context ctx = Context.open("cpu")) {
      String difference = difference(ctx, folder);
      outcome = difference.isEmpty() ? Outcome.PASSED : Outcome.FAILED;
      if (!difference.isEmpty()) {
        notes.add("failed  " + folder.getFileName() + ": " + difference);
      }
    } catch (OnnxException e) {
      outcome = Outcome.REFUSED;
      notes.add("refused " + folder.getFileName() + ": " + e.getMessage());
    } catch (RuntimeException | Error e) {
      outcome = Outcome.FAILED;
      notes.add("failed  " + folder.getFileName() + ": " + e);
    }
    table.computeIfAbsent(operator, _ -> new int[Outcome.values().length])[outcome.ordinal()]++;
  }

  private static String difference(Context ctx, Path folder) throws IOException {
    Model model = Onnx.load(ctx, folder.resolve("model.onnx"));
    Path data = folder.resolve("test_data_set_0");
    List<Proto.Tensor> given = tensors(data, "input_");
    List<String> names = model.inputs();
    var inputs = new LinkedHashMap<String, Expr<?>>();
    for (int k = 0; k < names.size(); k++) {
      inputs.put(names.get(k), NodeCall.constant(ctx, given.get(k)).expr());
    }
    Map<String, Tensor<?>> found = model.run(inputs);
    List<Proto.Tensor> wanted = tensors(data, "output_");
    List<Tensor<?>> results = List.copyOf(found.values());
    for (int k = 0; k < wanted.size(); k++) {
      Tensor<?> expected = (Tensor<?>) (Expr<?>) NodeCall.constant(ctx, wanted.get(k)).expr();
      String difference = difference(expected, results.get(k));
      if (!difference.isEmpty()) {
        return difference;
      }
    }
    return "";
  }

  private static List<Proto.Tensor> tensors(Path data, String prefix) {
    var all = new ArrayList<Proto.Tensor>();
    for (int k = 0; Files.exists(data.resolve(prefix + k + ".pb")); k++) {
      all.add(ProtoReader.tensor(data.resolve(prefix + k + ".pb")));
    }
    return all;
  }

  private static String difference(Tensor<?> expected, Tensor<?> found) {
    if (expected.dtype() != (Object) found.dtype() || !expected.shape().equals(found.shape())) {
      return "expected %s%s, got %s%s"
          .formatted(expected.dtype(), expected.shape(), found.dtype(), found.shape());
    }
    if (!expected.dtype().isFloat()) {
      return java.util.Arrays.equals(expected.toByteArray(), found.toByteArray())
          ? ""
          : "other integers";
    }
    double[] a = numbers(expected);
    double[] b = numbers(found);
    double relative = expected.dtype().bytes() == 2 ? 1e-2 : 1e-3;
    for (int k = 0; k < a.length; k++) {
      boolean close =
          Double.compare(a[k], b[k]) == 0
              || Math.abs(a[k] - b[k]) <= 1e-5 + relative * Math.abs(a[k]);
      if (!close) {
        return "element %d is %s in place of %s".formatted(k, b[k], a[k]);
      }
    }
    return "";
  }

  private static double[] numbers(Tensor<?> t) {
    return t.context().eval(t.cast(Ops.F64)).toDoubleArray();
  }
}
