package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Reductions on CPU drivers whose adjacent rows are adjacent in memory, such as column sums. A work
 * item reads the elements of several adjacent rows side by side and adds them to one accumulator
 * per row, which compilers vectorize.
 */
final class ColumnStrips {
  /**
   * Numbers of rows per work item; the largest one that leaves enough work items for all units is
   * taken.
   */
  private static final long[] WIDTHS = {512, 128, Strips.SHORTEST};

  private static final int ITEMS_A_UNIT = 4;

  private final RowBody row;
  private final Entry entry;
  private final Code code;
  private final Strips strips;

  private ColumnStrips(RowBody row, Entry entry) {
    this.row = row;
    this.entry = entry;
    this.code = entry.body;
    this.strips = new Strips(entry);
  }

  /** Returns true if this form suits the device and the layout. */
  static boolean suits(RowBody row) {
    return row.build.target.strips()
        && row.across()
        && !row.contiguous()
        && row.kept[row.kept.length - 1] >= Strips.SHORTEST
        && row.phaseCount() <= 1
        && row.stores(false).isEmpty()
        && row.accumulators.stream().allMatch(Accumulator::lanewise);
  }

  static void render(RowBody row) {
    new ColumnStrips(row, row.build.entry("ristretto_row")).render();
  }

  private void render() {
    int last = row.kept.length - 1;
    long[] outer = Arrays.copyOf(row.kept, last);
    long columns = row.kept[last];
    long lines = Build.product(outer);
    long width = width(lines, columns);
    long blocks = Build.ceil(columns, width);
    String type = entry.index();
    String blocksText = entry.constant(blocks);
    code.line(
        String.format(Locale.ROOT, "const %1$s line = (%1$s) POINT(0) / %2$s;", type, blocksText));
    code.line(
        String.format(
            Locale.ROOT, "const %1$s block = (%1$s) POINT(0) %% %2$s;", type, blocksText));
    String all = entry.constant(columns);
    var kept = new ArrayList<>(Reader.unravel(entry, code, "i", "line", outer));
    kept.add("c");
    code.line(String.format(Locale.ROOT, "const %s first = block * %d;", type, width));
    code.line(
        String.format(
            Locale.ROOT,
            "const %1$s size = %2$s - first < %3$d ? %2$s - first : %3$d;",
            type,
            all,
            width));
    for (int k = 0; k < row.accumulators.size(); k++) {
      var part = row.accumulators.get(k).parts().getFirst();
      code.line(part.type() + " w" + k + "[" + width + "];");
    }
    each(
        "" + width,
        k -> code.line("w" + k + "[l] = " + accumulator(k).parts().getFirst().start() + ";"));
    Reader reader = row.reader(entry, kept);
    code.open(
        String.format(
            Locale.ROOT, "for (%1$s j = 0; j < %2$s; j++)", type, entry.constant(row.length)));
    Reader.unravel(entry, code, "j", "j", row.reduced);
    strips.each(
        "l",
        "0",
        "size",
        () -> {
          declareColumn();
          Body body = row.body(entry, reader);
          body.emit(body.needed(row.inPhase(0).stream().map(row::term).toList()));
          for (int k = 0; k < row.accumulators.size(); k++) {
            code.line(
                "w"
                    + k
                    + "[l] = "
                    + accumulator(k).with("w" + k + "[l]", body.value(row.term(k)))
                    + ";");
          }
        });
    code.close();
    code.open("for (" + type + " l = 0; l < size; l++)");
    declareColumn();
    for (int k = 0; k < row.accumulators.size(); k++) {
      String result = Literal.type(accumulator(k).result());
      code.line("const " + result + " r" + k + " = " + accumulator(k).value("w" + k + "[l]") + ";");
    }
    row.storeRow(entry, reader, row.body(entry, reader));
    code.close();
    row.build.groups(entry, lines * blocks, 1);
  }

  private long width(long lines, long columns) {
    long enough = (long) ITEMS_A_UNIT * row.build.target.units();
    for (long width : WIDTHS) {
      if (lines * Build.ceil(columns, width) >= enough) {
        return width;
      }
    }
    return Strips.SHORTEST;
  }

  private Accumulator accumulator(int k) {
    return row.accumulators.get(k);
  }

  private void declareColumn() {
    code.line("const " + entry.index() + " c = first + l;");
  }

  private void each(String count, Consumer<Integer> statement) {
    strips.each(
        "l",
        "0",
        count,
        () -> {
          for (int k = 0; k < row.accumulators.size(); k++) {
            statement.accept(k);
          }
        });
  }
}
