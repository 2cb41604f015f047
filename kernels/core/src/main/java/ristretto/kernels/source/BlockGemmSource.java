package ristretto.kernels.source;

import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;

/**
 * Products with block-quantized matrices, which are decoded as they are read. For few rows of the
 * left operand, a row of blocks is decoded once for up to 8 of them; otherwise the product is a
 * tiled one, whose tiles are decoded.
 */
final class BlockGemmSource {
  /** Most rows of the left operand whose sums are kept together. */
  private static final int MOST_ROWS = 8;

  /** Most times that a row of blocks is decoded; for more rows, tiles take less time. */
  private static final int MOST_TIMES = 4;

  /** Most times on processors whose tiles are not vectorized. */
  private static final int MOST_TIMES_ALONE = 64;

  /**
   * Sums of a row that a work item keeps if it has the row for itself, so that compilers vectorize.
   */
  private static final int SUMS = 16;

  /**
   * Most rows of blocks of a work item where nothing is vectorized: they share the elements of the
   * left operand.
   */
  private static final int MOST_COLUMNS = 4;

  /** Sums where nothing is vectorized: enough to hide the latency of additions. */
  private static final int SCALAR_SUMS = 8;

  /** Lanes of a row on devices whose work items run together. */
  private static final int LANES = 32;

  private static final int LARGEST_GROUP = 128;

  private final Build build;
  private final Kernel.BlockGemm kernel;
  private final Optional<Kernel.Map> left;
  private final Optional<Kernel.Map> after;
  private final Entry entry;
  private final GemmParts parts;
  private final Code code;
  private final String index;
  private final int times;
  private final int rows;
  private final int lanes;
  private final int columns;

  BlockGemmSource(
      Build build, Kernel.BlockGemm kernel, Optional<Kernel.Map> left, Optional<Kernel.Map> after) {
    this.build = build;
    this.kernel = kernel;
    this.left = left;
    this.after = after;
    this.entry = build.entry("ristretto_blocks");
    this.parts = new GemmParts(build, entry, kernel, List.of());
    this.code = entry.body;
    this.index = entry.index();
    this.times = (int) Build.ceil(kernel.m(), MOST_ROWS);
    this.rows = times == 0 ? 0 : (int) Build.ceil(kernel.m(), times);
    this.lanes = build.target.rowGroup() >= LANES ? LANES : 1;
    boolean scalar = lanes == 1 && !build.target.strips() && rows > 0;
    this.columns = scalar ? Math.clamp(MOST_ROWS / rows, 1, MOST_COLUMNS) : 1;
  }

  /** Returns true if a product has few rows. */
  static boolean suits(Build build, Kernel.BlockGemm kernel) {
    boolean alone = build.target.rowGroup() == 1 && !build.target.strips();
    return kernel.m() <= (long) MOST_ROWS * (alone ? MOST_TIMES_ALONE : MOST_TIMES);
  }

  void render() {
    if (kernel.m() * kernel.n() == 0) {
      return;
    }
    int unit = Text.unit(kernel.format());
    long items = Build.ceil(kernel.n(), columns);
    int together = Lanes.rowsOf(build.target, items, lanes, lanes == 1 ? 1 : LARGEST_GROUP);
    var own = new Lanes(lanes, together, lanes > 1, 1, kernel.k());
    own.declareRow(entry, items);
    declareColumns(items);
    declareRows();
    String units = entry.constant(Build.ceil(kernel.k(), unit));
    code.line("const " + index + " units = inside ? " + units + " : 0;");
    if (lanes == 1) {
      sumAlone(unit);
    } else {
      sumTogether(unit, own);
    }
    List<Long> groups = List.of(Build.ceil(items, together), (long) times, 1L);
    build.grid(entry, groups, List.of((long) own.group(), 1L, 1L));
  }

