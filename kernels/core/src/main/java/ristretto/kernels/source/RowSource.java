package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import ristretto.kernels.ir.Kernel;

/**
 * Renders Row kernels: reductions in phases, then the stores. With many rows, each row has some
 * lanes of a work group; a few long rows are rendered by {@link RowChunks}.
 */
final class RowSource {
  private RowSource() {}

  static void render(Build build, Kernel.Row kernel) {
    var row = new RowBody(build, kernel);
    if (row.rows == 0) {
      return;
    }
    if (build.target.warps() && row.accumulators.stream().noneMatch(Accumulator::ordered)) {
      RowWarps.render(row);
      return;
    }
    Lanes lanes = Lanes.of(build.target, row.rows, row.length, row.accumulators);
    if (lanes.chunks() > 1) {
      new RowChunks(row, lanes).render();
    } else if (ColumnStrips.suits(row)) {
      ColumnStrips.render(row);
    } else if (RowStrips.suits(row)) {
      RowStrips.render(row);
    } else {
      together(row, lanes);
    }
  }

  private static void together(RowBody row, Lanes lanes) {
    Entry entry = row.build.entry("ristretto_row");
    Code code = entry.body;
    String type = entry.index();
    lanes.declareRow(entry, row.rows);
    String count = entry.constant(row.length);
    List<String> variables = new ArrayList<>(Reader.unravel(entry, code, "i", "row", row.kept));
    for (int k = 0; k < row.accumulators.size(); k++) {
      code.line(Literal.type(row.accumulators.get(k).result()) + " r" + k + ";");
    }
    code.line("const " + type + " count = inside ? " + count + " : 0;");
    Reader reader = row.reader(entry, variables);
    Body body = row.body(entry, reader);
    for (int phase = 0; phase < row.phaseCount(); phase++) {
      List<Integer> members = row.inPhase(phase);
      code.open("");
      row.accumulate(entry, body, members, lanes, "0", "count");
      lanes.fold(entry, row.accumulators, members);
      for (int k : members) {
        code.line("r" + k + " = " + row.accumulators.get(k).value("a" + k) + ";");
      }
      code.close();
    }
    storeElements(row, entry, reader, body, lanes);
    storeRow(row, entry, reader, body, lanes);
    row.build.groups(entry, Build.ceil(row.rows, lanes.rows()), lanes.group());
  }

  private static void storeElements(
      RowBody row, Entry entry, Reader reader, Body body, Lanes lanes) {
    if (row.stores(false).isEmpty()) {
      return;
    }
    Code code = entry.body;
    code.open("");
    BitSet stored = row.stored(body, false);
    row.emitSame(body, stored);
    lanes.loop(entry, false, "0", "count");
    Reader.unravel(entry, code, "j", "j", row.reduced);
    row.emitVarying(body, stored);
    row.store(entry, reader, body, false);
    code.close();
    code.close();
  }

  /** Renders the stores that run once per row, after all lanes have read the row. */
  private static void storeRow(RowBody row, Entry entry, Reader reader, Body body, Lanes lanes) {
    if (row.stores(true).isEmpty()) {
      return;
    }
    lanes.barrier(entry);
    entry.body.open("if (inside && lane == 0)");
    row.storeRow(entry, reader, body);
    entry.body.close();
  }
}
