package ristretto.kernels.source;

import java.util.List;

/**
 * Assignment of rows to the lanes of a work group.
 *
 * @param lanes lanes per row
 * @param rows rows per group
 * @param adjacent true if adjacent lanes read adjacent elements, which suits GPUs; false if each
 *     lane reads a contiguous block
 * @param chunks number of chunks of a row, if several groups share a row
 * @param chunkLength elements per chunk
 */
record Lanes(int lanes, int rows, boolean adjacent, long chunks, long chunkLength) {
  /** Shortest chunk that outweighs the cost of starting a group. */
  private static final long SHORTEST_CHUNK = 4096;

  private static final int ROWS = 32;

  static Lanes of(Target target, long rows, long length, List<Accumulator> accumulators) {
    int bytes = accumulators.stream().mapToInt(Accumulator::bytes).sum();
    int most = target.rowGroup();
    while (most > 1 && (long) bytes * most > target.localBytes()) {
      most /= 2;
    }
    int lanes = Math.min(most, lanes(length));
    long groups = Math.min(4L * target.units(), 1024);
    if (rows < groups && length >= 2 * SHORTEST_CHUNK && !accumulators.isEmpty()) {
      long wanted = Build.ceil(groups, rows);
      long size = Math.max(SHORTEST_CHUNK, Build.ceil(length, wanted));
      return new Lanes(most, 1, target.rowGroup() > 1, Build.ceil(length, size), size);
    }
    return new Lanes(lanes, rowsOf(target, rows, lanes, most), target.rowGroup() > 1, 1, length);
  }

  /**
   * Returns the rows per group. On devices where each row has one lane, a group has several rows
   * only if there are plenty.
   */
  static int rowsOf(Target target, long rows, int lanes, int most) {
    if (most > 1) {
      return most / lanes;
    }
    return rows >= 4L * ROWS * target.units() ? ROWS : 1;
  }

  private static int lanes(long length) {
    if (length <= 4) {
      return 1;
    }
    return length <= 64 ? 8 : length <= 1024 ? 32 : 256;
  }

  int group() {
    return lanes * rows;
  }

  /**
   * Declares {@code lane}, {@code inside} and {@code row}. Beyond the last row {@code inside} is
   * false and {@code row} is 0.
   */
  void declareRow(Entry entry, long count) {
    String type = entry.index();
    String all = entry.constant(count);
    entry.body.line("const i32 lane = (i32) LANE % " + lanes + ";");
    entry.body.line(
        "const %s mine = (%s) GROUP(0) * %s + (%s) LANE / %s;"
            .formatted(type, type, rows, type, lanes));
    entry.body.line("const flag inside = mine < " + all + ";");
    entry.body.line("const " + type + " row = inside ? mine : 0;");
  }

  /** Opens the loop over this lane's elements j between {@code first} and {@code end}. */
  void loop(Entry entry, boolean ordered, String first, String end) {
    String type = entry.index();
    if (lanes == 1) {
      entry.body.open("for (" + type + " j = " + first + "; j < " + end + "; j++)");
    } else if (adjacent && !ordered) {
      entry.body.open(
          "for (" + type + " j = " + first + " + lane; j < " + end + "; j += " + lanes + ")");
    } else {
      entry.body.line(
          "const %s block = (%s - %s + %s) / %s;".formatted(type, end, first, lanes - 1, lanes));
      entry.body.line("const " + type + " start = " + first + " + lane * block;");
      entry.body.line(
          "const " + type + " stop = start + block < " + end + " ? start + block : " + end + ";");
      entry.body.open("for (" + type + " j = start; j < stop; j++)");
    }
  }

  void barrier(Entry entry) {
    if (lanes > 1) {
      entry.body.line("BARRIER;");
    }
  }

  /** Combines the accumulators a0, a1, ... of all lanes of a row, always in the same tree. */
  void fold(Entry entry, List<Accumulator> accumulators, List<Integer> members) {
    if (lanes == 1) {
      return;
    }
    Code code = entry.body;
    for (int k : members) {
      accumulators.get(k).declareLocal(entry, "t" + k, group());
      accumulators.get(k).put(code, suffix -> "t" + k + suffix, "LANE", "a" + k);
    }
    code.line("BARRIER;");
    code.open("for (i32 step = 1; step < " + lanes + "; step *= 2)");
    code.open("if (lane % (2 * step) == 0)");
    for (int k : members) {
      Accumulator a = accumulators.get(k);
      a.merge(code, "a" + k, suffix -> "t" + k + suffix + "[LANE + step]");
      a.put(code, suffix -> "t" + k + suffix, "LANE", "a" + k);
    }
    code.close();
    code.line("BARRIER;");
    code.close();
    for (int k : members) {
      accumulators.get(k).take(code, "a" + k, "t" + k, "LANE - lane");
    }
    code.line("BARRIER;");
  }
}
