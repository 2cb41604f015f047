package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Temporary buffers of rows that several work groups share: accumulators of chunks, and results.
 */
final class RowParts {
  private final RowBody row;

  /** Buffers of each accumulator's variables, by suffix; one element per chunk. */
  private final List<Map<String, Integer>> parts = new ArrayList<>();

  /** Buffer of each result; one element per row. */
  private final List<Integer> results = new ArrayList<>();

  RowParts(RowBody row, long chunks) {
    this.row = row;
    for (Accumulator a : row.accumulators) {
      var buffers = new HashMap<String, Integer>();
      for (Accumulator.Part part : a.parts()) {
        buffers.put(part.suffix(), row.build.scratch(row.rows * chunks * part.bytes()));
      }
      parts.add(buffers);
      results.add(row.build.scratch(row.rows * 8));
    }
  }

  /** Declares the results r0, r1, ... of the phases before {@code phase}. */
  void readResults(Entry entry, int phase) {
    for (int k = 0; k < row.phases.length; k++) {
      if (row.phases[k] < phase) {
        String type = Literal.type(row.accumulators.get(k).result());
        String from = entry.scratch(type, results.get(k), false);
        entry.body.line("const " + type + " r" + k + " = " + from + "[row];");
      }
    }
  }

  /** Stores the value of accumulator {@code k} as a result of the row. */
  void storeResult(Entry entry, int k) {
    Accumulator a = row.accumulators.get(k);
    String to = entry.scratch(Literal.type(a.result()), results.get(k), true);
    entry.body.line(to + "[row] = " + a.value("a" + k) + ";");
  }

  /** Stores accumulators as those of chunk {@code at}. */
  void put(Entry entry, List<Integer> members, String at) {
    for (int k : members) {
      row.accumulators.get(k).put(entry.body, suffix -> part(entry, k, suffix, true), at, "a" + k);
    }
  }

  /** Merges the accumulators of chunk {@code at} into those of the row. */
  void merge(Entry entry, List<Integer> members, String at) {
    for (int k : members) {
      row.accumulators
          .get(k)
          .merge(entry.body, "a" + k, suffix -> part(entry, k, suffix, false) + "[" + at + "]");
    }
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

  /** Adds the kernel of the stores that run once per row. */
  void storeRows() {
    Entry entry = row.build.entry("ristretto_row_results");
    List<String> point = row.build.points(entry, new long[] {row.rows}, "p");
    entry.body.line("const " + entry.index() + " row = " + point.getFirst() + ";");
    List<String> variables = Reader.unravel(entry, entry.body, "i", "row", row.kept);
    readResults(entry, Integer.MAX_VALUE);
    Reader reader = row.reader(entry, variables);
    row.storeRow(entry, reader, row.body(entry, reader));
    entry.body.close();
    row.build.launchPoints(entry, new long[] {row.rows});
  }
}
