package ristretto.kernels.source;

import java.util.List;

/**
 * Form for a few long rows, which are cut into chunks for several work groups: for each phase one
 * kernel that accumulates every chunk of every row, and one that combines the chunks of a row; then
 * kernels for the stores.
 */
final class RowChunks {
  private final RowBody row;
  private final Build build;
  private final Lanes lanes;
  private final RowParts parts;

  RowChunks(RowBody row, Lanes lanes) {
    this.row = row;
    this.build = row.build;
    this.lanes = lanes;
    this.parts = new RowParts(row, lanes.chunks());
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
      parts.storeRows();
    }
  }

  private boolean strips() {
    return RowStrips.suits(row) && row.reduced.length == 1;
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
    parts.readResults(entry, phase);
    code.line("const " + type + " first = chunk * " + size + ";");
    code.line(
        "const %s end = first + %s < %s ? first + %s : %s;"
            .formatted(type, size, count, size, count));
    Body body = row.body(entry, row.reader(entry, variables));
    if (strips()) {
      new RowStrips(row, entry).accumulate(body, members, "first", "end");
    } else {
      row.accumulate(entry, body, members, lanes, "first", "end");
    }
    lanes.fold(entry, row.accumulators, members);
    code.open("if (lane == 0)");
    parts.put(entry, members, "row * " + chunks + " + chunk");
    code.close();
    build.groups(entry, row.rows * lanes.chunks(), lanes.lanes());
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
    parts.merge(entry, members, "row * " + chunks + " + j");
    code.close();
    lanes.fold(entry, row.accumulators, members);
    code.open("if (lane == 0)");
    members.forEach(k -> parts.storeResult(entry, k));
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
      parts.readResults(entry, Integer.MAX_VALUE);
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
    parts.readResults(entry, Integer.MAX_VALUE);
    Reader reader = row.reader(entry, variables);
    Body body = row.body(entry, reader);
    body.emit(row.stored(body, false));
    row.store(entry, reader, body, false);
    code.close();
    build.launchPoints(entry, all);
  }
}