  /** Declares the rows of blocks, which are columns of the product, and where they start. */
  private void declareColumns(long items) {
    Affine blocks = kernel.blocks().map();
    String offset = entry.constant(blocks.offset());
    String stride = entry.constant(blocks.strides().get(0));
    String n = entry.constant(kernel.n());
    for (int c = 0; c < columns; c++) {
      String column = "row + " + entry.constant(c * items);
      code.line("const flag has%s = inside && %s < %s;".formatted(c, column, n));
      code.line("const %1$s column%2$s = has%2$s ? %3$s : 0;".formatted(index, c, column));
      code.line(
          "const %1$s start%2$s = %3$s + column%2$s * %4$s;".formatted(index, c, offset, stride));
    }
  }

  /** Declares the rows of the left operand. Beyond the last row it is repeated, and not stored. */
  private void declareRows() {
    String m = entry.constant(kernel.m());
    for (int r = 0; r < rows; r++) {
      String name = "i" + r;
      if (times == 1) {
        code.line("const %s %s = %s;".formatted(index, name, r));
      } else {
        String next = "next" + r;
        code.line("const %s %s = (%s) GROUP(1) * %s + %s;".formatted(index, next, index, rows, r));
        code.line("const %s %s = %s < %s ? %s : %s - 1;".formatted(index, name, next, m, next, m));
      }
    }
  }

  /** Sums of a work item that has rows of blocks for itself. */
  private void sumAlone(int unit) {
    // Without vectors, a scale a unit takes less time than one an element.
    boolean vectors = build.target.strips();
    boolean late = !vectors && kernel.format() != BlockFormat.Q4_K;
    int count = vectors ? SUMS : SCALAR_SUMS;
    for (int c = 0; c < columns; c++) {
      for (int r = 0; r < rows; r++) {
        declareSums("sums" + c + r, count);
      }
    }
    code.open("for (" + index + " u = 0; u < units; u++)");
    Text text = Text.of(kernel, entry);
    for (int r = 0; !vectors && r < rows; r++) {
      code.line("f32 unit" + r + "[" + unit + "];");
      code.open("for (i32 j = 0; j < " + unit + "; j++)");
      code.line("const " + index + " e = u * " + unit + " + j;");
      declareLeft(text, r);
      code.line("unit%1$s[j] = a%1$s;".formatted(r));
      code.close();
    }
    for (int c = 0; c < columns; c++) {
      code.open("");
      text.declareUnit(code, "start" + c, "u");
      for (int r = 0; late && r < rows; r++) {
        declareSums("parts" + r, count);
      }
      code.open("for (i32 j = 0; j < " + unit + "; j += " + count + ")");
      if (vectors) {
        code.line("INDEPENDENT");
      }
      code.open("for (i32 q = 0; q < " + count + "; q++)");
      code.line("const i32 place = j + q;");
      declareValue(text, unit, "place", late);
      for (int r = 0; r < rows; r++) {
        String sum = (late ? "parts" : "sums" + c) + r + "[q]";
        if (vectors) {
          declareLeft(text, r);
        }
        String a = vectors ? "a" + r : "unit" + r + "[place]";
        code.line("%1$s = fma_f32(value, %2$s, %1$s);".formatted(sum, a));
      }
      code.close();
      code.close();
      for (int r = 0; late && r < rows; r++) {
        code.line(
            "for (i32 q = 0; q < %1$s; q++) sums%2$s[q] = fma_f32(parts%3$s[q], scale, sums%2$s[q]);"
                .formatted(count, "" + c + r, r));
      }
      code.close();
    }
    code.close();
    String all = "for (i32 q = 0; q < %1$s; q++) sum%2$s += sums%2$s[q];";
    for (int c = 0; c < columns; c++) {
      for (int r = 0; r < rows; r++) {
        code.line("f32 sum%s%s = 0;".formatted(c, r));
        code.line(all.formatted(count, "" + c + r));
      }
    }
    for (int c = 0; c < columns; c++) {
      String sum = "sum" + c;
      store("has" + c, "column" + c, r -> sum + r);
    }
  }

  /** Declares element {@code e} of a row of the left operand. */
  private void declareLeft(Text text, int r) {
    code.line("f32 a" + r + " = 0;");
    // A block of its own, because prologues declare variables.
    code.open(kernel.format() == BlockFormat.I8 ? "if (e < " + text.k() + ")" : "");
    code.line("a" + r + " = " + parts.left(left, "i" + r, "e") + ";");
    code.close();
  }

