package ristretto.kernels.source;

import java.util.List;
import java.util.Locale;

/**
 * Row kernels for GPUs with warps: one kernel if each row belongs to one group. If several groups
 * share a row, each phase has a kernel that accumulates every chunk and one that combines the
 * chunks of a row; kernels for the stores follow.
 */
final class RowWarps {
  private final RowBody row;
  private final Build build;
  private final WarpLanes lanes;

  private RowWarps(RowBody row) {
    this.row = row;
    this.build = row.build;
    this.lanes = WarpLanes.of(build.target, row, row.varying.cardinality());
  }

  static void render(RowBody row) {
    var source = new RowWarps(row);
    if (source.lanes.chunks() == 1) {
      source.together();
    } else {
      source.chunks();
    }
  }

  private void together() {
    Entry entry = build.entry("ristretto_row");
    Code code = entry.body;
    lanes.declare(entry, row.rows, row.length);
    var tiles = new RowTiles(row, entry, lanes, Reader.unravel(entry, code, "i", "row", row.kept));
    for (int k = 0; k < row.accumulators.size(); k++) {
      code.line(Literal.type(row.accumulators.get(k).result()) + " r" + k + ";");
    }
    for (int phase = 0; phase < row.phaseCount(); phase++) {
      List<Integer> members = row.inPhase(phase);
      code.open("");
      tiles.accumulate(members);
      lanes.fold(entry, row.accumulators, members);
      members.forEach(k -> code.line(String.format(Locale.ROOT, "r%d = %s;", k, value(k))));
      code.close();
    }
    if (!row.targets(false).isEmpty()) {
      code.open("");
      tiles.store();
      code.close();
    }
    if (!row.targets(true).isEmpty()) {
      // Stores once per row run after all lanes have read the row.
      code.line("BARRIER;");
      code.open("if (inside && lane == 0)");
      tiles.storeRow();
      code.close();
    }
    build.groups(entry, lanes.groups(row.rows), lanes.group());
  }

  private String value(int k) {
    return row.accumulators.get(k).value("a" + k);
  }

  private void chunks() {
    var parts = new RowParts(row, lanes.chunks());
    int last = row.phaseCount() - 1;
    boolean elements = !row.targets(false).isEmpty();
    for (int phase = 0; phase <= last; phase++) {
      accumulate(parts, phase);
      combine(parts, phase, phase == last && !elements);
    }
    if (elements) {
      storeElements(parts);
      if (!row.targets(true).isEmpty()) {
        parts.storeRows();
      }
    }
  }

  private void accumulate(RowParts parts, int phase) {
    List<Integer> members = row.inPhase(phase);
    Entry entry = build.entry("ristretto_row_chunks" + phase);
    Code code = entry.body;
    lanes.declare(entry, row.rows, row.length);
    List<String> variables = Reader.unravel(entry, code, "i", "row", row.kept);
    parts.readResults(entry, phase);
    new RowTiles(row, entry, lanes, variables).accumulate(members);
    lanes.fold(entry, row.accumulators, members);
    code.open("if (inside && lane == 0)");
    parts.put(entry, members, "row * " + entry.constant(lanes.chunks()) + " + chunk");
    code.close();
    build.groups(entry, lanes.groups(row.rows), lanes.group());
  }

  /**
   * Combines the chunks of each row.
   *
   * @param finish true if the stores that run once per row are part of this kernel
   */
  private void combine(RowParts parts, int phase, boolean finish) {
    List<Integer> members = row.inPhase(phase);
    Entry entry = build.entry("ristretto_row_combine" + phase);
    Code code = entry.body;
    WarpLanes shared = WarpLanes.ofParts(build.target, row.rows, lanes.chunks());
    shared.declare(entry, row.rows, lanes.chunks());
    members.forEach(k -> row.accumulators.get(k).declare(code, "a" + k));
    String step = "" + shared.lanes();
    code.open("for (%s p = lane; p < end; p += %s)".formatted(entry.index(), step));
    parts.merge(entry, members, "row * " + entry.constant(lanes.chunks()) + " + p");
    code.close();
    shared.fold(entry, row.accumulators, members);
    code.open("if (inside && lane == 0)");
    if (finish) {
      parts.readResults(entry, phase);
      for (int k : members) {
        String result = Literal.type(row.accumulators.get(k).result());
        code.line(String.format(Locale.ROOT, "const %s r%d = %s;", result, k, value(k)));
      }
      List<String> variables = Reader.unravel(entry, code, "i", "row", row.kept);
      Reader reader = row.reader(entry, variables);
      row.storeRow(entry, reader, row.body(entry, reader));
    } else {
      members.forEach(k -> parts.storeResult(entry, k));
    }
    code.close();
    build.groups(entry, shared.groups(row.rows), shared.group());
  }

  private void storeElements(RowParts parts) {
    Entry entry = build.entry("ristretto_row_elements");
    lanes.declare(entry, row.rows, row.length);
    List<String> variables = Reader.unravel(entry, entry.body, "i", "row", row.kept);
    parts.readResults(entry, Integer.MAX_VALUE);
    new RowTiles(row, entry, lanes, variables).store();
    build.groups(entry, lanes.groups(row.rows), lanes.group());
  }
}
