package ristretto.nnet3.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * What each iteration of a training does, as Kaldi's scripts have it.
 *
 * @param archives of examples
 * @param all how many archives the training uses, the same one counted again and again
 * @param firstJobs networks side by side at the begin
 * @param lastJobs networks side by side at the end
 * @param step of what these numbers are multiples once they reach it
 * @param initialRate learning rate at the begin
 * @param finalRate learning rate at the end
 */
record Schedule(
    int archives,
    int all,
    int firstJobs,
    int lastJobs,
    int step,
    double initialRate,
    double finalRate) {
  static Schedule of(FitOptions.Plan plan, int archives) {
    int all = Math.max(1, (int) (plan.epochs() * archives));
    return new Schedule(
        archives,
        all,
        plan.workers(),
        plan.lastWorkers(),
        plan.workerStep(),
        plan.initialRate(),
        plan.finalRate());
  }

  int iterations() {
    return Math.max(1, 2 * all / (firstJobs + lastJobs));
  }

  /** How many networks an iteration trains. */
  int jobs(int iteration) {
    double jobs = firstJobs + (double) (lastJobs - firstJobs) * iteration / iterations();
    return jobs < step ? (int) (0.5 + jobs) : (int) (0.5 + jobs / step) * step;
  }

  /** How many archives were used before an iteration. */
  int used(int iteration) {
    int used = 0;
    for (int k = 0; k < iteration; k++) {
      used += jobs(k);
    }
    return used;
  }

  /** The part of the training that lies before an iteration. */
  double part(int iteration) {
    return Math.min(1, (double) used(iteration) / all);
  }

  /** How often the data were used before an iteration. */
  double epoch(int iteration) {
    return (double) used(iteration) / archives;
  }

  /** The learning rate of an iteration, which falls by the same factor from archive to archive. */
  double rate(int iteration) {
    if (iteration + 1 >= iterations()) {
      return finalRate;
    }
    return initialRate * Math.pow(finalRate / initialRate, (double) used(iteration) / all);
  }

  /**
   * After which iterations networks may be averaged, the last one first: those of half an epoch, or
   * more where that is little, but not of the first half of the training.
   *
   * @param most some are left out where they would be more
   */
  List<Integer> combined(int most) {
    int iterations = iterations();
    int half = Math.min((int) ((double) archives / lastJobs / 2) + 1, iterations / 2);
    var chosen = new TreeSet<Integer>(List.of(iterations));
    if (half > most) {
      for (int k = iterations - half + 1; k <= iterations; k += half / most) {
        chosen.add(k);
      }
    } else {
      for (int k = iterations - Math.min(most, iterations / 2) + 1; k <= iterations; k++) {
        chosen.add(k);
      }
    }
    return new ArrayList<>(chosen.descendingSet());
  }

  /** Sizes of minibatches for the first iteration, when a network changes fast: half of those. */
  static String halved(String sizes) {
    var to = new StringBuilder();
    for (String rule : sizes.split("(?<=[/])")) {
      int equals = rule.indexOf('=') + 1;
      to.append(rule, 0, equals);
      for (String part : rule.substring(equals).split("(?<=\\D)|(?=\\D)")) {
        to.append(part.matches("\\d{1,9}") ? Math.max(1, Integer.parseInt(part) / 2) : part);
      }
    }
    return to.toString();
  }
}
