package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;

/**
 * Products in tiles: a work group brings a piece of both operands into its memory, and each work
 * item computes a block of the result.
 */
final class GemmSource {
  /** Depth of a piece. */
  private static final int DEPTH = 16;

  /** Work items of a group, in both directions. */
  private static final int SIDE = 16;

  /** From here on, work items compute blocks of 4 by 4. */
  private static final int LARGE = 64;

  private GemmSource() {}

  static void render(Build build, Kernel.Gemm k) {
    if (k.m() * k.n() * k.batch().product() == 0) {
      return;
    }
    long bytes = 2L * k.type().bytes() * DEPTH * SIDE;
    int block = Math.min(k.m(), k.n()) >= LARGE && 4 * bytes <= build.target.localBytes() ? 4 : 1;
    int tile = SIDE * block;
    Entry entry = build.entry("ristretto_gemm");
    Code code = entry.body;
    String t = Literal.type(k.type());
    String index = entry.index();
    String m = entry.constant(k.m());
    String n = entry.constant(k.n());
    String depth = entry.constant(k.k());
    entry.declare("LOCAL " + t + " left[" + DEPTH * tile + "];");
    entry.declare("LOCAL " + t + " right[" + DEPTH * tile + "];");
    code.line("const " + index + " x = LANE % " + SIDE + ";");
    code.line("const " + index + " y = LANE / " + SIDE + ";");
    code.line("const " + index + " row = (" + index + ") GROUP(1) * " + tile + ";");
    code.line("const " + index + " column = (" + index + ") GROUP(0) * " + tile + ";");
    code.line("const " + index + " matrix = (" + index + ") GROUP(2);");
    List<String> batch = Reader.unravel(entry, code, "i", "matrix", k.batch().toArray());
    code.line(t + " sums[" + block * block + "];");
    code.line("for (i32 q = 0; q < " + block * block + "; q++) sums[q] = 0;");
    code.open("for (" + index + " first = 0; first < " + depth + "; first += " + DEPTH + ")");
    load(entry, k.a(), batch, "left", tile, m, depth, true);
    load(entry, k.b(), batch, "right", tile, n, depth, false);
    code.line("BARRIER;");
    code.open("for (i32 d = 0; d < " + DEPTH + "; d++)");
    code.open("for (i32 u = 0; u < " + block + "; u++)");
    code.line("const " + t + " a = left[d * " + tile + " + y + u * " + SIDE + "];");
    code.open("for (i32 v = 0; v < " + block + "; v++)");
    code.line(
        "sums[u * "
            + block
            + " + v] = fma_"
            + t
            + "(a, right[d * "
            + tile
            + " + x + v * "
            + SIDE
            + "], sums[u * "
            + block
            + " + v]);");
    code.close();
    code.close();
    code.close();
    code.line("BARRIER;");
    code.close();
    store(entry, k, batch, block, m, n);
    build.grid(
        entry,
        List.of(Build.ceil(k.n(), tile), Build.ceil(k.m(), tile), k.batch().product()),
        List.of((long) SIDE * SIDE, 1L, 1L));
  }

  /** Work items that are neighbours read neighbouring elements, along whichever axis they lie. */
  private static void load(
      Entry entry,
      Operand.Memory operand,
      List<String> batch,
      String piece,
      int tile,
      String extent,
      String depth,
      boolean left) {
    Code code = entry.body;
    Longs strides = operand.map().strides();
    int rank = strides.size();
    boolean alongDepth = strides.get(left ? rank - 1 : rank - 2) == 1;
    String index = entry.index();
    code.open("for (i32 e = (i32) LANE; e < " + DEPTH * tile + "; e += " + SIDE * SIDE + ")");
    code.line("const i32 d = " + (alongDepth ? "e % " + DEPTH : "e / " + tile) + ";");
    code.line("const i32 s = " + (alongDepth ? "e / " + DEPTH : "e % " + tile) + ";");
    code.line("const " + index + " side = " + (left ? "row" : "column") + " + s;");
    code.line("const " + index + " deep = first + d;");
    var variables = new ArrayList<>(batch);
    variables.addAll(left ? List.of("side", "deep") : List.of("deep", "side"));
    String element = place(entry, operand.map(), variables);
    String memory = entry.memory(operand.storage(), operand.buffer(), false);
    code.line(
        piece
            + "[d * "
            + tile
            + " + s] = side < "
            + extent
            + " && deep < "
            + depth
            + " ? "
            + memory
            + "["
            + element
            + "] : 0;");
    code.close();
  }

  private static String place(Entry entry, Affine map, List<String> variables) {
    var terms = new ArrayList<String>();
    terms.add(entry.constant(map.offset()));
    for (int d = 0; d < variables.size(); d++) {
      long stride = map.strides().get(d);
      if (stride != 0) {
        terms.add(variables.get(d) + (stride == 1 ? "" : " * " + entry.constant(stride)));
      }
    }
    return String.join(" + ", terms);
  }

  private static void store(
      Entry entry, Kernel.Gemm k, List<String> batch, int block, String m, String n) {
    Code code = entry.body;
    String t = Literal.type(k.type());
    String index = entry.index();
    code.line("const " + t + " alpha = " + entry.real(k.type(), k.alpha()) + ";");
    String factor =
        k.scale().map(v -> "alpha * " + entry.scalar(v.type(), v.argument())).orElse("alpha");
    code.open("for (i32 u = 0; u < " + block + "; u++)");
    code.open("for (i32 v = 0; v < " + block + "; v++)");
    code.line("const " + index + " i = row + y + u * " + SIDE + ";");
    code.line("const " + index + " j = column + x + v * " + SIDE + ";");
    code.open("if (i < " + m + " && j < " + n + ")");
    var variables = new ArrayList<>(batch);
    variables.addAll(List.of("i", "j"));
    code.line("const " + index + " at = " + place(entry, k.c().map(), variables) + ";");
    String memory = entry.memory(k.c().storage(), k.c().buffer(), true);
    String product = factor + " * sums[u * " + block + " + v]";
    if (k.beta() != 0) {
      String beta = entry.real(k.type(), k.beta());
      product = "fma_" + t + "(" + beta + ", " + memory + "[at], " + product + ")";
    }
    code.line(memory + "[at] = " + product + ";");
    code.close();
    code.close();
    code.close();
  }
}
