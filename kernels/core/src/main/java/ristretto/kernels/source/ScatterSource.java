package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Scatter. The points are sorted by index (stable), then one work item per target element finds its
 * points and combines them in order; if there are fewer points than places, one per point does this
 * for its place, unless an earlier point has it. If the index also varies along dimensions of the
 * target, each point of those dimensions has a sorted row of its own.
 */
final class ScatterSource {
  private final Build build;
  private final Kernel.Scatter.Operator op;
  private final Tape tape;

  /**
   * Permutation of the kernel's dimensions: first the dimensions of the target, then the summed
   * ones.
   */
  private final int[] order;

  private final long[] full;
  private final List<Operand> inputs;
  private final Operand.Memory target;
  private final Operand.Gather gather;
  private final Space space;
  private final long[] free;
  private final long[] summed;

  /** Free dimensions along which the index varies, and their extents. */
  private final int[] rowDims;

  private final long[] rowExtents;

  ScatterSource(Build build, Kernel.Scatter kernel) {
    this.build = build;
    this.op = kernel.op();
    this.tape = build.lowered(kernel.tape());
    long[] extents = kernel.extents().toArray();
    Longs strides = kernel.target().map().strides();
    var dims = new ArrayList<Integer>();
    for (int d = 0; d < extents.length; d++) {
      if (strides.get(d) != 0 && extents[d] != 1) {
        dims.add(d);
      }
    }
    int wall = dims.size();
    for (int d = 0; d < extents.length; d++) {
      if (!dims.subList(0, wall).contains(d)) {
        dims.add(d);
      }
    }
    order = dims.stream().mapToInt(d -> d).toArray();
    full = Arrays.stream(order).mapToLong(d -> extents[d]).toArray();
    inputs = kernel.inputs().stream().map(this::reordered).toList();
    target = (Operand.Memory) reordered(kernel.target());
    gather = target.gather().orElseThrow();
    var operands = new ArrayList<Operand>(inputs);
    operands.add(target);
    space = Space.of(full, Space.maps(operands), Space.bounded(full, inputs), wall);
    int before = space.before(wall);
    free = Arrays.copyOf(space.extents, before);
    summed = Arrays.copyOfRange(space.extents, before, space.extents.length);
    long[] along = space.strides(gather.map());
    rowDims =
        IntStream.range(0, before).filter(d -> along[d] != 0 && gather.stride() != 0).toArray();
    rowExtents = Arrays.stream(rowDims).mapToLong(d -> free[d]).toArray();
  }

  private Operand reordered(Operand operand) {
    return switch (operand) {
      case Operand.Value v -> v;
      case Operand.Index i -> new Operand.Index(i.type(), reordered(i.map()));
      case Operand.Memory m ->
          new Operand.Memory(
              m.storage(),
              m.buffer(),
              reordered(m.map()),
              m.gather()
                  .map(g ->
                      new Operand.Gather(
                          g.storage(), g.buffer(), reordered(g.map()), g.stride(), g.extent())),
              m.bounds().stream()
                  .map(b -> new Operand.Bound(place(b.dim()), b.from(), b.to()))
                  .toList());
    };
  }

  private int place(int dim) {
    int k = 0;
    while (order[k] != dim) {
      k++;
    }
    return k;
  }

  private Affine reordered(Affine map) {
    long[] strides = Arrays.stream(order).mapToLong(d -> map.strides().get(d)).toArray();
    return new Affine(map.offset(), Longs.of(strides));
  }

