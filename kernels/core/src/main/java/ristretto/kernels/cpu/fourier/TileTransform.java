package ristretto.kernels.cpu.fourier;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.moves.Pack;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripKey;
import ristretto.kernels.cpu.strip.StripSpec.Access;
import ristretto.kernels.fourier.Butterfly;
import ristretto.kernels.fourier.Butterfly.Factor;
import ristretto.kernels.fourier.Factors;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Transforms of one smooth length over adjacent lanes: the Stockham algorithm, decimation in
 * frequency. A pass of radix r reads rows at r distances and writes r adjacent groups of rows, so
 * that elements end in order without a permutation. All lanes of a row share the twiddle factors,
 * so each pass is one call of a strip over rows of many elements.
 */
final class TileTransform {
  /** Bytes of the tile's two buffers, about half of a second-level cache. */
  private static final long TILE_BYTES = 1 << 19;

  /** Bytes of a tile's buffers above which rows are narrower, and then transforms are split. */
  static final long MOST_TILE_BYTES = 4 << 20;

  private static final int LEAST_BYTES = 128;

  private static final int MOST_BYTES = 512;

  /**
   * Pass over rows.
   *
   * @param left number of butterflies with different factors
   * @param done product of the radices of the passes before this one
   */
  private record Pass(Strip strip, Factor factor, int radix, long left, long done) {}

  private final int size;
  private final long n;
  private final List<Pass> passes = new ArrayList<>();
  private final Tables roots;
  private final Optional<Tables> scale;
  private int stripBytes;
  private int arguments;

  TileTransform(LaunchServices services, String name, ScalarType type, long n, double factor) {
    this.size = type.bytes();
    this.n = n;
    this.roots = Tables.of(type, n, n, k -> k);
    this.scale = Tables.scale(type, factor);
    long left = n;
    long done = 1;
    for (int radix : Factors.radices(n)) {
      left /= radix;
      Factor f = left > 1 ? Factor.TWIDDLES : scale.isPresent() ? Factor.SCALE : Factor.NONE;
      Strip strip = strip(services, name, Butterfly.of(type, radix, f), 2 * radix);
      stripBytes = Math.max(stripBytes, strip.scratchBytes());
      arguments = Math.max(arguments, Butterfly.inputs(radix, f) + 2 * radix);
      passes.add(new Pass(strip, f, radix, left, done));
      done *= radix;
    }
  }

  /** Compiles a tape whose first inputs are rows, and whose others are one number per row. */
  static Strip strip(LaunchServices services, String name, Tape tape, int rows) {
    var inputs = new ArrayList<>(Collections.nCopies(rows, Access.UNIT));
    int slots = 0;
    for (var node : tape.nodes()) {
      if (node instanceof ristretto.kernels.scalar.Node.Input in) {
        slots = Math.max(slots, in.slot() + 1);
      }
    }
    inputs.addAll(Collections.nCopies(slots - rows, Access.SCALAR));
    var stores =
        Collections.nCopies(tape.outputs().size(), ristretto.kernels.cpu.strip.StripSpec.STORE);
    return services.strip(new StripKey(tape, inputs, stores, List.of()), name).strip();
  }

  /**
   * Number of lanes of a tile of transforms of length n. Rows have a cost, so that wide ones are
   * faster even if the tile exceeds the cache.
   *
   * @param adjacent true if lanes are adjacent elements in memory
   */
  static int lanes(long n, int size, boolean adjacent) {
    long bytes = adjacent ? MOST_BYTES : Math.clamp(TILE_BYTES / (4 * n), LEAST_BYTES, MOST_BYTES);
    bytes = Math.clamp(MOST_TILE_BYTES / (4 * n), LEAST_BYTES, bytes);
    return (int) (bytes / LEAST_BYTES * LEAST_BYTES / size);
  }

  /** Bytes of scratch for tiles of {@code lanes} lanes. */
  long scratchBytes(int lanes) {
    return 4 * planeBytes(lanes) + stripBytes;
  }

  private long planeBytes(int lanes) {
    return (n * lanes * size + 63 & -64L) + 64;
  }