  private void declareSums(String name, int count) {
    code.line("f32 " + name + "[" + count + "];");
    code.line("for (i32 q = 0; q < " + count + "; q++) " + name + "[q] = 0;");
  }

  /** Sums of lanes that share a row; adjacent lanes have adjacent elements. */
  private void sumTogether(int unit, Lanes own) {
    int group = own.group();
    entry.declare("LOCAL f32 sums[" + rows * group + "];");
    code.line("const i32 place = lane % " + unit + ";");
    for (int r = 0; r < rows; r++) {
      code.line("f32 sum" + r + " = 0;");
    }
    code.open("for (%s u = lane / %s; u < units; u += %s)".formatted(index, unit, lanes / unit));
    Text text = Text.of(kernel, entry);
    text.declareUnit(code, "start0", "u");
    declareValue(text, unit, "place", false);
    for (int r = 0; r < rows; r++) {
      declareLeft(text, r);
      code.line("sum%1$s = fma_f32(value, a%1$s, sum%1$s);".formatted(r));
    }
    code.close();
    for (int r = 0; r < rows; r++) {
      code.line("sums[" + r * group + " + LANE] = sum" + r + ";");
    }
    code.line("BARRIER;");
    code.open("for (i32 step = " + lanes / 2 + "; step > 0; step /= 2)");
    code.open("if (lane < step)");
    for (int r = 0; r < rows; r++) {
      String mine = "sums[" + r * group + " + LANE";
      code.line(mine + "] = " + mine + "] + " + mine + " + step];");
    }
    code.close();
    code.line("BARRIER;");
    code.close();
    store("has0 && lane == 0", "column0", r -> "sums[" + r * group + " + LANE]");
  }

  /**
   * Declares an element of a unit.
   *
   * @param late true if sums are scaled later
   */
  private void declareValue(Text text, int unit, String place, boolean late) {
    code.line("const " + index + " e = u * " + unit + " + " + place + ";");
    if (late) {
      text.declareCode(code, place, "e");
      code.line("const f32 value = (f32) code;");
    } else {
      text.declareElement(code, place, "e");
    }
  }

  private void store(String condition, String column, IntFunction<String> sum) {
    code.open("if (" + condition + ")");
    for (int r = 0; r < rows; r++) {
      code.open(times == 1 ? "" : "if (next" + r + " < " + entry.constant(kernel.m()) + ")");
      parts.store(after, "i" + r, column, sum.apply(r));
      code.close();
    }
    code.close();
  }

  /**
   * Elements of a block-quantized matrix as text. A row consists of units: consecutive elements
   * with the same scale.
   *
   * @param bytes name of the pointer to the bytes of the matrix
   * @param k name of the number of elements of a row
   */
  record Text(BlockFormat format, Entry entry, String bytes, String k) {
    static Text of(Kernel.BlockGemm kernel, Entry entry) {
      String bytes = entry.memory(ScalarType.U8, kernel.blocks().buffer(), false);
      return new Text(kernel.format(), entry, bytes, entry.constant(kernel.k()));
    }

    /** Length of a unit, a power of 2; the last unit of an {@code I8} row may be shorter. */
    static int unit(BlockFormat format) {
      return format == BlockFormat.Q6_K ? 16 : 32;
    }

