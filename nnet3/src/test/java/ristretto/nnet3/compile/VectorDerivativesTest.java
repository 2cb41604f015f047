package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.nnet3.Component;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.VectorNets;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.nnet3.step.GradientTensors;

/** Derivatives by inputs and parameters of all vectors, beside Kaldi's. */
class VectorDerivativesTest {
  /** Kaldi draws what statistics to make or keep, or keeps those of parts. */
  private static final String RANDOM =
      "comp-Composite|.*Gru.*|.*gru.*|x-b?lstm|x-lstmp?(b|-batchnorm|-delay1)?|rnn-.*|rand-35"
          + "|.*BatchNorm-test.*|stats-BatchNorm|x-tdnnf-test|x-xvector.*|x-specaugment|x-blstm.*";

  @Test
  void areKaldis() {
    var failed = new ArrayList<String>();
    List<String> cases = Vectors.casesWith("outderiv.txt");
    try (Context context = Context.open("cpu")) {
      for (String name : cases) {
        check(name, context, failed);
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%d of %d vectors have Kaldi's derivatives%n",
        cases.size() - failed.size(),
        cases.size());
    assertThat(failed).isEmpty();
  }

  private static void check(String name, Context context, List<String> failed) {
    var problems = new ArrayList<String>();
    try {
      Nnet nnet = Cases.nnet(name);
      ComputationRequest request = Cases.request(name);
      if (!request.needDerivatives()) {
        return;
      }
      Computation computation = Computation.compile(nnet, request, new DeviceParameters(context));
      computation.run(Cases.matrices(name, "input.txt"));
      Map<String, Matrix> got = computation.backward(Cases.matrices(name, "outderiv.txt"));
      if (Vectors.has(name, "inderiv.txt")) {
        for (var want : Cases.matrices(name, "inderiv.txt").entrySet()) {
          Matrix mine = got.get(want.getKey());
          if (mine == null) {
            problems.add(want.getKey() + " has no derivative");
          } else {
            compare(want.getKey(), mine.data(), want.getValue().data(), 1e-3, problems);
          }
        }
      }
      Nnet gradient = VectorNets.gradient(name);
      if (gradient != null && request.needModelDerivative()) {
        parameters(nnet, computation.gradients(), gradient, problems);
        if (!name.matches(RANDOM)) {
          statistics(computation.gradient(), gradient, problems);
        }
      }
    } catch (RuntimeException | AssertionError e) {
      problems.add(e + " at " + mine(e.getStackTrace()));
    }
    if (!problems.isEmpty()) {
      failed.add(name + ": " + problems);
    }
  }

  private static void parameters(Nnet nnet, GradientTensors got, Nnet want, List<String> problems) {
    nnet.components()
        .forEach((name, component) -> {
          if (component instanceof UpdatableComponent u) {
            List<float[]> mine = u.parameters();
            Component other = want.components().get(name);
            List<float[]> theirs = ((UpdatableComponent) other).parameters();
            // Biases before a normalization have derivatives that are zero but for rounding.
            double least = 1e-3;
            for (float[] all : theirs) {
              least = Math.max(least, 0.01 * largest(all));
            }
            for (int k = 0; k < mine.size(); k++) {
              compare(
                  name + "[" + k + "]", got.gradient(mine.get(k)), theirs.get(k), least, problems);
            }
          }
        });
  }

  /** Everything else: settings, statistics, and the form of the text. */
  private static void statistics(Nnet got, Nnet want, List<String> problems) {
    got.components()
        .forEach((name, component) -> {
          String[] mine = words(component);
          String[] theirs = words(want.components().get(name));
          for (int k = 0; k < Math.min(mine.length, theirs.length); k++) {
            if (!isClose(mine[k], theirs[k])) {
              int from = Math.max(0, k - 8);
              problems.add(
                  "%s has %s, not %s, after %s"
                      .formatted(
                          name,
                          mine[k],
                          theirs[k],
                          String.join(" ", Arrays.asList(mine).subList(from, k))));
              return;
            }
          }
        });
  }

  private static String[] words(Component component) {
    byte[] text = KaldiOutput.bytes(false, component::write);
    return new String(text, StandardCharsets.UTF_8).split("\\s+");
  }

  private static boolean isClose(String a, String b) {
    if (a.equals(b)) {
      return true;
    }
    try {
      double x = Double.parseDouble(a);
      double y = Double.parseDouble(b);
      return Math.abs(x - y) <= 2e-3 * Math.max(0.1, Math.max(Math.abs(x), Math.abs(y)));
    } catch (NumberFormatException e) {
      return false;
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

  private static double largest(float[] all) {
    double most = 0;
    for (float v : all) {
      most = Math.max(most, Math.abs(v));
    }
    return most;
  }

  private static void compare(
      String what, float[] got, float[] want, double least, List<String> problems) {
    if (got.length != want.length) {
      problems.add(what + " has " + got.length + " numbers instead of " + want.length);
      return;
    }
    double most = 0;
    double scale = Math.max(least, largest(want));
    for (int k = 0; k < want.length; k++) {
      double difference = Math.abs(got[k] - want[k]);
      most = Double.isNaN(difference) ? Double.NaN : Math.max(most, difference);
    }
    if (!(most / scale < 1e-3)) {
      problems.add(what + " differs by " + (float) (most / scale) + " of " + scale);
    }
  }
}
