package ristretto.kernels.lift;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Interpreted blocks of a region in topological order, and the selects between their paths. */
final class Paths {
  /** Value of a path that has none; any value may take its place. */
  static final int NO_VALUE = -1;

  /** Result of a {@link Leaf} for an arm that stays inside the region. */
  static final int INSIDE = -3;

  private final Logic logic;
  private final List<Visited> visited = new ArrayList<>();

  /** Positions in {@link #visited} of the blocks with an arm to the key. */
  private final Map<Integer, List<Integer>> incoming = new HashMap<>();

  private final int[] values;

  /** Interpreted block. Condition k leads to arm k; the last arm is taken if no condition holds. */
  static final class Visited {
    final int block;
    final State state;
    final List<Integer> arms = new ArrayList<>();
    final List<Integer> conditions = new ArrayList<>();
    int result = NO_VALUE;

    /** Position of the immediate dominator; -1 for the first block. */
    private int dominator = -1;

    Visited(int block, State state) {
      this.block = block;
      this.state = state;
    }
  }

  /** Value of a path that takes an arm. */
  abstract static class Leaf {
    /** Returns a row, {@link #NO_VALUE} or {@link #INSIDE}. */
    abstract int value(Visited from, int arm);
  }

  /**
   * Creates the paths of a region without blocks.
   *
   * @param blocks number of blocks of the method
   */
  Paths(Logic logic, int blocks) {
    this.logic = logic;
    this.values = new int[blocks];
    Arrays.fill(values, NO_VALUE);
  }

  void add(Visited block) {
    List<Integer> before = incoming.get(block.block);
    block.dominator = before == null ? -1 : dominator(before, -1);
    for (int k = 0; k < block.arms.size(); k++) {
      List<Integer> sources = incoming.get(block.arms.get(k));
      if (sources == null) {
        sources = new ArrayList<>();
        incoming.put(block.arms.get(k), sources);
      }
      if (sources.isEmpty() || sources.getLast() != visited.size()) {
        sources.add(visited.size());
      }
    }
    visited.add(block);
  }

  /** Number of blocks with an arm to {@code target}. */
  int sources(int target) {
    List<Integer> sources = incoming.get(target);
    return sources == null ? 0 : sources.size();
  }

  /** Returns block number {@code k} among the blocks with an arm to {@code target}. */
  Visited source(int target, int k) {
    return visited.get(incoming.get(target).get(k));
  }

  /** Returns the targets of all arms, in the order in which they were found. */
  List<Integer> targets() {
    var targets = new ArrayList<Integer>();
    for (int k = 0; k < visited.size(); k++) {
      for (int arm : visited.get(k).arms) {
        if (!targets.contains(arm)) {
          targets.add(arm);
        }
      }
    }
    return targets;
  }

  /**
   * Returns the position of the closest common dominator of {@code positions} and {@code common}.
   */
  private int dominator(List<Integer> positions, int common) {
    for (int k = 0; k < positions.size(); k++) {
      int other = positions.get(k);
      while (common >= 0 && common != other) {
        if (common > other) {
          common = visited.get(common).dominator;
        } else {
          other = visited.get(other).dominator;
        }
      }
      common = other;
    }
    return common;
  }

  /**
   * Returns the value of the paths that lead to one of {@code targets}; other paths have no value.
   */
  int mergeTo(List<Integer> targets, Leaf leaf) {
    int from = -1;
    for (int k = 0; k < targets.size(); k++) {
      from = dominator(incoming.get(targets.get(k)), from);
    }
    return merge(leaf, NO_VALUE, from);
  }

  /**
   * Returns the value of all paths; {@code otherwise} is the value of arms to blocks not
   * interpreted.
   */
  int merge(Leaf leaf, int otherwise) {
    return merge(leaf, otherwise, 0);
  }

  /**
   * Computes the value at each block, from the last one back to position {@code from}, as selects
   * over the block's conditions.
   */
  private int merge(Leaf leaf, int otherwise, int from) {
    int value = otherwise;
    for (int k = visited.size() - 1; k >= from; k--) {
      Visited block = visited.get(k);
      value = NO_VALUE;
      for (int arm = block.arms.size() - 1; arm >= 0; arm--) {
        int target = block.arms.get(arm);
        int taken = leaf.value(block, target);
        if (taken == INSIDE) {
          taken = values[target] == NO_VALUE ? otherwise : values[target];
        }
        if (value == NO_VALUE) {
          value = taken;
        } else if (taken != NO_VALUE) {
          value = logic.select(block.conditions.get(arm), taken, value);
        }
      }
      values[block.block] = value;
    }
    for (int k = visited.size() - 1; k >= from; k--) {
      values[visited.get(k).block] = NO_VALUE;
    }
    return value;
  }
}
