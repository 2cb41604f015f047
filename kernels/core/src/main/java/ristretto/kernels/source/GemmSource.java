package ristretto.kernels.source;

import java.util.List;
import java.util.Optional;
import ristretto.kernels.ir.Kernel;

/**
 * Tiled matrix products: a work group copies a piece of both operands to its local memory, and each
 * work item computes a block of the result.
 */
final class GemmSource {
  /** Depth of a piece, in elements. */
  private static final int DEPTH = 16;

  /** Work items of a group, in each of both directions. */
  private static final int SIDE = 16;

  /** Smallest m and n for which work items compute blocks of 4 by 4. */
  private static final int LARGE = 64;

  private final Build build;
  private final Kernel.Product gemm;
  private final Optional<Kernel.Map> left;
  private final Optional<Kernel.Map> right;
  private final Optional<Kernel.Map> after;

  GemmSource(Build build, Kernel.FusedGemm fused) {
    this(build, fused.gemm(), fused.left(), fused.right(), fused.after());
  }

  private GemmSource(
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
  }

  void render() {
    if (gemm.m() * gemm.n() * gemm.batch().product() == 0) {
      return;
    }
    if (GemmStrips.suits(build, gemm)) {
      new GemmStrips(build, gemm, left, right, after).render();
      return;
    }
    long bytes = 2L * gemm.type().bytes() * DEPTH * SIDE;
    boolean large = Math.min(gemm.m(), gemm.n()) >= LARGE;
    int block = large && 4 * bytes <= build.target.localBytes() ? 4 : 1;
    int tile = SIDE * block;
    Entry entry = build.entry("ristretto_gemm");
    Code code = entry.body;
    String t = Literal.type(gemm.type());
    String index = entry.index();
    String m = entry.constant(gemm.m());
    String n = entry.constant(gemm.n());
    String depth = entry.constant(gemm.k());
    entry.declare("LOCAL " + t + " left[" + DEPTH * tile + "];");
    entry.declare("LOCAL " + t + " right[" + DEPTH * tile + "];");
    code.line("const " + index + " x = LANE % " + SIDE + ";");
    code.line("const " + index + " y = LANE / " + SIDE + ";");
    List<Long> groups =
        List.of(Build.ceil(gemm.n(), tile), Build.ceil(gemm.m(), tile), gemm.batch().product());
    place(entry, groups, tile);
    List<String> batch = Reader.unravel(entry, code, "i", "matrix", gemm.batch().toArray());
    var parts = new GemmParts(build, entry, gemm, batch);
    code.line(t + " sums[" + block * block + "];");
    code.line("for (i32 q = 0; q < " + block * block + "; q++) sums[q] = 0;");
    code.open("for (" + index + " first = 0; first < " + depth + "; first += " + DEPTH + ")");
    load(entry, parts, "left", tile, m, depth);
    load(entry, parts, "right", tile, n, depth);
    code.line("BARRIER;");
    code.open("for (i32 d = 0; d < " + DEPTH + "; d++)");
    code.open("for (i32 u = 0; u < " + block + "; u++)");
    code.line("const " + t + " a = left[d * " + tile + " + y + u * " + SIDE + "];");
    code.open("for (i32 v = 0; v < " + block + "; v++)");
    code.line(
        "sums[u * %s + v] = fma_%s(a, right[d * %s + x + v * %s], sums[u * %s + v]);"
            .formatted(block, t, tile, SIDE, block));
    code.close();
    code.close();
    code.close();
    code.line("BARRIER;");
    code.close();
    store(entry, parts, block, m, n);
    if (build.target.warps()) {
      build.groups(entry, groups.get(0) * groups.get(1) * groups.get(2), SIDE * SIDE);
    } else {
      build.grid(entry, groups, List.of((long) SIDE * SIDE, 1L, 1L));
    }
  }

  /**
   * Assigns a tile to each group. For a target with warps, whose second and third launch dimensions
   * are limited, tiles are enumerated along the first one.
   */
  private void place(Entry entry, List<Long> groups, int tile) {
    Code code = entry.body;
    String index = entry.index();
    String x = "GROUP(0)";
    String y = "GROUP(1)";
    String z = "GROUP(2)";
    if (build.target.warps()) {
      String across = entry.constant(groups.get(0));
      String down = entry.constant(groups.get(1));
      code.line("const " + index + " tile = (" + index + ") GROUP(0);");
      x = "tile % " + across;
      y = "tile / " + across + " % " + down;
      z = "tile / " + across + " / " + down;
    }
    code.line("const " + index + " row = (" + index + ") (" + y + ") * " + tile + ";");
    code.line("const " + index + " column = (" + index + ") (" + x + ") * " + tile + ";");
    code.line("const " + index + " matrix = (" + index + ") (" + z + ");");
  }

  /**
   * Loads a piece into local memory. Adjacent work items read adjacent elements, along either axis.
   */
  private void load(
      Entry entry, GemmParts parts, String piece, int tile, String extent, String depth) {
    Code code = entry.body;
    boolean first = piece.equals("left");
    boolean last =
        first ? GemmParts.alongLast(gemm.a(), left) : GemmParts.rightAlongLast(gemm, right);
    boolean alongDepth = last == first;
    String t = Literal.type(gemm.type());
    String index = entry.index();
    code.open("for (i32 e = (i32) LANE; e < " + DEPTH * tile + "; e += " + SIDE * SIDE + ")");
    code.line("const i32 d = " + (alongDepth ? "e % " + DEPTH : "e / " + tile) + ";");
    code.line("const i32 s = " + (alongDepth ? "e / " + DEPTH : "e % " + tile) + ";");
    code.line("const " + index + " side = " + (first ? "row" : "column") + " + s;");
    code.line("const " + index + " deep = first + d;");
    code.line(t + " element = 0;");
    code.open("if (side < " + extent + " && deep < " + depth + ")");
    String element = first ? parts.left(left, "side", "deep") : parts.right(right, "deep", "side");
    code.line("element = " + element + ";");
    code.close();
    code.line(piece + "[d * " + tile + " + s] = element;");
    code.close();
  }

  private void store(Entry entry, GemmParts parts, int block, String m, String n) {
    Code code = entry.body;
    String t = Literal.type(gemm.type());
    String index = entry.index();
    code.line("const " + t + " alpha = " + parts.factor() + ";");
    code.open("for (i32 u = 0; u < " + block + "; u++)");
    code.open("for (i32 v = 0; v < " + block + "; v++)");
    code.line("const " + index + " i = row + y + u * " + SIDE + ";");
    code.line("const " + index + " j = column + x + v * " + SIDE + ";");
    code.open("if (i < " + m + " && j < " + n + ")");
    parts.store(after, "i", "j", "alpha * sums[u * " + block + " + v]");
    code.close();
    code.close();
    code.close();
  }
}
