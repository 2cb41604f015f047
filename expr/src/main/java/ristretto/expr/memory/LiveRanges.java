package ristretto.expr.memory;

/** Live ranges of memory blocks, in steps of a plan. */
final class LiveRanges {
  final int[] first;
  final int[] last;

  /** Result that a block becomes in place, by block; -1 for none. */
  final int[] into;

  /** Step that writes a result, by result. */
  final int[] until;

  /** Number of steps: one more than the last step of all blocks. */
  final int steps;

  LiveRanges(int[] first, int[] last, int[] into, int[] until) {
    this.first = first;
    this.last = last;
    this.into = into;
    this.until = until;
    int end = 0;
    for (int step : last) {
      end = Math.max(end, step + 1);
    }
    steps = end;
  }

  int results() {
    return until.length;
  }
}
