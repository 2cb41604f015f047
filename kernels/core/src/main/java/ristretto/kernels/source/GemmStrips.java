package ristretto.kernels.source;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import ristretto.kernels.ir.Kernel;

/**
 * Matrix products for CPU drivers. A work item computes a tile of the result: it packs pieces of
 * both operands into panels that stay in the caches, and multiplies panels of {@link #HIGH} rows
 * with panels of two vectors of columns in registers.
 */
final class GemmStrips {
  /** Rows of a register block; with two vectors of columns, twelve vectors of sums. */
  private static final int HIGH = 6;

  private static final int ROWS = 96;

  /** Depth of a piece, in bytes per column; a panel of columns stays in the first-level cache. */
  private static final int DEPTH_BYTES = 512;

  private static final int COLUMN_BYTES = 1024;

  private final Build build;
  private final Kernel.Product gemm;
  private final Optional<Kernel.Map> left;
  private final Optional<Kernel.Map> right;
  private final Optional<Kernel.Map> after;
  private final Entry entry;
  private final Code code;
  private final String t;
  private final String index;
  private final String vector;
  private final int depth;
  private final int wide;
  private final int columns;

  GemmStrips(
      Build build,
      Kernel.Product gemm,
      Optional<Kernel.Map> left,
      Optional<Kernel.Map> right,
      Optional<Kernel.Map> after) {
    this.build = build;
    this.gemm = gemm;
    this.left = left;
    this.right = right;
    this.after = after;
    int bytes = gemm.type().bytes();
    int lanes = build.target.vectorBytes() / bytes;
    entry = build.entry("ristretto_gemm");
    code = entry.body;
    t = Literal.type(gemm.type());
    index = entry.index();
    vector = t + "x" + lanes;
    wide = 2 * lanes;
    depth = DEPTH_BYTES / bytes;
    long tiles = Build.ceil(gemm.m(), ROWS) * gemm.batch().product();
    boolean many = tiles * gemm.n() * bytes >= 8L * COLUMN_BYTES * build.target.units();
    columns = (many ? COLUMN_BYTES : COLUMN_BYTES / 2) / bytes;
  }

  static boolean suits(Build build, Kernel.Product gemm) {
    long bytes =
        (long) ROWS * DEPTH_BYTES
            + (long) COLUMN_BYTES * DEPTH_BYTES / gemm.type().bytes()
            + (long) ROWS * COLUMN_BYTES;
    return build.target.strips() && bytes <= build.target.localBytes();
  }

  void render() {
    entry.declare("LOCAL ALIGNED(64) " + t + " left[" + ROWS * depth + "];");
    entry.declare("LOCAL ALIGNED(64) " + t + " right[" + columns * depth + "];");
    entry.declare("LOCAL ALIGNED(64) " + t + " sums[" + ROWS * columns + "];");
    code.line(String.format(Locale.ROOT, "const %1$s row = (%1$s) GROUP(1) * %2$d;", index, ROWS));
    code.line(
        String.format(Locale.ROOT, "const %1$s column = (%1$s) GROUP(0) * %2$d;", index, columns));
    code.line(String.format(Locale.ROOT, "const %1$s matrix = (%1$s) GROUP(2);", index));
    List<String> batch = Reader.unravel(entry, code, "i", "matrix", gemm.batch().toArray());
    var parts = new GemmParts(build, entry, gemm, batch);
    least("i32", "rows", entry.constant(gemm.m()) + " - row", ROWS);
    least("i32", "columns", entry.constant(gemm.n()) + " - column", columns);
    code.line(
        String.format(
            Locale.ROOT, "const i32 high = (rows + %d) / %d * %d;", HIGH - 1, HIGH, HIGH));
    code.line("for (i32 q = 0; q < high * " + columns + "; q++) sums[q] = 0;");
    String all = entry.constant(gemm.k());
    code.open(
        String.format(
            Locale.ROOT, "for (%1$s first = 0; first < %2$s; first += %3$d)", index, all, depth));
    least("i32", "deep", all + " - first", depth);
    packLeft(parts);
    packRight(parts);
    code.open("for (i32 x = 0; x < columns; x += " + wide + ")");
    code.open("for (i32 y = 0; y < high; y += " + HIGH + ")");
    block();
    code.close();
    code.close();
    code.close();
    store(parts);
    build.grid(
        entry,
        List.of(Build.ceil(gemm.n(), columns), Build.ceil(gemm.m(), ROWS), gemm.batch().product()),
        List.of(1L, 1L, 1L));
  }

