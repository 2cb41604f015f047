package ristretto.nnet3.cli;

import java.util.List;
import java.util.Locale;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.network.AmNnet;

/** Sets the priors of an acoustic model. */
final class NnetAmAdjustPriors extends Tool {
  NnetAmAdjustPriors() {
    super(
        "nnet3-am-adjust-priors",
        """
        Sets the priors of an acoustic model to the average posteriors of its network on typical
        data. The vector is the sum of the posteriors, or a multiple of the sum.

        Usage: nnet3-am-adjust-priors [options] <nnet-in> <summed-posterior-vector-in> <nnet-out>
        e.g.:
         nnet3-am-adjust-priors final.mdl counts.vec final.mdl
        """,
        3,
        3);
  }

  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary model");
  private final Option<Float> floor =
      options.real("prior-floor", 1e-15f, "Lower limit of priors, to avoid division by zero");

  @Override
  public int run(List<String> arguments, CommandLog log) {
    AmNnet model = AmNnet.load(arguments.get(0));
    float[] priors;
    try (KaldiInput in = KaldiInput.open(arguments.get(1))) {
      priors = in.readVector();
    }
    double sum = 0;
    for (float prior : priors) {
      sum += prior;
    }
    if (!(sum > 0) || sum == Double.POSITIVE_INFINITY) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[priors] posteriors must have a sum above 0; got %s of %d elements; compute them"
                  + " again.",
              sum,
              priors.length));
    }
    for (int k = 0; k < priors.length; k++) {
      priors[k] = Math.max(floor.get(), (float) (priors[k] / sum));
    }
    AmNnet adjusted = model.withPriors(priors);
    tell(model.priors(), priors, log);
    adjusted.save(arguments.get(2), binary.get());
    log.info("Modified priors of neural network model and wrote it to %s", arguments.get(2));
    return 0;
  }

  private static void tell(float[] before, float[] after, CommandLog log) {
    if (before.length == 0) {
      log.info("Model did not previously have priors attached.");
      return;
    }
    int most = 0;
    double sum = 0;
    for (int k = 0; k < before.length; k++) {
      sum += before[k];
      if (Math.abs(after[k] - before[k]) > Math.abs(after[most] - before[most])) {
        most = k;
      }
    }
    double divergence = 0;
    for (int k = 0; k < before.length; k++) {
      double p = before[k] / sum;
      divergence += p == 0 ? 0 : p * Math.log(p / after[k]);
    }
    log.info(
        "Adjusting priors: largest absolute difference was for pdf %d, %s -> %s",
        most, FloatText.of(before[most], 6), FloatText.of(after[most], 6));
    log.info("Adjusting priors: K-L divergence from old to new is %s", FloatText.of(divergence, 6));
  }
}