  void render() {
    // With a stride of 0, all indices select the same element.
    long places = gather.stride() == 0 ? Math.min(1, gather.extent()) : gather.extent();
    long points = Build.product(summed);
    long columns = Build.product(free);
    if (places * points * columns == 0) {
      return;
    }
    ScalarType keyType = build.far ? ScalarType.I64 : ScalarType.I32;
    var passes = new SortPasses(build, keyType, false, Build.product(rowExtents), points);
    passes.render((entry, p) -> key(entry, p.get(0), p.get(1)));
    Entry entry = build.entry("ristretto_scatter");
    Code code = entry.body;
    String type = entry.index();
    boolean few = points < places;
    long[] extents = {few ? points : places, columns};
    List<String> p = build.points(entry, extents, "p");
    String all = entry.constant(points);
    String keys = passes.sortedKeys(entry);
    String positions = passes.sortedPositions(entry);
    var variables = new ArrayList<>(Reader.unravel(entry, code, "i", p.get(1), free));
    String row = "";
    if (rowDims.length > 0) {
      code.line("const " + type + " row = (" + row(entry, variables) + ") * " + all + ";");
      row = "row + ";
    }
    String place = p.get(0);
    if (few) {
      place = "place";
      code.line("const %s first = %s;".formatted(type, p.get(0)));
      code.line("const %s place = %s[%sfirst];".formatted(type, keys, row));
      code.line("const %s before = first > 0 ? first - 1 : 0;".formatted(type));
      code.line("const flag own = first == 0 || %s[%sbefore] != place;".formatted(keys, row));
    } else {
      search(code, type, keys + "[" + row + "middle]", "first", place, all);
    }
    search(code, type, keys + "[" + row + "middle]", "end", place + " + 1", all);
    code.open("if (" + (few ? "own" : "first < end") + ")");
    for (int d = 0; d < summed.length; d++) {
      variables.add(summed.length == 1 ? "j" : "j" + d);
    }
    var reader = new Reader(entry, space, full, variables);
    var sum =
        Accumulator.of(
            new Reduction(kind(tape.outputType(0)), tape.outputType(0), 0),
            build.target.wide(),
            build.functions);
    String memory = entry.memory(target.storage(), target.buffer(), true);
    // Index 0 along the summed dimensions, where the target's strides are 0.
    var there = new ArrayList<>(variables.subList(0, free.length));
    there.addAll(Collections.nCopies(summed.length, "0"));
    String element = new Reader(entry, space, full, there).place(target.buffer(), target.map());
    if (gather.stride() != 0) {
      element = element + " + " + place + " * " + entry.constant(gather.stride());
    }
    code.line("const " + type + " element = " + element + ";");
    String start = Reader.widened(target.storage(), memory + "[element]");
    sum.declare(code, "a", start);
    String from = op == Kernel.Scatter.Operator.LAST ? "end - 1" : "first";
    code.open("for (" + type + " q = " + from + "; q < end; q++)");
    code.line("const " + type + " j = " + positions + "[" + row + "q];");
    Reader.unravel(entry, code, "j", "j", summed);
    var body = new Body(code, tape, build.functions, slot -> reader.input(inputs.get(slot)));
    body.emit(body.needed(tape.outputs()));
    String value = body.value(tape.outputs().getFirst());
    if (op == Kernel.Scatter.Operator.LAST) {
      code.line("a = " + value + ";");
    } else {
      sum.add(code, "a", value, "j");
    }
    code.close();
    String stored = Reader.narrowed(target.storage(), sum.value("a"));
    code.line(memory + "[element] = " + stored + ";");
    code.close();
    code.close();
    build.launchPoints(entry, extents);
  }

  /** Reduction whose accumulator holds an element of a type. */
  private Reduction.Kind kind(ScalarType type) {
    return switch (op) {
      case ADD -> Reduction.Kind.SUM;
      case MIN -> Reduction.Kind.MIN;
      case MAX -> Reduction.Kind.MAX;
      case LAST -> type == ScalarType.BOOL ? Reduction.Kind.ANY : Reduction.Kind.MAX;
    };
  }

  /** Returns the number of the sorted row for the given indices of the free dimensions. */
  private String row(Entry entry, List<String> variables) {
    String row = variables.get(rowDims[0]);
    for (int k = 1; k < rowDims.length; k++) {
      String extent = entry.constant(rowExtents[k]);
      row = "(" + row + ") * " + extent + " + " + variables.get(rowDims[k]);
    }
    return row;
  }

  /** Returns the index in sorted row {@code row} at point {@code j} of the summed dimensions. */
  private String key(Entry entry, String row, String j) {
    if (gather.stride() == 0) {
      return "0";
    }
    var variables = new ArrayList<>(Collections.nCopies(free.length, "0"));
    List<String> rows = Reader.unravel(entry, entry.body, "r", row, rowExtents);
    for (int k = 0; k < rowDims.length; k++) {
      variables.set(rowDims[k], rows.get(k));
    }
    variables.addAll(Reader.unravel(entry, entry.body, "k", j, summed));
    return new Reader(entry, space, full, variables).gathered(gather);
  }

  /** Declares the first position in the sorted keys with a key of at least {@code key}. */
  private static void search(
      Code code, String type, String middle, String name, String key, String all) {
    code.line(type + " " + name + " = 0;");
    code.open("for (" + type + " high = " + all + "; " + name + " < high; )");
    code.line("const " + type + " middle = " + name + " + (high - " + name + ") / 2;");
    code.line("const flag below = " + middle + " < " + key + ";");
    code.line(name + " = below ? middle + 1 : " + name + ";");
    code.line("high = below ? high : middle;");
    code.close();
  }
}
