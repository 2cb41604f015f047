package ristretto.kernels.cpu.fourier;

import ristretto.kernels.cpu.launch.Cost;
import ristretto.kernels.cpu.launch.CpuLaunch;
import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.memory.CpuBuffer;
import ristretto.kernels.cpu.moves.Pack;
import ristretto.kernels.cpu.operands.IterationSpace;
import ristretto.kernels.cpu.operands.MemoryRef;
import ristretto.kernels.cpu.operands.TileGrid;
import ristretto.kernels.cpu.runtime.ChunkedTask;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.fourier.Factors;
import ristretto.kernels.ir.Kernel;

/**
 * Launch of discrete Fourier transforms. Many short transforms run in tiles of adjacent lanes, as
 * their rows are in memory, or transposed. Few or long ones are split (the four-step algorithm):
 * with n = n1 n2, transforms of length n1 over the columns of a matrix [n1, n2], twiddle factors,
 * then transforms of length n2 over its rows, whose results are in order if rows are lanes.
 */
public final class FourierLaunch extends CpuLaunch {
  private static final double NANOS = 0.15;

  /** Transforms that are too few for a tile. */
  private static final long FEW = 8;

  /** Least length that is split. */
  private static final long LEAST_SPLIT = 64;

  private final int size;
  private final long n;
  private final boolean inverse;
  private final boolean periodic;
  private final IterationSpace space;
  private final MemoryRef re;
  private final MemoryRef im;
  private final MemoryRef toRe;
  private final MemoryRef toIm;
  private boolean split;

  /** Dimension of the lanes of a tile, and the number of tiles along it. */
  private int laneDim;

  private long laneTiles;
  private int lanes;
  private long outer;
  private TileTransform whole;
  private SplitTransform parts;
  private int workers;
  private final ChunkedTask phase = this::phase;

  public FourierLaunch(LaunchServices services, Kernel.Fourier kernel) {
    super(services, kernel);
    long[] extents = kernel.extents().toArray();
    declare(kernel.re(), extents);
    kernel.im().ifPresent(m -> declare(m, extents));
    declare(kernel.toRe(), kernel.results().toArray());
    declare(kernel.toIm(), kernel.results().toArray());
    periodic = kernel.periodic();
    size = kernel.type().bytes();
    n = extents[extents.length - 1];
    inverse = kernel.inverse();
    space = new IterationSpace(kernel.extents(), extents.length - 1);
    re = new MemoryRef(space, kernel.re());
    im = kernel.im().map(m -> new MemoryRef(space, m)).orElse(null);
    toRe = new MemoryRef(space, kernel.toRe());
    toIm = new MemoryRef(space, kernel.toIm());
    long points = kernel.extents().product();
    if (points == 0) {
      return;
    }
    space.simplify(true);
    if (space.kept == 0) {
      space.insertOne(0, true);
    }
    laneDim = space.kept - 1;
    for (int d = 0; d < space.kept && space.extents[laneDim] < 2 * FEW; d++) {
      laneDim = space.extents[d] > space.extents[laneDim] ? d : laneDim;
    }
    long operations = (long) (points * 5 * Math.log(n) / Math.log(2));
    workers = operations * NANOS < Cost.PARALLEL_NANOS ? 1 : services.workers.size();
    long lane = space.extents[laneDim];
    boolean adjacent = re.map.strides[laneDim] == 1;
    lanes = (int) Math.min(lane, TileTransform.lanes(n, size, adjacent));
    split =
        n >= LEAST_SPLIT
            && Factors.half(n) > 1
            && (lane < FEW || 4 * n * lanes * size > TileTransform.MOST_TILE_BYTES);
    if (split) {
      outer = points / n;
      parts = new SplitTransform(services, name(), kernel.type(), n, kernel.scale());
      chunks = 1;
    } else {
      whole = new TileTransform(services, name(), kernel.type(), n, kernel.scale());
      laneTiles = Math.ceilDiv(lane, lanes);
      outer = points / n / lane;
      chunks = workers == 1 ? 1 : TileGrid.chunks(outer * laneTiles, workers);
    }
    describe(operations, kernel::toString, true);
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    if (split) {
      split(job);
      return;
    }
    long tiles = outer * laneTiles;
    long[] at = new long[space.rank()];
    long scratch = context.scratch(whole.scratchBytes(lanes));
    for (long t = tiles * index / count; t < tiles * (index + 1) / count; t++) {
      long start = t % laneTiles * lanes;
      place(at, t / laneTiles, laneDim);
      at[laneDim] = start;
      int width = (int) Math.min(lanes, space.extents[laneDim] - start);
      Planes to = target(job, at, laneDim);
      whole.run(context, source(job, at, laneDim), to, width, scratch);
      if (periodic) {
        repeat(to.re(), to, width);
        repeat(to.im(), to, width);
      }
    }
  }

  private void split(Job job) {
    CpuBuffer memory = services.workspaces.take(2 * parts.planeBytes());
    try {
      job.shared = memory.address(name());
      for (long transform = 0; transform < outer; transform++) {
        for (int k = 0; k < 2; k++) {
          job.phase = 2 * transform + k;
          services.workers.run(job, phase, (int) Math.min(workers, parts.tiles(k)));
        }
        if (periodic) {
          long[] at = new long[space.rank()];
          place(at, transform, -1);
          Planes to = target(job, at, 0);
          repeat(to.re(), to, 1);
          repeat(to.im(), to, 1);
        }
      }
    } finally {
      services.workspaces.give(memory);
    }
  }

  /** Runs some tiles of a phase of one transform. */
  private void phase(Job job, int index, int count, ThreadContext context) {
    int k = (int) (job.phase % 2);
    long[] at = new long[space.rank()];
    place(at, job.phase / 2, -1);
    long tiles = parts.tiles(k);
    var middle = new Planes(job.shared, job.shared + parts.planeBytes(), 0, 0);
    for (long t = tiles * index / count; t < tiles * (index + 1) / count; t++) {
      if (k == 0) {
        parts.columns(context, source(job, at, 0), middle, t);
      } else {
        parts.rows(context, middle, target(job, at, 0), t);
      }
    }
  }

  /** Copies the first elements of some lanes behind the last ones. */
  private void repeat(long plane, Planes to, int width) {
    Pack.copy(size, plane, 0, to.lane(), 1, width, plane + n * to.step(), 0, to.lane());
  }

  /** Sets the index of a transform, in all dimensions but one. */
  private void place(long[] at, long number, int without) {
    long left = number;
    for (int d = space.kept - 1; d >= 0; d--) {
      if (d != without) {
        at[d] = left % space.extents[d];
        left /= space.extents[d];
      }
    }
  }

  private Planes source(Job job, long[] at, int dim) {
    long a = re.address(job, at);
    long b = im == null ? 0 : im.address(job, at);
    return planes(inverse ? b : a, inverse ? a : b, re, dim);
  }

  private Planes target(Job job, long[] at, int dim) {
    long a = toRe.address(job, at);
    long b = toIm.address(job, at);
    return planes(inverse ? b : a, inverse ? a : b, toRe, dim);
  }

  private Planes planes(long a, long b, MemoryRef m, int dim) {
    return new Planes(a, b, m.map.strides[space.rank() - 1] * size, m.map.strides[dim] * size);
  }
}