  /**
   * Transforms a tile.
   *
   * @param scratch of {@link #scratchBytes}; not where {@code from} or {@code to} are
   */
  void run(ThreadContext context, Planes from, Planes to, int lanes, long scratch) {
    long row = (long) lanes * size;
    long plane = planeBytes(lanes);
    var first = new Planes(scratch, scratch + plane, row, size);
    var second = new Planes(scratch + 2 * plane, scratch + 3 * plane, row, size);
    context.reserve(arguments);
    Planes at = from.direct(size) ? from : load(from, first, lanes);
    boolean isFirst = at != from;
    for (int k = 0; k < passes.size(); k++) {
      Planes next = isFirst ? second : first;
      if (k == passes.size() - 1) {
        next = to.direct(size) ? to : to.interleaved(size) ? next.interleavedAs(to, row) : next;
      }
      run(context, passes.get(k), at, next, lanes, scratch + 4 * plane);
      at = next;
      isFirst = !isFirst;
    }
    if (at != to) {
      store(at, to, lanes);
    }
  }

  private void store(Planes from, Planes to, int lanes) {
    if (to.interleaved(size)) {
      long row = (long) lanes * size;
      Pack.copy(size, from.start(), row, size, 2 * (int) n, lanes, to.start(), size, to.lane());
      return;
    }
    store(from.re(), to.re(), to, lanes);
    store(from.im(), to.im(), to, lanes);
  }

  /** Copies a tile; returns where its planes are, in the memory of {@code to}. */
  private Planes load(Planes from, Planes to, int lanes) {
    if (from.interleaved(size)) {
      Planes rows = to.interleavedAs(from, to.step());
      Pack.copy(
          size, from.start(), size, from.lane(), 2 * (int) n, lanes, rows.start(), to.step(), size);
      return rows;
    }
    load(from.re(), from, to.re(), lanes);
    load(from.im(), from, to.im(), lanes);
    return to;
  }

  private void load(long plane, Planes from, long to, int lanes) {
    long row = (long) lanes * size;
    if (plane == 0) {
      RawMemory.zero(to, n * row);
    } else {
      Pack.copy(size, plane, from.step(), from.lane(), (int) n, lanes, to, row, size);
    }
  }

  private void store(long plane, long target, Planes to, int lanes) {
    long row = (long) lanes * size;
    Pack.copy(size, plane, row, size, (int) n, lanes, target, to.step(), to.lane());
  }

  private void run(ThreadContext context, Pass p, Planes from, Planes to, int lanes, long scratch) {
    long[] pointers = context.pointers;
    long[] strides = context.rowStrides;
    int r = p.radix;
    boolean ends = p.left == 1;
    // The last pass may write rows at a stride of the target; the others handle adjacent rows
    // together. The first pass has done == 1 and may read rows at a stride.
    long group = ends ? 1 : p.done;
    long rows = ends ? p.done : p.left;
    long fromRow = group * from.step();
    long toRow = ends ? to.step() : r * p.done * to.step();
    for (int k = 0; k < r; k++) {
      long read = k * p.left * p.done * from.step();
      long write = k * p.done * to.step();
      pointers[k] = from.re() + read;
      pointers[r + k] = from.im() + read;
      strides[k] = fromRow;
      strides[r + k] = fromRow;
      int out = Butterfly.inputs(r, p.factor) + k;
      pointers[out] = to.re() + write;
      pointers[out + r] = to.im() + write;
      strides[out] = toRow;
      strides[out + r] = toRow;
    }
    switch (p.factor) {
      case NONE -> {}
      case SCALE -> {
        pointers[2 * r] = scale.orElseThrow().re();
        strides[2 * r] = 0;
      }
      case TWIDDLES -> {
        for (int k = 1; k < r; k++) {
          int slot = 2 * r + 2 * k - 2;
          pointers[slot] = roots.re();
          pointers[slot + 1] = roots.im();
          strides[slot] = k * p.done * size;
          strides[slot + 1] = k * p.done * size;
        }
      }
    }
    long dense = (long) lanes * size;
    if (ends && from.step() == dense && to.step() == dense) {
      p.strip.run(pointers, strides, 1, (int) rows * lanes, scratch);
    } else {
      p.strip.run(pointers, strides, (int) rows, (int) group * lanes, scratch);
    }
  }
}
