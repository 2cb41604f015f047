package ristretto.nnet3.chain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import ristretto.expr.Context;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.compile.CompileCache;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/**
 * Average chain objectives of a network on examples.
 *
 * <p>Source: Kaldi, {@code nnet3/nnet-chain-diagnostics.cc}.
 */
public final class ChainProb {
  private static final int DIGITS = 6;

  private final Nnet nnet;
  private final boolean xent;
  private final ChainLoss loss;
  private final DeviceParameters parameters;
  private final CompileCache<Computation> computations;
  private final Map<String, Total> totals = new TreeMap<>();

  /**
   * Sums over the examples so far.
   *
   * @param weight number of frames, weighted by the supervision
   * @param objective objective
   * @param l2Term penalty on squares of the outputs
   * @param numerator log-probability of the supervisions, weighted
   * @param denominator log-probability of all phone strings, weighted
   */
  public record Total(
      double weight, double objective, double l2Term, double numerator, double denominator) {
    private Total plus(Total other) {
      return new Total(
          weight + other.weight,
          objective + other.objective,
          l2Term + other.l2Term,
          numerator + other.numerator,
          denominator + other.denominator);
    }

    /** Objective per frame, without the penalty. */
    public double average() {
      return objective / weight;
    }
  }

  /** Creates totals of zero. */
  public ChainProb(
      Context context,
      Nnet nnet,
      DenominatorGraph graph,
      ChainOptions options,
      LoweringOptions lowering,
      CacheSettings cache) {
    this.nnet = nnet;
    this.xent = options.xentRegularize() != 0;
    this.loss = new ChainLoss(context, graph, options);
    this.parameters = new DeviceParameters(context);
    parameters.lowering(lowering);
    this.computations = new CompileCache<>("computation", cache);
  }

  /** Evaluates an example or a minibatch. */
  public void accept(ChainExample example) {
    var key = new CompileCache.Key(example.request(nnet, xent), Map.of());
    Computation computation =
        computations.get(key, made -> Computation.compile(nnet, made.request(), parameters));
    var inputs = new HashMap<String, Matrix>();
    for (NnetIo input : example.inputs()) {
      inputs.put(input.name(), input.features().toMatrix());
    }
    Map<String, Matrix> outputs = computation.run(inputs);
    for (ChainExample.Output output : example.outputs()) {
      ChainObjective result = loss.of(output.supervision(), outputs.get(output.name()));
      float weight = output.supervision().weight();
      add(
          output.name(),
          new Total(
              result.weight(),
              result.objective(),
              result.l2Term(),
              (output.supervision().endToEnd() ? 1 : weight) * result.numeratorLogProb(),
              weight * result.denominatorLogProb()));
      if (xent) {
        double objective = product(outputs.get(output.xentName()), result.xentDerivative());
        add(output.xentName(), new Total(result.weight(), objective, 0, 0, 0));
      }
    }
  }

  private void add(String name, Total total) {
    totals.merge(name, total, Total::plus);
  }

  private static double product(Matrix a, Matrix b) {
    double sum = 0;
    for (int k = 0; k < a.data().length; k++) {
      sum += (double) a.data()[k] * b.data()[k];
    }
    return sum;
  }

  /** Returns the sums, by output. */
  public Map<String, Total> totals() {
    return Map.copyOf(totals);
  }

  /** Returns a line for each output. */
  public List<String> report() {
    var lines = new ArrayList<String>();
    totals.forEach((name, total) -> {
      String average = number(total.average());
      if (total.l2Term != 0) {
        average +=
            " + %s = %s"
                .formatted(
                    number(total.l2Term / total.weight),
                    number((total.objective + total.l2Term) / total.weight));
      }
      lines.add(
          "Overall log-probability for '%s' is %s per frame, over %s frames."
              .formatted(name, average, number(total.weight)));
    });
    // As in Kaldi, "output-xent" comes before "output".
    return lines.reversed();
  }

  private static String number(double value) {
    return FloatText.of(value, DIGITS);
  }
}
