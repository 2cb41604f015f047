package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.Rematerialization;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.DeviceParameters;

/** Outputs of all vectors, beside Kaldi's, on the device of -Dristretto.test.device. */
class VectorOutputsTest {
  /** One vector of so many is computed: -Dristretto.test.each, for devices that compile slowly. */
  private static final int EACH = Integer.getInteger("ristretto.test.each", 1);

  @Test
  void areKaldis() {
    check(TestDevice.NAME, EACH, LoweringOptions.AUTOMATIC);
  }

  /** A few times after the others, where there are any to be left for later. */
  @Test
  void areKaldisInBlocks() {
    check(TestDevice.NAME, EACH, 2);
  }

  /** Some of them: kernels take long to compile there. */
  @Test
  void areKaldisOnOpencl() {
    assumeTrue(TestDevice.NAME.equals("cpu"));
    check("opencl", 16, LoweringOptions.AUTOMATIC);
  }

  private static void check(String device, int each, int block) {
    var failed = new ArrayList<String>();
    List<String> all =
        Vectors.casesWith("output.txt").stream()
            .filter(name -> Vectors.has(name, "request.txt"))
            .toList();
    var cases = new ArrayList<String>();
    for (int k = 0; k < all.size(); k += each) {
      cases.add(all.get(k));
    }
    try (Context context = TestDevice.open(device)) {
      for (String name : cases) {
        String problem = problem(name, context, block);
        if (problem != null) {
          failed.add(name + ": " + problem);
        }
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%d of %d vectors have Kaldi's outputs on %s%n",
        cases.size() - failed.size(),
        cases.size(),
        device);
    assertThat(failed).isEmpty();
  }

  private static String problem(String name, Context context, int block) {
    try {
      var deviceParameters = new DeviceParameters(context);
      deviceParameters.lowering(
          new LoweringOptions(Rematerialization.CHEAP, true, true, true, block));
      ComputationRequest request = Cases.request(name);
      if (block != LoweringOptions.AUTOMATIC) {
        request = request.withoutDerivatives();
      }
      Computation computation = Computation.compile(Cases.nnet(name), request, deviceParameters);
      computation.check();
      Map<String, Matrix> got = computation.run(Cases.matrices(name, "input.txt"));
      for (var want : Cases.matrices(name, "output.txt").entrySet()) {
        double error = error(got.get(want.getKey()), want.getValue());
        if (!(error < tolerance(name))) {
          return want.getKey() + " differs by " + error;
        }
      }
      return null;
    } catch (RuntimeException e) {
      StackTraceElement[] at = e.getStackTrace();
      return e + (at.length == 0 ? "" : " at " + at[0] + " " + mine(at));
    }
  }

  private static String mine(StackTraceElement[] at) {
    for (StackTraceElement e : at) {
      if (e.getClassName().startsWith("ristretto.nnet3")) {
        return e.toString();
      }
    }
    return "";
  }

  /** Less where no exponential or logarithm is taken. */
  private static double tolerance(String name) {
    return Cases.nnet(name).components().values().stream()
            .anyMatch(c ->
                c.info()
                    .matches("(?s).*(Sigmoid|Tanh|Softmax|Nonlinearity|Attention|log|Pooling).*"))
        ? 1e-4
        : 1e-5;
  }

  private static double error(Matrix got, Matrix want) {
    if (got.rows() != want.rows() || got.cols() != want.cols()) {
      return Double.POSITIVE_INFINITY;
    }
    double most = 0;
    double scale = 0;
    for (int k = 0; k < want.data().length; k++) {
      double difference = Math.abs(got.data()[k] - want.data()[k]);
      most = Double.isNaN(difference) ? Double.NaN : Math.max(most, difference);
      scale = Math.max(scale, Math.abs(want.data()[k]));
    }
    return most / Math.max(scale, 1e-3);
  }
}
