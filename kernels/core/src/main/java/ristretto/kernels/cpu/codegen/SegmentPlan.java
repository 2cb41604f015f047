package ristretto.kernels.cpu.codegen;

import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Distribution of the rows of an expanded tape over segments. Each segment is a loop over at most
 * {@link Strip#LENGTH} elements, because long loop bodies exhaust the out-of-order window of the
 * processor and exceed the compilers' limits. Values that cross from one segment to a later one are
 * stored in scratch strips that stay in the L1 cache.
 *
 * <p>The scratch of vector code begins with the area through which calls pass values, followed by
 * the areas of {@link TailCopy}.
 *
 * @param slots byte offset into the scratch by crossing row
 */
record SegmentPlan(
    StripSpec spec,
    Tape tape,
    UseAnalysis uses,
    List<Segment> segments,
    Map<Integer, Integer> slots,
    int scratchBytes) {
  /** Returns the pointer index of tape output {@code k}. */
  int outputPointer(int k) {
    return spec.inputs().size() + k;
  }

  StripSpec.Access access(Node.Input in) {
    return spec.inputs().get(in.slot());
  }

  /** Returns true if operands are read through a {@link RowTable}. */
  boolean gathers() {
    return spec.inputs().contains(StripSpec.Access.GATHERED);
  }

  boolean single() {
    return segments.size() == 1;
  }

  boolean vector() {
    return segments.stream().anyMatch(Segment::vector);
  }

  /** Visits the rows that a segment reads or stores but does not compute. */
  void forEachOutside(Segment segment, IntConsumer visitor) {
    boolean[] seen = new boolean[tape.size()];
    segment.rows().forEach(row -> seen[row] = true);
    IntConsumer once =
        row -> {
          if (!seen[row] && !(tape.node(row) instanceof Node.Const)) {
            seen[row] = true;
            visitor.accept(row);
          }
        };
    segment.rows().forEach(row -> uses.forEachOperand(row, once));
    segment.stores().forEach(k -> once.accept(tape.outputs().get(k)));
  }

  /**
   * Returns the number of elements in a full step of the vector segments; the last elements of a
   * row are padded to it.
   */
  int granularity() {
    if (spec.inputs().contains(StripSpec.Access.ACCUMULATE)) {
      return spec.lanes();
    }
    return segments.stream().mapToInt(Segment::lanes).max().orElse(1);
  }

  /**
   * Most operations, times vectors of an accumulator, of a step that is unrolled to keep
   * accumulators in registers.
   */
  private static final int MAX_UNROLLED = 64;

  /**
   * Returns the vectors of an accumulator that {@code segment} keeps in registers; 0 if it keeps
   * none.
   */
  int accumulatorVectors(Segment segment) {
    if (!segment.carried() || !segment.vector()) {
      return 0;
    }
    int vectors = Math.max(1, spec.lanes() / segment.lanes());
    return vectors * Math.max(1, segment.rows().size()) <= MAX_UNROLLED ? vectors : 0;
  }

  /**
   * Returns true if accumulators are initialized in registers, so that they need no memory before a
   * row.
   */
  boolean startsInRegisters() {
    return segments.stream().anyMatch(s -> accumulatorVectors(s) > 0);
  }

  /** Returns the offset of the areas of {@link TailCopy} in the scratch. */
  int tailOffset() {
    return VectorFunctions.areaBytes(tape);
  }

  /** Text for the debug ladder. */
  @Override
  public String toString() {
    var text = new StringBuilder();
    for (int k = 0; k < segments.size(); k++) {
      Segment segment = segments.get(k);
      text.append("segment ").append(k).append(": ");
      text.append(segment.vector() ? segment.lanes() + " lanes" : "scalar").append(", rows");
      segment.rows().forEach(row -> text.append(" %").append(row));
      text.append(", stores ").append(segment.stores()).append('\n');
    }
    text.append("scratch ").append(scratchBytes).append(" bytes");
    slots.forEach((row, at) -> text.append(", %").append(row).append(" at ").append(at));
    return text.append('\n').toString();
  }

  /** Returns the character of {@link RowTable} for each pointer. */
  String tableLayout() {
    var layout = new StringBuilder();
    ScalarType[] types = inputTypes();
    for (int slot = 0; slot < types.length; slot++) {
      layout.append(
          types[slot] == null
              ? RowTable.UNUSED
              : switch (spec.inputs().get(slot)) {
                case GATHERED -> RowTable.GATHERED;
                case INDEX -> RowTable.FIXED;
                case SCALAR -> types[slot].bytes() == 8 ? RowTable.SCALAR_8 : RowTable.SCALAR_4;
                case UNIT, ACCUMULATE -> RowTable.ADDRESS;
              });
    }
    spec.stores()
        .forEach(
            store -> layout.append(store == StripSpec.STORE ? RowTable.ADDRESS : RowTable.UNUSED));
    return layout.toString();
  }

  /** Returns the type of each input; null for those that the tape does not use. */
  private ScalarType[] inputTypes() {
    var types = new ScalarType[spec.inputs().size()];
    for (Node node : tape.nodes()) {
      if (node instanceof Node.Input in) {
        types[in.slot()] = in.type();
      }
    }
    return types;
  }

  /** Returns the size of an operand's elements; 0 if they do not follow each other in a row. */
  int elementBytes(int pointer) {
    return switch (tailLayout().charAt(pointer)) {
      case TailCopy.INPUT_4, TailCopy.GATHERED_4, TailCopy.OUTPUT_4 -> 4;
      case TailCopy.INPUT_8, TailCopy.GATHERED_8, TailCopy.OUTPUT_8 -> 8;
      default -> 0;
    };
  }

  /** Returns the character of {@link TailCopy} for each pointer. */
  String tailLayout() {
    var layout = new StringBuilder();
    ScalarType[] types = inputTypes();
    for (int slot = 0; slot < types.length; slot++) {
      boolean used = types[slot] != null;
      boolean wide = used && types[slot].bytes() == 8;
      layout.append(
          switch (used ? spec.inputs().get(slot) : StripSpec.Access.SCALAR) {
            case UNIT -> wide ? TailCopy.INPUT_8 : TailCopy.INPUT_4;
            case GATHERED -> wide ? TailCopy.GATHERED_8 : TailCopy.GATHERED_4;
            case ACCUMULATE -> wide ? TailCopy.ACCUMULATE_8 : TailCopy.ACCUMULATE_4;
            case SCALAR, INDEX -> TailCopy.NONE;
          });
    }
    for (int k = 0; k < spec.stores().size(); k++) {
      boolean wide = tape.outputType(k).bytes() == 8;
      boolean stored = spec.stores().get(k) == StripSpec.STORE;
      layout.append(stored ? wide ? TailCopy.OUTPUT_8 : TailCopy.OUTPUT_4 : TailCopy.NONE);
    }
    return layout.toString();
  }
}
