package ristretto.kernels.cpu.launch;

import java.util.List;
import java.util.stream.IntStream;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.moves.Pack;
import ristretto.kernels.cpu.operands.IterationSpace;
import ristretto.kernels.cpu.operands.MemoryRef;
import ristretto.kernels.cpu.operands.ScratchLayout;
import ristretto.kernels.cpu.operands.StridedCursor;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripKey;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Sums of lines with one index per line, as in the gradient of an embedding table. A target line
 * that receives several lines accumulates them in F64, per block of columns. The plan has a word
 * per indexed line: the kind of its addition and its F64 accumulator.
 */
final class ScatterLines extends ScatterSums {
  /** Columns of a block: a few hundred F64 lines of it stay in the second-level cache. */
  static final long COLUMNS = 512;

  // Kinds of addition: the low bits of a line's word in the plan.
  private static final int ONLY = 0;
  private static final int FIRST = 1;
  private static final int MIDDLE = 2;
  private static final int LAST = 3;

  private static final int HEADER = 64;

  private final MemoryRef target;
  private final long columns;

  /**
   * Number of a line in the plan, and of the first target line of a block among those of all
   * blocks.
   */
  private final StridedCursor word;

  private final StridedCursor place;
  private final long words;
  private final long places;

  /** Dimensions of the indexed lines in the plan, outermost first. */
  private final int[] dims;

  private final long[] extents;

  private final Strip[] strips = new Strip[4];
  private final long stripScratch;
  private final long line;
  private final long[] noStrides = new long[3];

  ScatterLines(
      LaunchServices services,
      IterationSpace space,
      MemoryRef target,
      long columns,
      ScratchLayout scratch) {
    this.target = target;
    this.columns = columns;
    extents = space.extents;
    int last = extents.length - 1;
    dims =
        IntStream.concat(
                IntStream.range(0, last)
                    .filter(d -> target.map.strides[d] != 0 && target.index.strides[d] != 0),
                IntStream.range(0, last).filter(d -> target.map.strides[d] == 0))
            .toArray();
    word = new StridedCursor(0, new long[last + 1]);
    place = new StridedCursor(0, new long[last + 1]);
    long wordCount = 1;
    long placeCount = target.gather.extent();
    for (int k = dims.length - 1; k >= 0; k--) {
      int d = dims[k];
      word.strides[d] = wordCount;
      wordCount *= extents[d];
      if (target.map.strides[d] != 0) {
        place.strides[d] = placeCount;
        placeCount *= extents[d];
      }
    }
    words = wordCount;
    places = placeCount;
    long most = 0;
    for (int kind = ONLY; kind <= LAST; kind++) {
      strips[kind] = strip(services, kind);
      most = Math.max(most, strips[kind].scratchBytes());
    }
    stripScratch = scratch.take(most);
    line = scratch.take(4 * columns);
  }

  private static Strip strip(LaunchServices services, int kind) {
    boolean narrow = kind == ONLY;
    boolean sumIn = kind == MIDDLE || kind == LAST;
    boolean sumOut = kind == FIRST || kind == MIDDLE;
    ScalarType wide = narrow ? ScalarType.F32 : ScalarType.F64;
    var t = new TapeBuilder();
    int start = t.convert(t.input(0, sumIn ? ScalarType.F64 : ScalarType.F32), wide);
    int value = t.convert(t.input(1, ScalarType.F32), wide);
    int sum = t.apply(Op.ADD, start, value);
    var tape = t.build(t.convert(sum, sumOut ? ScalarType.F64 : ScalarType.F32));
    var unit = StripSpec.Access.UNIT;
    var key = new StripKey(tape, List.of(unit, unit), List.of(StripSpec.STORE), List.of());
    return services.strip(key, "add_line_" + kind).strip();
  }

  @Override
  long planBytes() {
    return HEADER + 4 * (words + places);
  }

