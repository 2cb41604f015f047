package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import ristretto.kernels.scalar.Node;

/**
 * Row kernels for CPU drivers: a work item processes rows in {@link Strips} and accumulates in a
 * {@link Sweep}. Values that several phases use, or that are not computed in one pass, are kept in
 * private memory of the work item.
 */
final class RowStrips {
  /** Longest row whose values are kept, so that a few of them stay in the first-level cache. */
  private static final int LONGEST_KEPT = 4096;

  private static final int MOST_KEPT = 4;

  /** Least number of operations for which a value is kept instead of recomputed. */
  private static final int DEAR = 4;

  /**
   * Work items per compute unit. There are several, because units do not become free
   * simultaneously.
   */
  private static final int SHARES_A_UNIT = 16;

  private final RowBody row;
  private final Entry entry;
  private final Code code;
  private final String type;
  private final Strips strips;
  private final List<Integer> keep = new ArrayList<>();

  RowStrips(RowBody row, Entry entry) {
    this.row = row;
    this.entry = entry;
    this.code = entry.body;
    this.type = entry.index();
    this.strips = new Strips(entry);
  }

  /** Returns true if this form suits the device and the layout. */
  static boolean suits(RowBody row) {
    return row.build.target.strips()
        && row.reduced.length > 0
        && row.reduced[row.reduced.length - 1] >= Strips.SHORTEST
        && row.contiguous();
  }

  static void render(RowBody row) {
    Entry entry = row.build.entry("ristretto_row");
    new RowStrips(row, entry).render();
  }

  private void render() {
    long items = Math.min(row.rows, (long) SHARES_A_UNIT * row.build.target.units());
    long share = Build.ceil(row.rows, items);
    String shareText = entry.constant(share);
    String rows = entry.constant(row.rows);
    code.line(
        String.format(Locale.ROOT, "const %1$s first = (%1$s) POINT(0) * %2$s;", type, shareText));
    code.line(
        String.format(
            Locale.ROOT,
            "const %1$s end = %2$s - first < %3$s ? %2$s : first + %3$s;",
            type,
            rows,
            shareText));
    code.open("for (" + type + " row = first; row < end; row++)");
    List<String> variables = new ArrayList<>(Reader.unravel(entry, code, "i", "row", row.kept));
    Reader reader = row.reader(entry, variables);
    Body body = row.body(entry, reader);
    chooseKept(body);
    // Extent of the innermost dimension; the outer ones have loops around it.
    String count = entry.constant(row.reduced[row.reduced.length - 1]);
    for (int k = 0; k < row.accumulators.size(); k++) {
      code.line(Literal.type(row.accumulators.get(k).result()) + " r" + k + ";");
    }
    for (int kept : keep) {
      String element = Literal.type(row.tape.node(kept).type());
      code.line(element + " k" + kept + "[" + LONGEST_KEPT + "];");
    }
    for (int phase = 0; phase < row.phaseCount(); phase++) {
      List<Integer> members = row.inPhase(phase);
      code.open("");
      accumulate(body, members, "0", count);
      for (int k : members) {
        code.line("r" + k + " = " + row.accumulators.get(k).value("a" + k) + ";");
      }
      code.close();
    }
    if (!row.stores(false).isEmpty()) {
      code.open("");
      elements(reader, body, "0", count);
      code.close();
    }
    if (!row.stores(true).isEmpty()) {
      code.open("");
      row.storeRow(entry, reader, body);
      code.close();
    }
    code.close();
    row.build.groups(entry, Build.ceil(row.rows, share), 1);
  }

  // ---- values that are kept -----------------------------------------------------------------

  /**
   * Chooses the values that several phases use and that are kept, for rows that are short enough.
   */
  private void chooseKept(Body body) {
    if (row.length > LONGEST_KEPT) {
      return;
    }
    var earlier = new BitSet();
    Set<Integer> chosen = new LinkedHashSet<>();
    for (int phase = 0; phase <= row.phaseCount(); phase++) {
      List<Integer> roots =
          phase < row.phaseCount()
              ? row.inPhase(phase).stream().map(row::term).toList()
              : row.stores(false).stream().map(s -> row.tape.outputs().get(s.output())).toList();
      BitSet needed = body.needed(roots);
      needed.and(row.varying);
      // Values that an earlier phase computes too and that this phase either reduces or stores, or
      // needs for values new in this phase.
      for (int r = needed.nextSetBit(0); r >= 0; r = needed.nextSetBit(r + 1)) {
        if (earlier.get(r) && roots.contains(r)) {
          chosen.add(r);
        } else if (!earlier.get(r)) {
          row.tape
              .node(r)
              .forEachOperand(o -> {
                if (earlier.get(o) && row.varying.get(o)) {
                  chosen.add(o);
                }
              });
        }
      }
      earlier.or(needed);
    }
    chosen.stream().filter(r -> cost(body, r) >= DEAR).limit(MOST_KEPT).forEach(keep::add);
  }

  private int cost(Body body, int r) {
    BitSet rows = body.needed(List.of(r));
    rows.and(row.varying);
    return (int) rows.stream().filter(k -> row.tape.node(k) instanceof Node.Apply).count();
  }

  // ---- phases -------------------------------------------------------------------------------

