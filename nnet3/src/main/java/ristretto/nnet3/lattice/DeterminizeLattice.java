package ristretto.nnet3.lattice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * Makes a lattice deterministic: of all paths with the same words, the one of least cost stays,
 * with its transitions. States of the result are sets of states, each with the cost and the
 * transitions that remain to be emitted.
 *
 * <p>Source: Kaldi, {@code lat/determinize-lattice-pruned.cc}.
 */
public final class DeterminizeLattice {
  /** Remaining costs are compared in multiples of this. */
  private static final float QUANTUM = 1 / 1024f;

  /** Approximate memory of an element of a set, its key and its place in an arc to be made. */
  private static final long ELEMENT_BYTES = 192;

  private static final long STRING_BYTES = 64;

  /** Sums of costs may exceed the beam by this much. */
  private static final double ROUNDING = 1e-3;

  private final CompactLattice lattice;
  private final double beam;

  /** Least cost from each state to an end. */
  private final double[] remaining;

  /** Position of each state in a topological order. */
  private final int[] positions;

  private final Strings strings = new Strings();
  private final Map<List<Key>, Integer> numbers = new HashMap<>();

  /** Least cost of a path to each state of the result. */
  private final List<Double> costs = new ArrayList<>();

  private final List<CompactLattice.Weight> ends = new ArrayList<>();
  private final List<List<CompactLattice.Arc>> arcs = new ArrayList<>();
  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingDouble(Task::cost));
  private double limit;
  private long elements;

  /** State with what remains to be emitted on the way to it. */
  private record Element(int state, float graph, float acoustic, int string) {
    float cost() {
      return graph + acoustic;
    }
  }

  /** Element as far as it tells sets apart. */
  private record Key(int state, long graph, long acoustic, int string) {}

  /**
   * Arc to be made.
   *
   * @param cost least cost of a path with the arc
   */
  private record Task(int source, int label, List<Element> targets, double cost) {}

  private DeterminizeLattice(CompactLattice lattice, double beam) {
    this.lattice = lattice;
    this.beam = beam;
    int[] order = lattice.topologicalOrder();
    remaining = lattice.remainingCosts(order, 1, 1);
    positions = new int[order.length];
    for (int n = 0; n < order.length; n++) {
      positions[order[n]] = n;
    }
  }

  /**
   * Result.
   *
   * @param lattice deterministic lattice
   * @param beam beam within which all sequences of words are in it: the beam that was asked for, or
   *     less if that needed too much memory
   */
  public record Result(CompactLattice lattice, double beam) {}

  /**
   * Returns the deterministic lattice.
   *
   * @param beam paths that cost more than the best one by more than this may be dropped
   * @param memory memory in bytes, about, after which no further paths are added, the best first
   */
  public static Result apply(CompactLattice lattice, double beam, long memory) {
    return new DeterminizeLattice(lattice, beam).run(memory);
  }

  private Result run(long memory) {
    int start = lattice.start();
    if (start < 0 || Double.isInfinite(remaining[start])) {
      return new Result(new CompactLattice(-1, List.of()), beam);
    }
    double reached = beam;
    limit = remaining[start] + beam + ROUNDING;
    state(closure(List.of(new Element(start, 0, 0, Strings.EMPTY))), 0);
    while (!tasks.isEmpty()) {
      Task task = tasks.remove();
      if (used() > memory) {
        reached = Math.max(0, task.cost - remaining[start]);
        break;
      }
      arc(task);
    }
    var states = new ArrayList<CompactLattice.State>();
    for (int s = 0; s < arcs.size(); s++) {
      states.add(new CompactLattice.State(ends.get(s), arcs.get(s)));
    }
    return new Result(new CompactLattice(0, states).trimmed(), reached);
  }

  private long used() {
    return elements * ELEMENT_BYTES + (long) strings.count * STRING_BYTES;
  }

  /** Makes an arc: what all its targets have in common is on the arc. */
  private void arc(Task task) {
    List<Element> reached = closure(task.targets);
    Element best = reached.stream().reduce((a, b) -> isBetter(b, a) ? b : a).orElseThrow();
    int common = best.string;
    for (Element each : reached) {
      common = strings.commonPrefix(common, each.string);
    }
    var left = new ArrayList<Element>();
    for (Element each : reached) {
      left.add(
          new Element(
              each.state,
              each.graph - best.graph,
              each.acoustic - best.acoustic,
              strings.without(each.string, strings.length(common))));
    }
    int target = state(left, costs.get(task.source) + best.cost());
    var weight = new CompactLattice.Weight(best.graph, best.acoustic, strings.labels(common));
    arcs.get(task.source).add(new CompactLattice.Arc(task.label, weight, target));
  }

  /**
   * Elements that are reached by arcs without a label, each by its best way; only those from which
   * arcs with a label leave, or that are final.
   */
  private List<Element> closure(List<Element> from) {
    var best = new HashMap<Integer, Element>();
    var queue = new PriorityQueue<Integer>(Comparator.comparingInt(s -> positions[s]));
    for (Element each : from) {
      reach(best, queue, each);
    }
    var kept = new TreeMap<Integer, Element>();
    while (!queue.isEmpty()) {
      int s = queue.remove();
      Element element = best.get(s);
      CompactLattice.State state = lattice.states().get(s);
      boolean keep = state.end() != null;
      for (CompactLattice.Arc arc : state.arcs()) {
        if (arc.label() == 0) {
          reach(best, queue, after(element, arc));
        } else {
          keep = true;
        }
      }
      if (keep) {
        kept.put(s, element);
      }
    }
    return List.copyOf(kept.values());
  }

  private void reach(Map<Integer, Element> best, PriorityQueue<Integer> queue, Element element) {
    if (Double.isInfinite(remaining[element.state])) {
      return;
    }
    Element before = best.get(element.state);
    if (before == null) {
      queue.add(element.state);
    }
    if (before == null || isBetter(element, before)) {
      best.put(element.state, element);
    }
  }

  private Element after(Element element, CompactLattice.Arc arc) {
    CompactLattice.Weight weight = arc.weight();
    return new Element(
        arc.target(),
        element.graph + weight.graph(),
        element.acoustic + weight.acoustic(),
        strings.append(element.string, weight.transitions()));
  }

  /** Ties are broken as Kaldi breaks them, and then by the number of transitions. */
  private boolean isBetter(Element a, Element b) {
    int order = Float.compare(a.cost(), b.cost());
    order = order != 0 ? order : Float.compare(a.graph, b.graph);
    return order != 0 ? order < 0 : strings.length(a.string) < strings.length(b.string);
  }

  /** Returns the state of a set of elements, and queues its arcs if it is new. */
  private int state(List<Element> elements, double cost) {
    var key = new ArrayList<Key>();
    for (Element each : elements) {
      long graph = Math.round((double) each.graph / QUANTUM);
      long acoustic = Math.round((double) each.acoustic / QUANTUM);
      key.add(new Key(each.state, graph, acoustic, each.string));
    }
    Integer known = numbers.putIfAbsent(List.copyOf(key), costs.size());
    if (known != null) {
      return known;
    }
    int number = costs.size();
    costs.add(cost);
    this.elements += elements.size();
    arcs.add(new ArrayList<>());
    ends.add(end(elements, cost));
    var byLabel = new TreeMap<Integer, List<Element>>();
    for (Element each : elements) {
      for (CompactLattice.Arc arc : lattice.states().get(each.state).arcs()) {
        if (arc.label() != 0) {
          byLabel.computeIfAbsent(arc.label(), _ -> new ArrayList<>()).add(after(each, arc));
        }
      }
    }
    byLabel.forEach((label, targets) -> {
      double least = Double.POSITIVE_INFINITY;
      for (Element each : targets) {
        least = Math.min(least, cost + each.cost() + remaining[each.state]);
      }
      if (least <= limit) {
        tasks.add(new Task(number, label, targets, least));
        this.elements += targets.size();
      }
    });
    return number;
  }

  private CompactLattice.Weight end(List<Element> elements, double cost) {
    Element best = null;
    for (Element each : elements) {
      CompactLattice.Weight end = lattice.states().get(each.state).end();
      if (end != null) {
        Element ended = after(each, new CompactLattice.Arc(0, end, each.state));
        best = best == null || isBetter(ended, best) ? ended : best;
      }
    }
    return best == null || cost + best.cost() > limit
        ? null
        : new CompactLattice.Weight(best.graph, best.acoustic, strings.labels(best.string));
  }

  /** Strings of transitions, of which equal ones have equal numbers. */
  private static final class Strings {
    static final int EMPTY = 0;

    private int[] parents = new int[1024];
    private int[] last = new int[1024];
    private int[] lengths = new int[1024];
    private int count = 1;
    private final Map<Long, Integer> children = new HashMap<>();

    int length(int string) {
      return lengths[string];
    }

    int append(int string, int[] labels) {
      int all = string;
      for (int label : labels) {
        all = append(all, label);
      }
      return all;
    }

    private int append(int string, int label) {
      return children.computeIfAbsent(
          (long) string << Integer.SIZE | label,
          _ -> {
            if (count == parents.length) {
              parents = Arrays.copyOf(parents, 2 * count);
              last = Arrays.copyOf(last, 2 * count);
              lengths = Arrays.copyOf(lengths, 2 * count);
            }
            parents[count] = string;
            last[count] = label;
            lengths[count] = lengths[string] + 1;
            return count++;
          });
    }

    int[] labels(int string) {
      var labels = new int[lengths[string]];
      for (int at = string; at != EMPTY; at = parents[at]) {
        labels[lengths[at] - 1] = last[at];
      }
      return labels;
    }

    int commonPrefix(int a, int b) {
      int one = a;
      int other = b;
      while (one != other) {
        if (lengths[one] >= lengths[other]) {
          one = parents[one];
        } else {
          other = parents[other];
        }
      }
      return one;
    }

    int without(int string, int prefix) {
      int[] labels = labels(string);
      return append(EMPTY, Arrays.copyOfRange(labels, prefix, labels.length));
    }
  }
}
