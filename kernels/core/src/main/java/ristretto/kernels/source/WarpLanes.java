package ristretto.kernels.source;

import java.util.List;
import java.util.Locale;

/**
 * Assignment of rows to the work items of a group, on a GPU with warps.
 *
 * @param lanes lanes per row, a power of two
 * @param rows rows per group
 * @param across true if adjacent work items have adjacent rows; false if they have adjacent
 *     elements of one row
 * @param chunks number of chunks of a row, if several groups share a row
 * @param chunkLength elements per chunk
 * @param width elements per vector load of a lane
 * @param times vector loads that a lane issues before the first use
 * @param resident true if the lanes hold the whole row at once
 */
record WarpLanes(
    int lanes,
    int rows,
    boolean across,
    long chunks,
    long chunkLength,
    int width,
    int times,
    boolean resident) {
  /** Lanes of a warp. */
  private static final int WARP = 32;

  /**
   * Work items per group; with more, each would have fewer registers than compilers tend to use.
   */
  private static final int GROUP = 256;

  /** Elements that a lane loads before the first use: about 64 bytes. */
  private static final int READ = 16;

  /** Limit on the elements of a resident row that a lane keeps; twice {@link #READ}. */
  private static final int KEPT = 32;

  /** Limit on unrolled tape rows. */
  private static final int MOST_CODE = 2048;

  /** Row length from which rows are cut into chunks if there are fewer rows than units. */
  private static final long LONG = 1 << 15;

  /** Row length from which rows are cut into chunks if there are fewer than four rows per unit. */
  private static final long VERY_LONG = 1 << 18;

  /** Work items that keep one unit busy. */
  private static final long BUSY = 2048;

  /** Groups per unit when groups share rows. */
  private static final long CHUNKS_A_UNIT = 16;

  private static final long SHORTEST_CHUNK = 8192;

  /** Returns the assignment for rows that evaluate {@code code} tape rows per element. */
  static WarpLanes of(Target target, RowBody row, int code) {
    if (row.across()) {
      return columns(target, row, code);
    }
    int width = row.vectors.width;
    long vectors = Build.ceil(row.length, width);
    int read = Math.max(1, READ / width);
    while (read > 1 && read * width * code > MOST_CODE) {
      read /= 2;
    }
    long units = target.units();
    if (row.length >= LONG && row.rows < units || row.length >= VERY_LONG && row.rows < 4 * units) {
      long wanted = Build.ceil(CHUNKS_A_UNIT * units, row.rows);
      long step = (long) GROUP * width;
      long size = Math.max(SHORTEST_CHUNK, Build.ceil(row.length, wanted));
      size = Build.ceil(size, step) * step;
      long chunks = Build.ceil(row.length, size);
      return new WarpLanes(GROUP, 1, false, chunks, size, width, read, false);
    }
    long lanes = power(Build.ceil(vectors, read));
    if (lanes < 8 && vectors >= 8) {
      lanes = 8;
    }
    // With few rows, more lanes per row keep the device busy.
    while (lanes < GROUP && lanes < vectors && lanes * row.rows < BUSY * units) {
      lanes *= 2;
    }
    lanes = Math.min(lanes, GROUP);
    long times = Math.max(1, Build.ceil(vectors, lanes));
    boolean resident = times * width <= KEPT && times * width * code <= MOST_CODE;
    if (!resident) {
      times = Math.min(read, Math.max(1, Build.ceil(vectors, lanes)));
    }
    int group = GROUP;
    while (group > Math.max(WARP, lanes) && Build.ceil(row.rows, group / lanes) < units) {
      group /= 2;
    }
    int rows = (int) (group / lanes);
    return new WarpLanes((int) lanes, rows, false, 1, row.length, width, (int) times, resident);
  }

  /**
   * Returns the assignment for adjacent elements in different rows: a work item goes down a column,
   * and several may share a column.
   */
  private static WarpLanes columns(Target target, RowBody row, int code) {
    int narrow = (int) Math.min(WARP, power(row.kept[row.kept.length - 1]));
    int lanes = (int) Math.min(GROUP / narrow, power(Build.ceil(row.length, 8)));
    int rows = GROUP / lanes;
    int read = 8;
    while (read > 1 && read * code > MOST_CODE) {
      read /= 2;
    }
    long groups = Build.ceil(row.rows, rows);
    long wanted = Build.ceil(8L * target.units(), groups);
    long size = Math.max(8L * lanes, Build.ceil(row.length, wanted));
    long chunks = row.accumulators.isEmpty() ? 1 : Math.max(1, Build.ceil(row.length, size));
    return new WarpLanes(
        lanes, rows, true, chunks, chunks == 1 ? row.length : size, 1, read, false);
  }

  /** Returns the assignment that combines the chunks of each row. */
  static WarpLanes ofParts(Target target, long rows, long chunks) {
    int lanes = (int) Math.min(GROUP, power(Build.ceil(chunks, 4)));
    int shared = GROUP / lanes;
    while (shared > 1 && Build.ceil(rows, shared) < target.units() && shared * lanes > WARP) {
      shared /= 2;
    }
    return new WarpLanes(lanes, shared, false, 1, chunks, 1, 4, false);
  }

  private static long power(long n) {
    return n <= 1 ? 1 : Long.highestOneBit(n - 1) * 2;
  }

  int group() {
    return lanes * rows;
  }

  /** Number of groups for {@code count} rows. */
  long groups(long count) {
    return Build.ceil(count, rows) * chunks;
  }

  /**
   * Declares {@code lane}, {@code chunk}, {@code row}, {@code inside}, and the range {@code first}
   * to {@code end} of the row's elements. Beyond the last row {@code inside} is false, {@code row}
   * is 0 and the range is empty.
   */
  void declare(Entry entry, long count, long length) {
    Code code = entry.body;
    String type = entry.index();
    String group = "(" + type + ") GROUP(0)";
    code.line(
        String.format(
            Locale.ROOT,
            "const i32 lane = (i32) LANE %s %d;",
            across ? "/" : "%",
            across ? rows : lanes));
    if (chunks > 1) {
      String all = entry.constant(chunks);
      code.line("const %s chunk = %s %% %s;".formatted(type, group, all));
      group = group + " / " + all;
    }
    code.line(
        String.format(
            Locale.ROOT,
            "const %s mine = %s * %d + (%s) LANE %s %d;",
            type,
            group,
            rows,
            type,
            across ? "%" : "/",
            across ? rows : lanes));
    code.line("const flag inside = mine < " + entry.constant(count) + ";");
    code.line("const " + type + " row = inside ? mine : 0;");
    String all = entry.constant(length);
    if (chunks > 1) {
      String size = entry.constant(chunkLength);
      code.line("const %s first = chunk * %s;".formatted(type, size));
      code.line(
          String.format(
              Locale.ROOT,
              "const %1$s end = !inside ? 0 : %2$s - first < %3$s ? %2$s : first + %3$s;",
              type,
              all,
              size));
    } else {
      code.line("const %s first = 0;".formatted(type));
      code.line("const %s end = inside ? %s : 0;".formatted(type, all));
    }
  }

  /**
   * Combines the accumulators a0, a1, ... of all lanes of a row, always in the same tree; all lanes
   * receive the result.
   */
  void fold(Entry entry, List<Accumulator> accumulators, List<Integer> members) {
    if (across) {
      foldColumns(entry, accumulators, members);
      return;
    }
    int together = Math.min(lanes, WARP);
    shuffle(entry, accumulators, members, together);
    if (lanes <= WARP) {
      return;
    }
    Code code = entry.body;
    int warps = lanes / WARP;
    for (int k : members) {
      accumulators.get(k).declareLocal(entry, "t" + k, group() / WARP);
    }
    code.open("if (LANE % " + WARP + " == 0)");
    for (int k : members) {
      accumulators.get(k).put(code, suffix -> "t" + k + suffix, "LANE / " + WARP, "a" + k);
    }
    code.close();
    code.line("BARRIER;");
    for (int k : members) {
      String at = String.format(Locale.ROOT, "(LANE - lane) / %d + lane %% %d", WARP, warps);
      accumulators.get(k).take(code, "a" + k, "t" + k, at);
    }
    shuffle(entry, accumulators, members, warps);
  }

  /** Combines adjacent lanes, then adjacent pairs, up to {@code together} lanes, a power of two. */
  private static void shuffle(
      Entry entry, List<Accumulator> accumulators, List<Integer> members, int together) {
    Code code = entry.body;
    for (int k : members) {
      Accumulator a = accumulators.get(k);
      for (int step = 1; step < together; step *= 2) {
        int by = step;
        code.open("");
        // The shuffles come first, because all lanes must take part in them.
        for (Accumulator.Part part : a.parts()) {
          code.line(
              String.format(
                  Locale.ROOT,
                  "const %1$s near%2$s = SHUFFLE_DOWN(a%3$d%2$s, %4$d, %5$d);",
                  part.type(),
                  part.suffix(),
                  k,
                  by,
                  together));
        }
        a.merge(code, "a" + k, suffix -> "near" + suffix);
        code.close();
      }
      if (together > 1) {
        for (Accumulator.Part part : a.parts()) {
          code.line(
              String.format(
                  Locale.ROOT,
                  "a%1$d%2$s = SHUFFLE(a%1$d%2$s, 0, %3$d);",
                  k,
                  part.suffix(),
                  together));
        }
      }
    }
  }

  private void foldColumns(Entry entry, List<Accumulator> accumulators, List<Integer> members) {
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
      a.merge(
          code,
          "a" + k,
          suffix -> String.format(Locale.ROOT, "t%d%s[LANE + step * %d]", k, suffix, rows));
      a.put(code, suffix -> "t" + k + suffix, "LANE", "a" + k);
    }
    code.close();
    code.line("BARRIER;");
    code.close();
    for (int k : members) {
      accumulators.get(k).take(code, "a" + k, "t" + k, "LANE % " + rows);
    }
  }
}
