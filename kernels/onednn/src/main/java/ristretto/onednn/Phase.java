package ristretto.onednn;

import java.util.List;

/**
 * Shares that may run at the same time.
 *
 * @param steps of each share
 * @param last of the last share, which may be of fewer images
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
