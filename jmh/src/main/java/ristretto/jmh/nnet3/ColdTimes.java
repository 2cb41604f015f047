package ristretto.jmh.nnet3;

import java.io.IOException;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Times of a request in a new process, in milliseconds except {@code warmSeconds}.
 *
 * @param compile first compilation
 * @param round1 first computation
 * @param round3 third computation, or NaN
 * @param round10 tenth computation, or NaN
 * @param best fastest computation
 * @param warmSeconds computing time in seconds until a computation takes at most 1.15 times the
 *     best
 */
record ColdTimes(
    double compile, double round1, double round3, double round10, double best, double warmSeconds) {
  private static final Pattern COMPILED = Pattern.compile("Compiled in ([0-9.]+) ms");
  private static final Pattern ROUND = Pattern.compile("([0-9.]+) ms \\(round ([0-9]+)\\)");
  private static final Pattern BEST =
      Pattern.compile(
          "([0-9.]+) ms \\(best of [0-9]+\\); within 15 % of the best after ([0-9.]+) s");

  /** Parses the log of {@code nnet3-compile --seconds}. */
  static ColdTimes parse(String log) throws IOException {
    Matcher compiled = COMPILED.matcher(log);
    Matcher best = BEST.matcher(log);
    if (!compiled.find() || !best.find()) {
      throw new IOException("nnet3-compile must log times of compiling and computing; got " + log);
    }
    return new ColdTimes(
        Double.parseDouble(compiled.group(1)),
        round(log, 1).orElse(Double.NaN),
        round(log, 3).orElse(Double.NaN),
        round(log, 10).orElse(Double.NaN),
        Double.parseDouble(best.group(1)),
        Double.parseDouble(best.group(2)));
  }

  private static OptionalDouble round(String log, int number) {
    return ROUND
        .matcher(log)
        .results()
        .filter(m -> Integer.parseInt(m.group(2)) == number)
        .mapToDouble(m -> Double.parseDouble(m.group(1)))
        .findFirst();
  }

  /** Returns the median of each figure over several processes. */
  static ColdTimes median(List<ColdTimes> all) {
    return new ColdTimes(
        median(all, ColdTimes::compile),
        median(all, ColdTimes::round1),
        median(all, ColdTimes::round3),
        median(all, ColdTimes::round10),
        median(all, ColdTimes::best),
        median(all, ColdTimes::warmSeconds));
  }

  private static double median(List<ColdTimes> all, ToDoubleFunction<ColdTimes> figure) {
    return all.stream().mapToDouble(figure).sorted().toArray()[all.size() / 2];
  }
}
