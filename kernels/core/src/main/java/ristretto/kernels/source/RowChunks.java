package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Form for a few long rows, which are cut into chunks for several work groups: for each phase one
 * kernel that accumulates every chunk of every row, and one that combines the chunks of a row; then
 * kernels for the stores.
 */
final class RowChunks {
  private final RowBody row;
  private final Build build;
  private final Lanes lanes;

  /** Temporary buffers of each accumulator's variables, by suffix; one element per chunk. */
  private final List<Map<String, Integer>> parts = new ArrayList<>();

  /** Temporary buffer of each result; one element per row. */
  private final List<Integer> results = new ArrayList<>();

  RowChunks(RowBody row, Lanes lanes) {
    this.row = row;
    this.build = row.build;
    this.lanes = lanes;
    for (Accumulator a : row.accumulators) {
      var buffers = new HashMap<String, Integer>();
      for (Accumulator.Part part : a.parts()) {
        buffers.put(part.suffix(), build.scratch(row.rows * lanes.chunks() * part.bytes()));
      }
      parts.add(buffers);
      results.add(build.scratch(row.rows * 8));
    }
  }

  void render() {
    for (int phase = 0; phase < row.phaseCount(); phase++) {
      accumulateChunks(phase);
      combineChunks(phase);
    }
    if (!row.stores(false).isEmpty()) {
      storeAllElements();
    }
    if (!row.stores(true).isEmpty()) {
      storeAllRows();
    }
  }

  private boolean strips() {
    return RowStrips.suits(row) && row.reduced.length == 1;
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

  private void accumulateChunks(int phase) {
    List<Integer> members = row.inPhase(phase);
    Entry entry = build.entry("ristretto_row_chunks" + phase);
    Code code = entry.body;
    String type = entry.index();
    String chunks = entry.constant(lanes.chunks());
    String size = entry.constant(lanes.chunkLength());
    String count = entry.constant(row.length);
    code.line("const i32 lane = (i32) LANE;");
    code.line("const " + type + " chunk = (" + type + ") GROUP(0) % " + chunks + ";");
    code.line("const " + type + " row = (" + type + ") GROUP(0) / " + chunks + ";");
    List<String> variables = Reader.unravel(entry, code, "i", "row", row.kept);
    readResults(entry, phase);
    code.line("const " + type + " first = chunk * " + size + ";");
    code.line(
        "const "
            + type
            + " end = first + "
            + size
            + " < "
            + count
            + " ? first + "
            + size
            + " : "
            + count
            + ";");
    Body body = row.body(entry, row.reader(entry, variables));
    if (strips()) {
      new RowStrips(row, entry).accumulate(body, members, "first", "end");
    } else {
      row.accumulate(entry, body, members, lanes, "first", "end");
    }
    lanes.fold(entry, row.accumulators, members);
    code.open("if (lane == 0)");
    for (int k : members) {
      String at = "row * " + chunks + " + chunk";
      row.accumulators.get(k).put(code, suffix -> part(entry, k, suffix, true), at, "a" + k);
    }
    code.close();
    build.groups(entry, row.rows * lanes.chunks(), lanes.lanes());
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

  private void combineChunks(int phase) {
    List<Integer> members = row.inPhase(phase);
    Entry entry = build.entry("ristretto_row_combine" + phase);
    Code code = entry.body;
    String type = entry.index();
    String chunks = entry.constant(lanes.chunks());
    code.line("const i32 lane = (i32) LANE;");
    code.line("const " + type + " row = (" + type + ") GROUP(0);");
    for (int k : members) {
      row.accumulators.get(k).declare(code, "a" + k);
    }
    lanes.loop(entry, true, "0", chunks);
    for (int k : members) {
      String at = "[row * " + chunks + " + j]";
      row.accumulators.get(k).merge(code, "a" + k, suffix -> part(entry, k, suffix, false) + at);
    }
    code.close();
    lanes.fold(entry, row.accumulators, members);
    code.open("if (lane == 0)");
    for (int k : members) {
      Accumulator a = row.accumulators.get(k);
      String to = entry.scratch(Literal.type(a.result()), results.get(k), true);
      code.line(to + "[row] = " + a.value("a" + k) + ";");
    }
    code.close();
    build.groups(entry, row.rows, lanes.lanes());
  }

  private void storeAllElements() {
    Entry entry = build.entry("ristretto_row_elements");
    long[] all = new long[] {row.rows, row.length};
    Code code = entry.body;
    if (strips()) {
      List<String> share = build.shares(entry, all, "p");
      code.line("const " + entry.index() + " row = " + share.getFirst() + ";");
      List<String> variables = Reader.unravel(entry, code, "i", "row", row.kept);
      readResults(entry, Integer.MAX_VALUE);
      Reader reader = row.reader(entry, variables);
      new RowStrips(row, entry).elements(reader, row.body(entry, reader), "first", "end");
      code.close();
      build.launchShares(entry, all);
      return;
    }
    List<String> point = build.points(entry, all, "p");
    code.line("const " + entry.index() + " row = " + point.get(0) + ";");
    code.line("const " + entry.index() + " j = " + point.get(1) + ";");
    List<String> variables = Reader.unravel(entry, code, "i", "row", row.kept);
    Reader.unravel(entry, code, "j", "j", row.reduced);
    readResults(entry, Integer.MAX_VALUE);
    Reader reader = row.reader(entry, variables);
    Body body = row.body(entry, reader);
    body.emit(row.stored(body, false));
    row.store(entry, reader, body, false);
    code.close();
    build.launchPoints(entry, all);
  }

  private void storeAllRows() {
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
