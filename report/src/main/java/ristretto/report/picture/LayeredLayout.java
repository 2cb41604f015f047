package ristretto.report.picture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Layered graph layout: assigns boxes to rows such that arrows point downwards, rarely cross and
 * are short. Arrows that close a cycle point upwards. An arrow across several rows has a bend in
 * each of them, and space for its label in the middle one.
 */
final class LayeredLayout {
  /** Number of sweeps, alternately down and up; further sweeps have no visible effect. */
  private static final int SWEEPS = 24;

  private static final double GAP = 18;
  private static final double BEND = 10;

  private final Diagram graph;
  private final double[] labels;
  private final List<List<Integer>> rows = new ArrayList<>();
  private final List<Place> places = new ArrayList<>();
  private final List<List<Integer>> above = new ArrayList<>();
  private final List<List<Integer>> below = new ArrayList<>();
  private final List<List<Integer>> paths = new ArrayList<>();
  private final boolean[] backward;

  /** Position of a box, or of a bend of an arrow, which has box -1. */
  static final class Place {
    final int box;
    final double width;
    int row;
    double x;

    Place(int box, double width, int row) {
      this.box = box;
      this.width = width;
      this.row = row;
    }
  }

  /**
   * Computes the layout.
   *
   * @param widths of the boxes
   * @param labels widths of the arrows' labels
   */
  LayeredLayout(Diagram graph, double[] widths, double[] labels) {
    this.graph = graph;
    this.labels = labels;
    this.backward = new boolean[graph.arrows().size()];
    for (int k = 0; k < widths.length; k++) {
      add(new Place(k, widths[k], 0));
    }
    findCycles();
    rank();
    bend();
    order();
    align();
  }

  private int add(Place place) {
    places.add(place);
    above.add(new ArrayList<>());
    below.add(new ArrayList<>());
    return places.size() - 1;
  }

  /** Returns the positions of the boxes, by number, then those of bends. */
  List<Place> places() {
    return places;
  }

  /** Returns the positions along an arrow, from its tail to its head. */
  List<Integer> path(int arrow) {
    return paths.get(arrow);
  }

  boolean isBackward(int arrow) {
    return backward[arrow];
  }

  int rowCount() {
    return rows.size();
  }

  /** Reverses arrows that close a cycle, self-loops included, by depth-first search. */
  private void findCycles() {
    var out = new ArrayList<List<Integer>>();
    graph.boxes().forEach(_ -> out.add(new ArrayList<>()));
    for (int k = 0; k < graph.arrows().size(); k++) {
      out.get(graph.arrows().get(k).from()).add(k);
    }
    var state = new int[graph.boxes().size()];
    for (int start = 0; start < state.length; start++) {
      if (state[start] != 0) {
        continue;
      }
      var stack = new ArrayList<int[]>();
      stack.add(new int[] {start, 0});
      state[start] = 1;
      while (!stack.isEmpty()) {
        int[] top = stack.get(stack.size() - 1);
        if (top[1] == out.get(top[0]).size()) {
          state[top[0]] = 2;
          stack.remove(stack.size() - 1);
          continue;
        }
        int arrow = out.get(top[0]).get(top[1]++);
        int to = graph.arrows().get(arrow).to();
        if (state[to] == 1) {
          backward[arrow] = true;
        } else if (state[to] == 0) {
          state[to] = 1;
          stack.add(new int[] {to, 0});
        }
      }
    }
  }

  private int tail(int arrow) {
    return backward[arrow] ? graph.arrows().get(arrow).to() : graph.arrows().get(arrow).from();
  }

  private int head(int arrow) {
    return backward[arrow] ? graph.arrows().get(arrow).from() : graph.arrows().get(arrow).to();
  }