  /**
   * Writes the words of all lines. Keeps the latest line of each target line and changes its word
   * when another line is added to the same target line.
   */
  @Override
  long plan(Job job) {
    long codes = job.shared + HEADER;
    long latest = codes + 4 * words;
    RawMemory.zero(latest, 4 * places);
    int last = dims[dims.length - 1];
    long[] at = new long[extents.length];
    int slots = 0;
    for (long w = 0; w < words; w += extents[last]) {
      place(at, w);
      slots =
          plan(job, (int) w, last, codes, latest + 4 * place.at(at), target.index.at(at), slots);
    }
    RawMemory.putLong(job.shared, slots);
    return 8L * slots * columns;
  }

  private int plan(Job job, int word, int dim, long codes, long latest, long index, int slots) {
    boolean narrow = target.gather.storage() == ScalarType.I32;
    long base = job.buffers[target.gather.buffer()] + (narrow ? 4 : 8) * index;
    long step = (narrow ? 4 : 8) * target.index.strides[dim];
    // With a gather stride of 0, all indices address the same target line.
    long extent = target.gather.extent();
    long apart = target.gather.stride() == 0 ? 0 : 4;
    int n = (int) extents[dim];
    int used = slots;
    for (int i = 0; i < n; i++) {
      long k = narrow ? RawMemory.getInt(base + i * step) : RawMemory.getLong(base + i * step);
      long entry = latest + apart * (k + (k >> 63 & extent));
      int code = ONLY;
      int before = RawMemory.getInt(entry) - 1;
      if (before >= 0) {
        long changed = codes + 4L * before;
        int old = RawMemory.getInt(changed);
        int slot = old == ONLY ? used++ : old >>> 2;
        RawMemory.putInt(changed, slot << 2 | (old == ONLY ? FIRST : MIDDLE));
        code = slot << 2 | LAST;
      }
      RawMemory.putInt(codes + 4L * (word + i), code);
      RawMemory.putInt(entry, word + i + 1);
    }
    return used;
  }

  private void place(long[] at, long number) {
    long left = number;
    for (int k = dims.length - 1; k >= 0; k--) {
      at[dims[k]] = left % extents[dims[k]];
      left /= extents[dims[k]];
    }
  }

  @Override
  long area(Job job, int index) {
    return job.phase + index * 8L * columns * RawMemory.getLong(job.shared);
  }

  @Override
  void visit(Job job, Tile tile, long values, Pass pass, long area, ThreadContext context) {
    int size = target.size();
    long base = job.buffers[target.buffer] + target.map.at(tile.at) * size;
    long position = target.index.at(tile.at);
    long stride = target.gather.stride() * size;
    long colStep = target.map.strides[tile.colDim] * size;
    boolean direct = target.direct(tile.colDim);
    long codes = job.shared + HEADER + 4 * word.at(tile.at);
    long[] pointers = context.pointers;
    for (int r = 0; r < tile.rows; r++) {
      int code = RawMemory.getInt(codes + 4L * r * word.strides[tile.rowDim]);
      int kind = code & 3;
      long sum = area + 8L * columns * (code >>> 2);
      long to =
          base + target.gathered(job, position + r * target.index.strides[tile.rowDim]) * stride;
      long start = sum;
      if (kind <= FIRST) {
        start = direct ? to : tile.scratch + line;
        if (!direct) {
          Pack.load(target.storage, to, 0, colStep, 1, tile.cols, start, 0);
        }
      }
      long end = kind == FIRST || kind == MIDDLE ? sum : direct ? to : tile.scratch + line;
      pointers[0] = start;
      pointers[1] = values + 4L * r * tile.cols;
      pointers[2] = end;
      strips[kind].run(pointers, noStrides, 1, tile.cols, tile.scratch + stripScratch);
      if (end != sum && !direct) {
        Pack.store(target.storage, end, 0, 1, tile.cols, to, 0, colStep);
      }
    }
  }
}
