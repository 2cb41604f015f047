package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;

/**
 * A row, or a chunk of a row, in tiles: a lane loads its part of a tile, in vectors where possible,
 * before the first use. If the whole row is one tile, inputs that several stages (phases, then the
 * stores) use are loaded once, and expensive values are computed once.
 */
final class RowTiles {
  /** Least number of operations for which a value is kept instead of recomputed. */
  private static final int DEAR = 4;

  /** Limit on the 32-bit values that a lane keeps. */
  private static final int MOST_KEPT = 96;

  private final RowBody row;
  private final Entry entry;
  private final Code code;
  private final String type;
  private final WarpLanes lanes;
  private final Vectors vectors;
  private final List<Operand> inputs;

  /** Readers at an element, and at the first element of a vector. */
  private final Reader single;

  private final Reader whole;
  final Body body;

  /**
   * Input slots loaded for all stages, input slots loaded for the current stage, and kept tape
   * rows.
   */
  private final Set<Integer> resident = new HashSet<>();

  private final Set<Integer> read = new HashSet<>();
  private final Set<Integer> kept = new HashSet<>();

  /**
   * Creates the tiles of one row.
   *
   * @param variables index variables of the kept dimensions
   */
  RowTiles(RowBody row, Entry entry, WarpLanes lanes, List<String> variables) {
    this.row = row;
    this.entry = entry;
    this.code = entry.body;
    this.type = entry.index();
    this.lanes = lanes;
    this.vectors = row.vectors;
    this.inputs = row.inputs();
    single = row.reader(entry, variables);
    whole = row.reader(entry, variables, this::vectorVariable);
    body = row.body(entry, this::input);
    if (lanes.resident()) {
      keep();
    }
  }

  private String vectorVariable(int d) {
    return row.reduced.length == 1 ? "at" : "b" + d;
  }

  private String place() {
    return lanes.width() == 1 ? "w" : "w * " + lanes.width() + " + q";
  }

  private String input(int slot) {
    if (slot >= inputs.size()) {
      return "r" + (slot - inputs.size());
    }
    Operand operand = inputs.get(slot);
    if (resident.contains(slot) || read.contains(slot)) {
      return vectors.covers(operand) && lanes.width() > 1
          ? Reader.widened(((Operand.Memory) operand).storage(), "x" + slot + "[w].at[q]")
          : "x" + slot + "[" + place() + "]";
    }
    return single.input(operand);
  }

  // ---- values that are kept -----------------------------------------------------------------

  /** Chooses and declares the values and inputs that several stages use. */
  private void keep() {
    var stages = new ArrayList<List<Integer>>();
    for (int phase = 0; phase < row.phaseCount(); phase++) {
      stages.add(row.inPhase(phase).stream().map(row::term).toList());
    }
    stages.add(row.outputs(false));
    var earlier = new BitSet();
    var dear = new ArrayList<Integer>();
    for (List<Integer> roots : stages) {
      BitSet needed = varying(roots, dear);
      for (int r = needed.nextSetBit(0); r >= 0; r = needed.nextSetBit(r + 1)) {
        if (earlier.get(r) && roots.contains(r)) {
          chooseDear(r, dear);
        } else if (!earlier.get(r)) {
          row.tape
              .node(r)
              .forEachOperand(o -> {
                if (earlier.get(o)) {
                  chooseDear(o, dear);
                }
              });
        }
      }
      earlier.or(needed);
    }
    keepDear(dear);
    var seen = new HashSet<Integer>();
    var again = new HashSet<Integer>();
    var done = new ArrayList<Integer>();
    for (List<Integer> roots : stages) {
      BitSet needed = varying(roots, done);
      needed.stream()
          .forEach(r -> {
            if (row.tape.node(r) instanceof Node.Input in
                && in.slot() < inputs.size()
                && inputs.get(in.slot()) instanceof Operand.Memory
                && !seen.add(in.slot())) {
              again.add(in.slot());
            }
          });
      kept.stream().filter(needed::get).forEach(done::add);
    }
    again.stream().filter(slot -> held() + elements(slot) <= MOST_KEPT).forEach(resident::add);
    read(resident, "end");
  }

