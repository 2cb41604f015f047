package ristretto.onednn;

import java.util.List;

/**
 * Tasks that may run in parallel.
 *
 * @param shares number of tasks
 * @param steps steps of each task but the last
 * @param last steps of the last task, whose block may have fewer images
 */
record Phase(int shares, List<Step> steps, List<Step> last) {
  Phase {
    steps = List.copyOf(steps);
    last = List.copyOf(last);
  }

  Phase(int shares, List<Step> steps) {
    this(shares, steps, steps);
  }
}
