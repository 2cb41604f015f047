package ristretto.expr;

/** When blocks of memory are needed: at which steps of a plan. */
final class Lives {
  final int[] first;
  final int[] last;

  /** By block, the result that it becomes in place; -1 if there is none. */
  final int[] into;

  /** By result, the step that writes it. */
  final int[] until;

  /** One more than the last of all. */
  final int steps;

  Lives(int[] first, int[] last, int[] into, int[] until) {
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

  int blocks() {
    return first.length;
  }

  int results() {
    return until.length;
  }
}