  /**
   * Assigns rows by longest path; a box without incoming arrows moves down next to its successors.
   */
  private void rank() {
    int count = graph.boxes().size();
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int k = 0; k < graph.arrows().size(); k++) {
        int below = places.get(tail(k)).row + 1;
        if (tail(k) != head(k) && places.get(head(k)).row < below) {
          places.get(head(k)).row = below;
          changed = true;
        }
      }
    }
    var first = new int[count];
    var hasIn = new boolean[count];
    Arrays.fill(first, Integer.MAX_VALUE);
    for (int k = 0; k < graph.arrows().size(); k++) {
      if (tail(k) != head(k)) {
        first[tail(k)] = Math.min(first[tail(k)], places.get(head(k)).row);
        hasIn[head(k)] = true;
      }
    }
    for (int k = 0; k < count; k++) {
      if (!hasIn[k] && first[k] != Integer.MAX_VALUE) {
        places.get(k).row = first[k] - 1;
      }
    }
    int last = places.stream().mapToInt(p -> p.row).max().orElse(-1);
    for (int r = 0; r <= last; r++) {
      rows.add(new ArrayList<>());
    }
    for (int k = 0; k < count; k++) {
      rows.get(places.get(k).row).add(k);
    }
  }

  private void bend() {
    for (int k = 0; k < graph.arrows().size(); k++) {
      var path = new ArrayList<Integer>(List.of(tail(k)));
      int first = places.get(tail(k)).row;
      int last = places.get(head(k)).row;
      for (int row = first + 1; row < last; row++) {
        boolean labelled = row == first + middle(last - first + 1, backward[k]);
        int bend = add(new Place(-1, labelled ? Math.max(BEND, labels[k]) : BEND, row));
        rows.get(row).add(bend);
        path.add(bend);
      }
      path.add(head(k));
      if (tail(k) != head(k)) {
        for (int p = 0; p + 1 < path.size(); p++) {
          below.get(path.get(p)).add(path.get(p + 1));
          above.get(path.get(p + 1)).add(path.get(p));
        }
      }
      paths.add(backward[k] ? path.reversed() : path);
    }
  }

  private static int middle(int places, boolean backward) {
    return backward ? (places - 1) / 2 : places / 2;
  }

  /** Returns the position in the middle of an arrow's path. */
  int middle(int arrow) {
    return paths.get(arrow).get(paths.get(arrow).size() / 2);
  }

  /**
   * Reduces crossings: repeatedly sorts each row by the mean position of the neighbours (barycenter
   * heuristic).
   */
  private void order() {
    spread();
    var best = copy();
    long fewest = crossings();
    for (int sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
      boolean down = sweep % 2 == 0;
      for (int k = 1; k < rows.size(); k++) {
        List<Integer> row = rows.get(down ? k : rows.size() - 1 - k);
        List<List<Integer>> neighbours = down ? above : below;
        var means = new double[places.size()];
        for (int p : row) {
          means[p] = mean(neighbours.get(p), places.get(p).x);
        }
        row.sort(Comparator.comparingDouble(p -> means[p]));
        spread(row);
      }
      long now = crossings();
      if (now < fewest) {
        fewest = now;
        best = copy();
      }
    }
    rows.clear();
    rows.addAll(best);
    spread();
  }

  private List<List<Integer>> copy() {
    var all = new ArrayList<List<Integer>>();
    rows.forEach(row -> all.add(new ArrayList<>(row)));
    return all;
  }

  private void spread() {
    rows.forEach(this::spread);
  }

  private void spread(List<Integer> row) {
    double x = 0;
    for (int p : row) {
      places.get(p).x = x + places.get(p).width / 2;
      x += places.get(p).width + GAP;
    }
    double shift = x / 2;
    row.forEach(p -> places.get(p).x -= shift);
  }

  private double mean(List<Integer> of, double otherwise) {
    return of.stream().mapToDouble(p -> places.get(p).x).average().orElse(otherwise);
  }

  private long crossings() {
    long count = 0;
    for (List<Integer> row : rows) {
      for (int a = 0; a < row.size(); a++) {
        for (int b = a + 1; b < row.size(); b++) {
          for (int from : below.get(row.get(a))) {
            for (int to : below.get(row.get(b))) {
              count += places.get(from).x > places.get(to).x ? 1 : 0;
            }
          }
        }
      }
    }
    return count;
  }

  /** Moves boxes and bends towards their neighbours, within the order of each row. */
  private void align() {
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
      boolean down = sweep % 2 == 0;
      for (int k = 0; k < rows.size(); k++) {
        List<Integer> row = rows.get(down ? k : rows.size() - 1 - k);
        var wanted = new double[row.size()];
        for (int i = 0; i < wanted.length; i++) {
          int p = row.get(i);
          double up = mean(above.get(p), Double.NaN);
          double low = mean(below.get(p), Double.NaN);
          double one = Double.isNaN(up) ? low : Double.isNaN(low) ? up : (up + low) / 2;
          wanted[i] = Double.isNaN(one) ? places.get(p).x : one;
        }
        settle(row, wanted);
      }
    }
  }

  /**
   * Minimizes the squared distances to the wanted positions subject to the minimum gaps (isotonic
   * regression): groups that would overlap share their mean.
   */
  private void settle(List<Integer> row, double[] wanted) {
    // Subtracting cumulative widths reduces the gaps to zero, which leaves an ascending fit.
    var offset = new double[wanted.length];
    for (int i = 1; i < wanted.length; i++) {
      double a = places.get(row.get(i - 1)).width;
      double b = places.get(row.get(i)).width;
      offset[i] = offset[i - 1] + (a + b) / 2 + GAP;
    }
    var means = new double[wanted.length];
    var sizes = new int[wanted.length];
    int groups = 0;
    for (int i = 0; i < wanted.length; i++) {
      means[groups] = wanted[i] - offset[i];
      sizes[groups++] = 1;
      while (groups > 1 && means[groups - 2] > means[groups - 1]) {
        int size = sizes[groups - 2] + sizes[groups - 1];
        means[groups - 2] =
            (means[groups - 2] * sizes[groups - 2] + means[groups - 1] * sizes[groups - 1]) / size;
        sizes[groups - 2] = size;
        groups--;
      }
    }
    int i = 0;
    for (int g = 0; g < groups; g++) {
      for (int k = 0; k < sizes[g]; k++, i++) {
        places.get(row.get(i)).x = means[g] + offset[i];
      }
    }
  }
}