  /**
   * Returns the tape rows on which {@code roots} depend and which vary within a row of the matrix,
   * without the operands of {@code cut}.
   */
  private BitSet varying(List<Integer> roots, List<Integer> cut) {
    var rows = new BitSet();
    roots.forEach(rows::set);
    for (int r = row.tape.size() - 1; r >= 0; r--) {
      if (rows.get(r) && !cut.contains(r)) {
        row.tape.node(r).forEachOperand(rows::set);
      }
    }
    rows.and(row.varying);
    return rows;
  }

  private void chooseDear(int r, List<Integer> dear) {
    if (row.varying.get(r) && !body.isLazy(r) && !dear.contains(r) && cost(r) >= DEAR) {
      dear.add(r);
    }
  }

  private int cost(int r) {
    return (int)
        varying(List.of(r), List.of()).stream()
            .filter(k -> !(row.tape.node(k) instanceof Node.Input))
            .count();
  }

  private void keepDear(List<Integer> dear) {
    for (int r : dear) {
      int size = lanes.width() * lanes.times() * (row.tape.node(r).type().bytes() == 8 ? 2 : 1);
      if (held() + size <= MOST_KEPT) {
        kept.add(r);
        String element = Literal.type(row.tape.node(r).type());
        code.line(
            String.format(Locale.ROOT, "%s k%d[%d];", element, r, lanes.width() * lanes.times()));
      }
    }
  }

  /** Number of 32-bit values that a lane keeps so far. */
  private int held() {
    int sum = resident.stream().mapToInt(this::elements).sum();
    for (int r : kept) {
      sum += lanes.width() * lanes.times() * (row.tape.node(r).type().bytes() == 8 ? 2 : 1);
    }
    return sum;
  }

  private int elements(int slot) {
    int bytes = ((Operand.Memory) inputs.get(slot)).storage().bytes();
    return lanes.width() * lanes.times() * (bytes == 8 ? 2 : 1);
  }

  // ---- stages -------------------------------------------------------------------------------

  /** Accumulates the lane's elements into accumulators a0, a1, ... */
  void accumulate(List<Integer> members) {
    BitSet rows = body.needed(members.stream().map(row::term).toList());
    row.emitSame(body, rows);
    members.forEach(k -> row.accumulators.get(k).declare(code, "a" + k));
    stage(
        rows,
        varying -> {
          row.emitVarying(body, varying);
          for (int k : members) {
            row.accumulators.get(k).add(code, "a" + k, body.value(row.term(k)), "j");
          }
          for (int r : kept) {
            if (varying.get(r) && !body.isKept(r)) {
              code.line(String.format(Locale.ROOT, "k%d[%s] = %s;", r, place(), body.value(r)));
            }
          }
        },
        () -> {},
        () -> {});
    kept.stream()
        .filter(r -> rows.get(r) && !body.isKept(r))
        .forEach(r -> body.keep(r, "k" + r + "[" + place() + "]"));
  }

  /** Renders the stores that run for every element. */
  void store() {
    List<Operand.Memory> targets = row.targets(false);
    List<Integer> outputs = row.outputs(false);
    BitSet rows = body.needed(outputs);
    row.emitSame(body, rows);
    boolean packed = lanes.width() > 1;
    stage(
        rows,
        varying -> {
          row.emitVarying(body, varying);
          for (int s = 0; s < targets.size(); s++) {
            String value = body.value(outputs.get(s));
            code.line(
                packed
                    ? String.format(
                        Locale.ROOT,
                        "y%d.at[q] = %s;",
                        s,
                        Reader.narrowed(targets.get(s).storage(), value))
                    : single.store(targets.get(s), value));
          }
        },
        () -> {
          for (int s = 0; packed && s < targets.size(); s++) {
            code.line(vector(targets.get(s).storage()) + " y" + s + ";");
          }
        },
        () -> {
          for (int s = 0; packed && s < targets.size(); s++) {
            code.line(pack(targets.get(s), true) + " = y" + s + ";");
          }
        });
  }

