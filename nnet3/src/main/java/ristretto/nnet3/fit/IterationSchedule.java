package ristretto.nnet3.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Schedule of the iterations of a training, as in Kaldi's scripts.
 *
 * @param archives number of archives of examples
 * @param all number of archives to train on, counted once per epoch
 * @param firstJobs number of networks trained in parallel at the start
 * @param lastJobs number of networks trained in parallel at the end
 * @param step the number of networks is a multiple of this once it is reached
 * @param initialRate learning rate at the start
 * @param finalRate learning rate at the end
 */
record IterationSchedule(
    int archives,
    int all,
    int firstJobs,
    int lastJobs,
    int step,
    double initialRate,
    double finalRate) {
  /**
   * Creates a schedule.
   *
   * @param archives number of archives, counted once for each pass of an epoch
   */
  static IterationSchedule of(FitOptions.Plan plan, int archives) {
    int all = Math.max(1, (int) (plan.epochs() * archives));
    return new IterationSchedule(
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

  /** Number of networks that an iteration trains. */
  int jobs(int iteration) {
    double jobs = firstJobs + (double) (lastJobs - firstJobs) * iteration / iterations();
    return jobs < step ? (int) (0.5 + jobs) : (int) (0.5 + jobs / step) * step;
  }

  /** Number of archives used before an iteration. */
  int used(int iteration) {
    int used = 0;
    for (int k = 0; k < iteration; k++) {
      used += jobs(k);
    }
    return used;
  }

  /** Fraction of the training completed before an iteration, from 0 to 1. */
  double part(int iteration) {
    return Math.min(1, (double) used(iteration) / all);
  }

  /** Number of epochs completed before an iteration. */
  double epoch(int iteration) {
    return (double) used(iteration) / archives;
  }

  /** Learning rate of an iteration; it decays by the same factor per archive. */
  double rate(int iteration) {
    if (iteration + 1 >= iterations()) {
      return finalRate;
    }
    return initialRate * Math.pow(finalRate / initialRate, (double) used(iteration) / all);
  }

  /**
   * Returns the iterations whose networks may be averaged, the last one first: those of half an
   * epoch, or more if that is few, but none of the first half of the training.
   *
   * @param most approximate maximum number; further ones are skipped evenly
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

  /**
   * Returns half of the minibatch sizes, for the first iteration, in which a network changes fast.
   */
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