  private void least(String type, String name, String value, int most) {
    code.line(
        String.format(
            Locale.ROOT,
            "const %1$s %2$s = %3$s < %4$d ? (%1$s) (%3$s) : %4$d;",
            type,
            name,
            value,
            most));
  }

  private void loop(boolean independent, String variable, String from, String to) {
    if (independent) {
      code.line("INDEPENDENT");
    }
    code.open(
        String.format(
            Locale.ROOT, "for (i32 %1$s = %2$s; %1$s < %3$s; %1$s++)", variable, from, to));
  }

  /**
   * Packs the left piece into panels of {@link #HIGH} rows: the elements of these rows for each
   * index along the depth.
   */
  private void packLeft(GemmParts parts) {
    boolean along = GemmParts.alongLast(gemm.a(), left);
    String to =
        String.format(
            Locale.ROOT, "left[s / %1$d * %2$d + d * %1$d + s %% %1$d]", HIGH, HIGH * depth);
    loop(false, along ? "s" : "d", "0", along ? "rows" : "deep");
    loop(true, along ? "d" : "s", "0", along ? "deep" : "rows");
    code.line("const " + index + " side = row + s;");
    code.line("const " + index + " place = first + d;");
    String element = parts.left(left, "side", "place");
    code.line(to + " = " + element + ";");
    code.close();
    code.close();
    loop(false, "s", "rows", "high");
    code.line("for (i32 d = 0; d < deep; d++) " + to + " = 0;");
    code.close();
  }

  /** Packs the right piece into panels of two vectors of columns. */
  private void packRight(GemmParts parts) {
    boolean along = GemmParts.rightAlongLast(gemm, right);
    String to = String.format(Locale.ROOT, "right[x * %1$d + d * %2$d + v]", depth, wide);
    code.open("for (i32 x = 0; x < columns; x += " + wide + ")");
    least("i32", "width", "columns - x", wide);
    loop(false, along ? "d" : "v", "0", along ? "deep" : "width");
    loop(true, along ? "v" : "d", "0", along ? "width" : "deep");
    code.line("const " + index + " side = column + x + v;");
    code.line("const " + index + " place = first + d;");
    String element = parts.right(right, "place", "side");
    code.line(to + " = " + element + ";");
    code.close();
    code.close();
    loop(false, "d", "0", "deep");
    code.line("for (i32 v = width; v < " + wide + "; v++) " + to + " = 0;");
    code.close();
    code.close();
  }

  /** Multiplies the block at (y, x); its sums stay in registers over the whole depth. */
  private void block() {
    code.line("LOCAL const " + t + "* a = left + y * " + depth + ";");
    code.line(
        String.format(
            Locale.ROOT,
            "LOCAL const %1$s* b = (LOCAL const %1$s*) (right + x * %2$d);",
            vector,
            depth));
    code.line(
        String.format(
            Locale.ROOT,
            "LOCAL %1$s* c = (LOCAL %1$s*) (sums + y * %2$d + x * %3$d);",
            vector,
            columns,
            HIGH));
    for (int k = 0; k < 2 * HIGH; k++) {
      code.line(vector + " c" + k + " = c[" + k + "];");
    }
    loop(false, "d", "0", "deep");
    code.line("const " + vector + " b0 = b[2 * d];");
    code.line("const " + vector + " b1 = b[2 * d + 1];");
    for (int u = 0; u < HIGH; u++) {
      code.line(
          String.format(
              Locale.ROOT, "const %1$s a%2$d = (%1$s) (a[d * %3$d + %2$d]);", vector, u, HIGH));
      for (int v = 0; v < 2; v++) {
        code.line(String.format(Locale.ROOT, "c%1$d = fma(a%2$d, b%3$d, c%1$d);", 2 * u + v, u, v));
      }
    }
    code.close();
    for (int k = 0; k < 2 * HIGH; k++) {
      code.line("c[" + k + "] = c" + k + ";");
    }
  }

  private void store(GemmParts parts) {
    code.line("const " + t + " alpha = " + parts.factor() + ";");
    loop(false, "s", "0", "rows");
    code.open("for (i32 x = 0; x < columns; x += " + wide + ")");
    least("i32", "width", "columns - x", wide);
    code.line(
        String.format(
            Locale.ROOT,
            "const i32 at = s / %1$d * %2$d + x * %1$d + s %% %1$d * %3$d;",
            HIGH,
            HIGH * columns,
            wide));
    loop(true, "v", "0", "width");
    code.line("const " + index + " i = row + s;");
    code.line("const " + index + " j = column + x + v;");
    parts.store(after, "i", "j", "alpha * sums[at + v]");
    code.close();
    code.close();
    code.close();
  }
}
