package ristretto.kernels.lift;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The blocks of a region that have been interpreted, in an order in which all predecessors of a
 * block come before it, and the selects that decide between their paths.
 */
final class Paths {
  /** No row, because it does not matter which. */
  static final int NO_VALUE = -1;

  /** The answer of a {@link Leaf} where a path goes on inside the region. */
  static final int INSIDE = -3;

  private final Logic logic;
  private final List<Visited> visited = new ArrayList<>();

  /** Positions in {@link #visited} of the blocks with an arm to the key. */
  private final Map<Integer, List<Integer>> incoming = new HashMap<>();

  private final int[] values;

  /**
   * A block that has been interpreted. Condition k leads to arm k; the last arm is for when none
   * holds.
   */
  static final class Visited {
    final int block;
    final State state;
    final List<Integer> arms = new ArrayList<>();
    final List<Integer> conditions = new ArrayList<>();
    int result = NO_VALUE;

    /** Position of the closest block that all paths to this one pass; -1 for the first block. */
    private int dominator = -1;

    Visited(int block, State state) {
      this.block = block;
      this.state = state;
    }
  }

  /** The value that a path has when it takes an arm. */
  abstract static class Leaf {
    /** A row, {@link #NO_VALUE} or {@link #INSIDE}. */
    abstract int value(Visited from, int arm);
  }

  /**
   * @param blocks of the method
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

  /** The k-th block with an arm to {@code target}. */
  Visited source(int target, int k) {
    return visited.get(incoming.get(target).get(k));
  }

  /** Where arms lead to, in the order in which they were found. */
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

  /** Position of the closest block that all paths to these and to {@code common} pass. */
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

  /** The value of the paths that lead to one of {@code targets}; others give no value. */
  int mergeTo(List<Integer> targets, Leaf leaf) {
    int from = -1;
    for (int k = 0; k < targets.size(); k++) {
      from = dominator(incoming.get(targets.get(k)), from);
    }
    return merge(leaf, NO_VALUE, from);
  }

  /** The value of all paths; {@code otherwise} is that of blocks not interpreted. */
  int merge(Leaf leaf, int otherwise) {
    return merge(leaf, otherwise, 0);
  }

  /** Decides from the last block to that at {@code from} what each gives, by its branch. */
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