  private void stage(BitSet rows, Consumer<BitSet> element, Runnable before, Runnable after) {
    BitSet varying = (BitSet) rows.clone();
    varying.and(row.varying);
    if (lanes.resident()) {
      code.open("");
    } else {
      int step = lanes.lanes() * lanes.width() * lanes.times();
      code.open(
          String.format(
              Locale.ROOT, "for (%1$s tile = first; tile < end; tile += %2$d)", type, step));
    }
    var wanted = new HashSet<Integer>();
    varying.stream()
        .forEach(r -> {
          if (!body.isKept(r)
              && row.tape.node(r) instanceof Node.Input in
              && in.slot() < inputs.size()
              && inputs.get(in.slot()) instanceof Operand.Memory m
              && !resident.contains(in.slot())
              && (lanes.width() == 1 || vectors.covers(m))) {
            wanted.add(in.slot());
          }
        });
    read(wanted, "end");
    read.addAll(wanted);
    open("end");
    if (lanes.width() == 1) {
      declareElement("at");
      before.run();
      element.accept(varying);
      after.run();
    } else {
      declareVector();
      before.run();
      code.line("UNROLL");
      code.open("for (i32 q = 0; q < " + lanes.width() + "; q++)");
      declareElement("at + q");
      element.accept(varying);
      code.close();
      after.run();
    }
    code.close();
    code.close();
    code.close();
    read.clear();
  }

  /** Opens the loop over the repetitions, at index {@code at}. */
  private void open(String end) {
    String base = lanes.resident() ? "" : "tile + ";
    code.line("UNROLL");
    code.open("for (i32 w = 0; w < " + lanes.times() + "; w++)");
    code.line(
        String.format(
            Locale.ROOT,
            "const %s at = %s(w * %d + lane) * %d;",
            type,
            base,
            lanes.lanes(),
            lanes.width()));
    code.open("if (at < " + end + ")");
  }

  private void declareVector() {
    if (row.reduced.length > 1) {
      Reader.unravel(entry, code, "b", "at", row.reduced);
    }
  }

  /**
   * Declares the index variables of an element; the elements of a vector differ in the last one.
   */
  private void declareElement(String at) {
    code.line("const " + type + " j = " + at + ";");
    int last = row.reduced.length - 1;
    if (last > 0 && lanes.width() == 1) {
      Reader.unravel(entry, code, "j", "j", row.reduced);
    } else if (last > 0) {
      for (int d = 0; d <= last; d++) {
        code.line(
            String.format(
                Locale.ROOT, "const %s j%d = b%d%s;", type, d, d, d == last ? " + q" : ""));
      }
    }
  }

  /** Declares x0, x1, ... for these inputs and loads them. */
  private void read(Set<Integer> slots, String end) {
    boolean packs = lanes.width() > 1;
    for (int slot : slots) {
      var m = (Operand.Memory) inputs.get(slot);
      boolean covered = packs && vectors.covers(m);
      int count = covered ? lanes.times() : lanes.times() * lanes.width();
      String element = covered ? vector(m.storage()) : Literal.type(m.type());
      code.line(String.format(Locale.ROOT, "%s x%d[%d];", element, slot, count));
    }
    if (slots.isEmpty()) {
      return;
    }
    open(end);
    if (packs) {
      declareVector();
    } else {
      declareElement("at");
    }
    var others = new ArrayList<Integer>();
    for (int slot : slots) {
      var m = (Operand.Memory) inputs.get(slot);
      if (packs && vectors.covers(m)) {
        code.line(String.format(Locale.ROOT, "x%d[w] = %s;", slot, pack(m, false)));
      } else {
        others.add(slot);
      }
    }
    if (!others.isEmpty()) {
      if (packs) {
        code.line("UNROLL");
        code.open("for (i32 q = 0; q < " + lanes.width() + "; q++)");
        declareElement("at + q");
      }
      for (int slot : others) {
        code.line(
            String.format(
                Locale.ROOT, "x%d[%s] = %s;", slot, place(), single.input(inputs.get(slot))));
      }
      if (packs) {
        code.close();
      }
    }
    code.close();
    code.close();
  }

  private String vector(ScalarType storage) {
    return row.build.functions.vector(storage, lanes.width());
  }

  /** Returns the expression of adjacent elements in memory as one vector. */
  private String pack(Operand.Memory m, boolean written) {
    return "*(GLOBAL %s%s*) (%s + %s)"
        .formatted(
            written ? "" : "const ",
            vector(m.storage()),
            entry.memory(m.storage(), m.buffer(), written),
            whole.element(m));
  }

  /** Renders the stores that run once per row. */
  void storeRow() {
    row.storeRow(entry, single, body);
  }
}