    /**
     * Declares {@code scale} of unit {@code u}, its {@code shift} if the format has one, and what
     * {@link #element} needs.
     *
     * @param row expression of the first byte of the row
     */
    void declareUnit(Code code, String row, String u) {
      int units = format.length() / unit(format);
      String index = entry.index();
      if (format == BlockFormat.I8) {
        declareBytes(code, row, 0, 1, 2, 3);
        code.line("const f32 scale = F32_BITS(raw0 | raw1 << 8 | raw2 << 16 | raw3 << 24);");
        code.line("const " + index + " codes = " + row + " + 4 + " + u + " * 32;");
        return;
      }
      String block = units == 1 ? u : "(" + u + " / " + units + ")";
      code.line("const %s head = %s + %s * %s;".formatted(index, row, block, format.bytes()));
      if (units > 1) {
        code.line("const i32 part = (i32) (" + u + " % " + units + ");");
      }
      switch (format) {
        case Q8_0, Q4_0 -> {
          declareBytes(code, "head", 0, 1);
          code.line("const f32 scale = " + half("raw0", "raw1") + ";");
          code.line("const " + index + " codes = head + 2;");
        }
        case Q4_K -> {
          declareBytes(code, "head", 0, 1, 2, 3);
          code.line("const i32 own = " + bytes + "[head + 4 + part];");
          code.line("const i32 next = " + bytes + "[head + 8 + part];");
          code.line("const i32 lower = " + bytes + "[head + 4 + part % 4];");
          code.line("const i32 gain = part < 4 ? own & 63 : next & 15 | lower >> 6 << 4;");
          code.line("const i32 drop = part < 4 ? next & 63 : next >> 4 | own >> 6 << 4;");
          code.line("const f32 scale = " + half("raw0", "raw1") + " * (f32) gain;");
          code.line("const f32 shift = " + half("raw2", "raw3") + " * (f32) drop;");
          code.line("const " + index + " codes = head + 16 + part / 2 * 32;");
          code.line("const i32 bits = part % 2 * 4;");
        }
        case Q6_K -> {
          code.line("const i32 raw0 = " + bytes + "[head + 208];");
          code.line("const i32 raw1 = " + bytes + "[head + 209];");
          code.line("const i32 gain = (" + bytes + "[head + 192 + part] ^ 128) - 128;");
          code.line("const f32 scale = " + half("raw0", "raw1") + " * (f32) gain;");
          code.line("const " + index + " codes = head + part / 8 * 64 + part % 4 * 16;");
          code.line("const i32 bits = part % 8 / 4 * 4;");
          code.line("const " + index + " tops = head + 128 + part / 8 * 32 + part % 2 * 16;");
          code.line("const i32 twos = part % 8 / 2 * 2;");
        }
        case I8 -> throw new AssertionError(format);
      }
    }

    private void declareBytes(Code code, String from, int... offsets) {
      for (int d : offsets) {
        code.line("const i32 raw%s = %s[%s + %s];".formatted(d, bytes, from, d));
      }
    }

    private static String half(String low, String high) {
      return "f32_of_f16((u16) (" + low + " | " + high + " << 8))";
    }

    /**
     * Declares {@code value}, the element {@code j} of the unit that {@link #declareUnit} declared.
     *
     * @param e number of the element in its row, which may be k or more for {@code I8}; the value
     *     is 0 then
     */
    void declareElement(Code code, String j, String e) {
      declareCode(code, j, e);
      String shift = format == BlockFormat.Q4_K ? " - shift" : "";
      code.line("const f32 value = scale * (f32) code" + shift + ";");
    }

    /** Declares {@code code}, the integer of an element. */
    private void declareCode(Code code, String j, String e) {
      switch (format) {
        case Q8_0 -> code.line("const i32 code = (" + bytes + "[codes + " + j + "] ^ 128) - 128;");
        case Q4_0 ->
            code.line(
                "const i32 code = (%1$s[codes + %2$s %% 16] >> %2$s / 16 * 4 & 15) - 8;"
                    .formatted(bytes, j));
        case Q4_K -> code.line("const i32 code = " + bytes + "[codes + " + j + "] >> bits & 15;");
        case Q6_K -> {
          code.line("const i32 lows = " + bytes + "[codes + " + j + "] >> bits & 15;");
          code.line("const i32 highs = " + bytes + "[tops + " + j + "] >> twos & 3;");
          code.line("const i32 code = (lows | highs << 4) - 32;");
        }
        case I8 ->
            code.line(
                "const i32 code = %s < %s ? (%s[codes + %s] ^ 128) - 128 : 0;"
                    .formatted(e, k, bytes, j));
      }
    }
  }
}
