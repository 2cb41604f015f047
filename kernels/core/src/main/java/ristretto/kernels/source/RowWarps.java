package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Row kernels for GPUs with warps: one kernel if each row belongs to one group. If several groups
 * share a row, each phase has a kernel that accumulates every chunk and one that combines the
 * chunks of a row; kernels for the stores follow.
 */
final class RowWarps {
  private final RowBody row;
  private final Build build;
  private final WarpLanes lanes;

  /** Temporary buffers of each accumulator's variables, by suffix; one element per chunk. */
  private final List<Map<String, Integer>> parts = new ArrayList<>();

  /** Temporary buffer of each result; one element per row. */
  private final List<Integer> results = new ArrayList<>();

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
    for (Accumulator a : row.accumulators) {
      var buffers = new HashMap<String, Integer>();
      for (Accumulator.Part part : a.parts()) {
        buffers.put(part.suffix(), build.scratch(row.rows * lanes.chunks() * part.bytes()));
      }
      parts.add(buffers);
      results.add(build.scratch(row.rows * 8));
    }
    int last = row.phaseCount() - 1;
    boolean elements = !row.targets(false).isEmpty();
    for (int phase = 0; phase <= last; phase++) {
      accumulate(phase);
      combine(phase, phase == last && !elements);
    }
    if (elements) {
      storeElements();
      if (!row.targets(true).isEmpty()) {
        storeRows();
      }
    }
  }

  /** Declares the results r0, r1, ... of the phases before {@code phase}. */
  private void readResults(Entry entry, int phase) {
    for (int k = 0; k < row.phases.length; k++) {
      if (row.phases[k] < phase) {
        String type = Literal.type(row.accumulators.get(k).result());
        String from = entry.scratch(type, results.get(k), false);
        entry.body.line("const " + type + " r" + k + " = " + from + "[row];");
      }
    }
  }

  private void accumulate(int phase) {
    List<Integer> members = row.inPhase(phase);
    Entry entry = build.entry("ristretto_row_chunks" + phase);
    Code code = entry.body;
    lanes.declare(entry, row.rows, row.length);
    List<String> variables = Reader.unravel(entry, code, "i", "row", row.kept);
    readResults(entry, phase);
    new RowTiles(row, entry, lanes, variables).accumulate(members);
    lanes.fold(entry, row.accumulators, members);
    code.open("if (inside && lane == 0)");
    for (int k : members) {
      String at = "row * " + entry.constant(lanes.chunks()) + " + chunk";
      row.accumulators.get(k).put(code, suffix -> part(entry, k, suffix, true), at, "a" + k);
    }
    code.close();
    build.groups(entry, lanes.groups(row.rows), lanes.group());
  }

  /** Returns the pointer to one variable of accumulator {@code k}, for all chunks. */
  private String part(Entry entry, int k, String suffix, boolean written) {
    for (Accumulator.Part part : row.accumulators.get(k).parts()) {
      if (part.suffix().equals(suffix)) {
        return entry.scratch(part.type(), parts.get(k).get(suffix), written);
      }
    }
    throw new IllegalStateException(suffix);
  }

  /**
   * Combines the chunks of each row.
   *
   * @param finish true if the stores that run once per row are part of this kernel
   */
  private void combine(int phase, boolean finish) {
    List<Integer> members = row.inPhase(phase);
    Entry entry = build.entry("ristretto_row_combine" + phase);
    Code code = entry.body;
    WarpLanes shared = WarpLanes.ofParts(build.target, row.rows, lanes.chunks());
    shared.declare(entry, row.rows, lanes.chunks());
    members.forEach(k -> row.accumulators.get(k).declare(code, "a" + k));
    String step = "" + shared.lanes();
    code.open("for (%s p = lane; p < end; p += %s)".formatted(entry.index(), step));
    for (int k : members) {
      String at = "[row * " + entry.constant(lanes.chunks()) + " + p]";
      row.accumulators.get(k).merge(code, "a" + k, suffix -> part(entry, k, suffix, false) + at);
    }
    code.close();
    shared.fold(entry, row.accumulators, members);
    code.open("if (inside && lane == 0)");
    if (finish) {
      readResults(entry, phase);
      for (int k : members) {
        String result = Literal.type(row.accumulators.get(k).result());
        code.line(String.format(Locale.ROOT, "const %s r%d = %s;", result, k, value(k)));
      }
      List<String> variables = Reader.unravel(entry, code, "i", "row", row.kept);
      Reader reader = row.reader(entry, variables);
      row.storeRow(entry, reader, row.body(entry, reader));
    } else {
      for (int k : members) {
        Accumulator a = row.accumulators.get(k);
        String to = entry.scratch(Literal.type(a.result()), results.get(k), true);
        code.line(to + "[row] = " + value(k) + ";");
      }
    }
    code.close();
    build.groups(entry, shared.groups(row.rows), shared.group());
  }

  private void storeElements() {
    Entry entry = build.entry("ristretto_row_elements");
    lanes.declare(entry, row.rows, row.length);
    List<String> variables = Reader.unravel(entry, entry.body, "i", "row", row.kept);
    readResults(entry, Integer.MAX_VALUE);
    new RowTiles(row, entry, lanes, variables).store();
    build.groups(entry, lanes.groups(row.rows), lanes.group());
  }

  private void storeRows() {
    Entry entry = build.entry("ristretto_row_results");
    List<String> point = build.points(entry, new long[] {row.rows}, "p");
    entry.body.line("const " + entry.index() + " row = " + point.getFirst() + ";");
    List<String> variables = Reader.unravel(entry, entry.body, "i", "row", row.kept);
    readResults(entry, Integer.MAX_VALUE);
    Reader reader = row.reader(entry, variables);
    row.storeRow(entry, reader, row.body(entry, reader));
    entry.body.close();
    build.launchPoints(entry, new long[] {row.rows});
  }
}