  /** Accumulates the elements from {@code first} up to {@code end} into accumulators a0, a1, ... */
  void accumulate(Body body, List<Integer> members, String first, String end) {
    BitSet rows = body.needed(members.stream().map(row::term).toList());
    row.emitSame(body, rows);
    BitSet varying = (BitSet) rows.clone();
    varying.and(row.varying);
    Map<Integer, Sweep> sweeps = new LinkedHashMap<>();
    for (int k : members) {
      Accumulator a = row.accumulators.get(k);
      if (a.lanewise()) {
        sweeps.put(k, new Sweep(a, "w" + k));
      } else {
        a.declare(code, "a" + k);
      }
    }
    sweeps.values().forEach(sweep -> sweep.declare(code));
    List<Integer> keptHere = keep.stream().filter(r -> varying.get(r) && !body.isKept(r)).toList();
    openRows();
    strips.open(first, end);
    if (sweeps.size() == members.size() && !body.hasRare(varying)) {
      addAtOnce(body, varying, sweeps, keptHere);
    } else {
      addFromMemory(body, varying, members, sweeps, keptHere);
    }
    strips.close();
    closeRows();
    keptHere.forEach(r -> body.keep(r, "k" + r + "[j]"));
    sweeps.forEach((k, sweep) -> sweep.finish(code, "a" + k));
  }

  /** Opens a loop over all reduced dimensions but the last. */
  private void openRows() {
    int last = row.reduced.length - 1;
    if (last > 0) {
      long[] outer = Arrays.copyOf(row.reduced, last);
      code.open(
          String.format(
              Locale.ROOT,
              "for (%1$s jo = 0; jo < %2$s; jo++)",
              type,
              entry.constant(Build.product(outer))));
      List<String> variables = Reader.unravel(entry, code, "j", "jo", outer);
      if (last == 1) {
        code.line("const " + type + " j0 = " + variables.getFirst() + ";");
      }
    }
  }

  private void closeRows() {
    if (row.reduced.length > 1) {
      code.close();
    }
  }

  /** Declares the index variables of element {@code at} of the innermost dimension. */
  private void declare(String at) {
    int last = row.reduced.length - 1;
    code.line("const " + type + " " + row.variable(last) + " = " + at + ";");
    if (last > 0) {
      String extent = entry.constant(row.reduced[last]);
      code.line("const %s j = jo * %s + %s;".formatted(type, extent, row.variable(last)));
    }
  }

  private void addAtOnce(
      Body body, BitSet varying, Map<Integer, Sweep> sweeps, List<Integer> keptHere) {
    strips.each(
        "l",
        "0",
        "size",
        () -> {
          declare("base + l");
          body.emit(varying);
          keptHere.forEach(r -> code.line("k" + r + "[j] = v" + r + ";"));
          sweeps.forEach((k, sweep) -> sweep.add(code, body.value(row.term(k))));
        });
  }

  private void addFromMemory(
      Body body,
      BitSet varying,
      List<Integer> members,
      Map<Integer, Sweep> sweeps,
      List<Integer> keptHere) {
    // Kept terms are not stored a second time.
    List<Integer> own = members.stream().filter(k -> !keptHere.contains(row.term(k))).toList();
    own.forEach(k -> strips.array(Literal.type(row.tape.node(row.term(k)).type()), "t" + k));
    strips.evaluate(
        body,
        varying,
        () -> declare("base + l"),
        b -> b.emit(varying),
        b -> {
          own.forEach(k -> code.line("t" + k + "[l] = " + b.value(row.term(k)) + ";"));
          keptHere.forEach(r -> code.line("k" + r + "[j] = v" + r + ";"));
        });
    if (!sweeps.isEmpty()) {
      strips.each(
          "l",
          "0",
          "size",
          () -> {
            declare("base + l");
            sweeps.forEach((k, sweep) -> sweep.add(code, term(k, keptHere)));
          });
    }
    for (int k : members) {
      if (!row.accumulators.get(k).lanewise()) {
        code.open("for (" + type + " l = 0; l < size; l++)");
        declare("base + l");
        row.accumulators.get(k).add(code, "a" + k, term(k, keptHere), "j");
        code.close();
      }
    }
  }

  private String term(int k, List<Integer> keptHere) {
    int term = row.term(k);
    return keptHere.contains(term) ? "k" + term + "[j]" : "t" + k + "[l]";
  }

  /** Renders the stores of the elements from {@code first} up to {@code end}. */
  void elements(Reader reader, Body body, String first, String end) {
    BitSet rows = row.stored(body, false);
    row.emitSame(body, rows);
    BitSet varying = (BitSet) rows.clone();
    varying.and(row.varying);
    openRows();
    if (!body.hasRare(varying)) {
      strips.each(
          "l",
          first,
          end,
          () -> {
            declare("l");
            body.emit(varying);
            row.store(entry, reader, body, false);
          });
    } else {
      strips.open(first, end);
      var stores = row.stores(false);
      for (int s = 0; s < stores.size(); s++) {
        int output = row.tape.outputs().get(stores.get(s).output());
        strips.array(Literal.type(row.tape.node(output).type()), "t" + s);
      }
      strips.evaluate(
          body,
          varying,
          () -> declare("base + l"),
          b -> b.emit(varying),
          b -> {
            for (int s = 0; s < stores.size(); s++) {
              int output = row.tape.outputs().get(stores.get(s).output());
              code.line("t" + s + "[l] = " + b.value(output) + ";");
            }
          });
      strips.each(
          "l",
          "0",
          "size",
          () -> {
            declare("base + l");
            for (int s = 0; s < stores.size(); s++) {
              code.line(reader.store(stores.get(s).target(), "t" + s + "[l]"));
            }
          });
      strips.close();
    }
    closeRows();
  }
}
