package ristretto.nnet3.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.network.Nnet;

/** Averages the parameters and statistics of networks. */
final class NnetAverage extends Tool {
  private static final double CLOSE_TO_ONE = 0.01;

  NnetAverage() {
    super(
        "nnet3-average",
        """
        Averages the parameters and statistics of raw networks.

        Usage:  nnet3-average [options] <model1> <model2> ... <modelN> <model-out>

        e.g.:
         nnet3-average 1.1.nnet 1.2.nnet 1.3.nnet 2.nnet
        """,
        2,
        Integer.MAX_VALUE);
  }

  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary model");
  private final Option<String> weights =
      options.string(
          "weights", "", "Colon-separated weights of the models; normalized to a sum of one");
  private final Option<Integer> threads =
      options.integer("num-threads", -1, "Has no effect: models are read in turn");

  @Override
  public int run(List<String> arguments, CommandLog log) {
    if (threads.get() > 1) {
      log.warning("The option --num-threads has no effect.");
    }
    int count = arguments.size() - 1;
    float[] factors = factors(count, log);
    Nnet average = Nnet.load(arguments.get(0));
    average.scale(factors[0]);
    for (int k = 1; k < count; k++) {
      average.add(factors[k], Nnet.load(arguments.get(k)));
    }
    average.save(arguments.get(count), binary.get());
    log.info("Averaged parameters of %d neural nets, and wrote to %s", count, arguments.get(count));
    return 0;
  }

  private float[] factors(int count, CommandLog log) {
    var factors = new float[count];
    String text = weights.get();
    if (text.isEmpty()) {
      Arrays.fill(factors, 1f / count);
      return factors;
    }
    String[] parts = text.split(":", -1);
    float sum = 0;
    try {
      for (int k = 0; k < count && parts.length == count; k++) {
        factors[k] = Float.parseFloat(parts[k]);
        sum += factors[k];
      }
    } catch (NumberFormatException _) {
      sum = 0;
    }
    if (!(sum != 0) || parts.length != count) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "[options] --weights must be %d colon-separated numbers with a non-zero sum; got"
                  + " \"%s\"; write, for example, 1:2:1.",
              count,
              text));
    }
    for (int k = 0; k < count; k++) {
      factors[k] /= sum;
    }
    if (Math.abs(sum - 1) > CLOSE_TO_ONE) {
      log.warning("Normalizing weights to sum to one, sum was %s", FloatText.of(sum, 6));
    }
    return factors;
  }
}
