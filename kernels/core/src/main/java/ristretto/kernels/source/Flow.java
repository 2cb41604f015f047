package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import ristretto.kernels.scalar.Function;

/**
 * A function's blocks as loops and conditions of Java, whose labels say where to go on. A loop
 * begins at a block that is jumped back to; a block that several others jump to follows a labelled
 * one in which they are. (N. Ramsey: Beyond Relooper, ICFP 2022.)
 */
final class Flow {
  /** Writes a block without its end, and names the end's condition or result. */
  interface Statements {
    String write(int block);
  }

  private final Code code;
  private final List<Function.Block> blocks;

  private final Statements body;

  /** Of each block, its number in reverse postorder; -1 if it is not reached. */
  private final int[] order;

  private final int[] dominator;
  private final List<List<Integer>> before = new ArrayList<>();

  Flow(Code code, Function function, Statements body) {
    this.code = code;
    this.blocks = function.blocks();
    this.body = body;
    order = new int[blocks.size()];
    Arrays.fill(order, -1);
    var reversed = new ArrayList<Integer>();
    visit(0, new boolean[blocks.size()], reversed);
    for (int k = 0; k < reversed.size(); k++) {
      order[reversed.get(k)] = reversed.size() - 1 - k;
    }
    blocks.forEach(_ -> before.add(new ArrayList<>()));
    for (int block : reversed) {
      after(block).forEach(next -> before.get(next).add(block));
    }
    dominator = dominators(reversed.reversed());
  }

  private List<Integer> after(int block) {
    return switch (blocks.get(block).end()) {
      case Function.End.Jump e -> List.of(e.block());
      case Function.End.Branch e -> List.of(e.then(), e.otherwise());
      case Function.End.Return _ -> List.of();
    };
  }

  private void visit(int block, boolean[] seen, List<Integer> reversed) {
    seen[block] = true;
    for (int next : after(block)) {
      if (!seen[next]) {
        visit(next, seen, reversed);
      }
    }
    reversed.add(block);
  }

  /** The block that is always reached right before; of the first one, itself. */
  private int[] dominators(List<Integer> inOrder) {
    int[] found = new int[blocks.size()];
    Arrays.fill(found, -1);
    found[0] = 0;
    for (boolean changed = true; changed; ) {
      changed = false;
      for (int block : inOrder.subList(1, inOrder.size())) {
        int common = -1;
        for (int p : before.get(block)) {
          if (found[p] >= 0) {
            common = common < 0 ? p : common(found, p, common);
          }
        }
        changed |= found[block] != common;
        found[block] = common;
      }
    }
    return found;
  }

  private int common(int[] found, int a, int b) {
    while (a != b) {
      if (order[a] > order[b]) {
        a = found[a];
      } else {
        b = found[b];
      }
    }
    return a;
  }

  /** Every way back leads to a block that dominates it, as in all that compilers of Java make. */
  boolean structured() {
    for (int block = 0; block < blocks.size(); block++) {
      for (int p : before.get(block)) {
        if (order[p] >= order[block] && !dominates(block, p)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean dominates(int a, int b) {
    while (order[b] > order[a]) {
      b = dominator[b];
    }
    return a == b;
  }

  private boolean loops(int block) {
    return before.get(block).stream().anyMatch(p -> order[p] >= order[block]);
  }

  private boolean merges(int block) {
    return before.get(block).stream().filter(p -> order[p] < order[block]).count() > 1;
  }

  void render() {
    tree(0);
  }

  /** The block and all that it dominates. */
  private void tree(int block) {
    var following = new ArrayList<Integer>();
    for (int b = 1; b < blocks.size(); b++) {
      if (order[b] >= 0 && dominator[b] == block && b != block && merges(b)) {
        following.add(b);
      }
    }
    following.sort(Comparator.comparingInt(b -> -order[b]));
    if (loops(block)) {
      code.open("again" + block + ": while (true)");
      within(block, following);
      code.close();
    } else {
      within(block, following);
    }
  }

  private void within(int block, List<Integer> following) {
    if (!following.isEmpty()) {
      int next = following.getFirst();
      code.open("to" + next + ":");
      within(block, following.subList(1, following.size()));
      code.close();
      tree(next);
      return;
    }
    switch (blocks.get(block).end()) {
      case Function.End.Jump e -> {
        code.open("");
        body.write(block);
        code.close();
        jump(block, e.block());
      }
      case Function.End.Branch e -> {
        code.line("final boolean is" + block + ";");
        code.open("");
        code.line("is" + block + " = " + body.write(block) + ";");
        code.close();
        code.open("if (is" + block + ")");
        jump(block, e.then());
        code.reopen("else");
        jump(block, e.otherwise());
        code.close();
      }
      case Function.End.Return _ -> {
        code.open("");
        code.line("return " + body.write(block) + ";");
        code.close();
      }
    }
  }

  private void jump(int from, int to) {
    if (order[to] <= order[from]) {
      code.line("continue again" + to + ";");
    } else if (merges(to)) {
      code.line("break to" + to + ";");
    } else {
      tree(to);
    }
  }
}
