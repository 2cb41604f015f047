package ristretto.expr;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** What a recording holds. */
final class Recorded {
  private final List<Recorder.Assigned> assigned;
  private final List<Integer> parts;
  private final List<Rounds> rounds;
  private Recorded whole;

  /**
   * Keeps copies of the lists.
   *
   * @param assigned the assignments, in order
   * @param parts the first assignment of each part, if there are several
   * @param rounds of bodies that were repeated; see {@link Context#repeat}
   */
  Recorded(List<Recorder.Assigned> assigned, List<Integer> parts, List<Rounds> rounds) {
    this.assigned = List.copyOf(assigned);
    this.parts = List.copyOf(parts);
    this.rounds = List.copyOf(rounds);
  }

  static Recorded of(Recorder recorder) {
    return new Recorded(recorder.assigned(), recorder.parts(), recorder.rounds());
  }

  List<Recorder.Assigned> assigned() {
    return assigned;
  }

  List<Integer> parts() {
    return parts;
  }

  List<Rounds> rounds() {
    return rounds;
  }

  /** The assignments of a part. */
  List<Recorder.Assigned> part(int part) {
    int end = part + 1 < parts.size() ? parts.get(part + 1) : assigned.size();
    return assigned.subList(parts.get(part), end);
  }

  /** Whether there are rounds that are not recorded. */
  boolean isShort() {
    return rounds.stream().anyMatch(Rounds::isShort);
  }

  /** The number of an assignment where no round is missing. */
  int number(int assignment) {
    int number = assignment;
    for (Rounds r : rounds) {
      if (r.end() <= assignment) {
        number += r.missing() * r.size();
      }
    }
    return number;
  }

  /** The same, with the numbers of the assignments of missing rounds that are like it. */
  IntStream numbers(int assignment) {
    for (Rounds r : rounds) {
      if (r.start(r.recorded() - 1) <= assignment && assignment < r.end()) {
        int first = number(assignment);
        return IntStream.rangeClosed(0, r.missing()).map(by -> first + by * r.size());
      }
    }
    return IntStream.of(number(assignment));
  }

  /** For each assignment the round that it is of, each with another number, or 0 for none. */
  int[] roundNumbers() {
    var all = new int[assigned.size()];
    int number = 1;
    for (Rounds r : rounds) {
      for (int round = 0; round < r.recorded(); round++) {
        java.util.Arrays.fill(all, r.start(round), r.start(round + 1), number++);
      }
    }
    return all;
  }

  /** The same with all rounds. */
  synchronized Recorded whole() {
    if (whole == null) {
      whole = isShort() ? complete() : this;
    }
    return whole;
  }

  private Recorded complete() {
    var all = new ArrayList<Recorder.Assigned>();
    var complete = new ArrayList<Rounds>();
    int done = 0;
    for (Rounds r : rounds) {
      all.addAll(assigned.subList(done, r.start(0)));
      var same = new Rounds(r.recorded() + r.missing(), (label, _) -> label);
      for (int round = 0; round < r.recorded(); round++) {
        same.begin(all.size());
        all.addAll(assigned.subList(r.start(round), r.start(round + 1)));
      }
      for (int by = 1; by <= r.missing(); by++) {
        same.begin(all.size());
        all.addAll(r.later(assigned, by));
      }
      same.end(all.size());
      complete.add(same);
      done = r.end();
    }
    all.addAll(assigned.subList(done, assigned.size()));
    return new Recorded(all, parts.stream().map(this::number).toList(), complete);
  }
}
