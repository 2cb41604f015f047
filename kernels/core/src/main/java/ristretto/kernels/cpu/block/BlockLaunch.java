package ristretto.kernels.cpu.block;

import java.util.Arrays;
import java.util.Optional;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.cpu.blas.OpenBlas;
import ristretto.kernels.cpu.blas.OpenBlasLibrary;
import ristretto.kernels.cpu.launch.Cost;
import ristretto.kernels.cpu.launch.CpuLaunch;
import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/**
 * Launch of a product with a block-quantized matrix. With few left rows, each row of blocks is
 * multiplied as it is decoded, at the speed at which memory is read. With more, a panel of rows is
 * decoded into the second-level cache, and OpenBLAS multiplies with it. The bits of the result do
 * not depend on the number of threads.
 */
public final class BlockLaunch extends CpuLaunch {
  /** Sums of a dot product that are added up at its end: the lanes of a vector. */
  static final int LANES = Math.min(16, VectorHardware.BITS / 32);

  /** Most left rows that are multiplied one by one. */
  private static final int FEW = 3;

  /** Chunks end at multiples of so many rows of blocks, whose results fill a line of memory. */
  private static final long GRAIN = 16;

  /** Most rows of blocks whose sums are added up together. */
  private static final long ROWS_AT_ONCE = 128;

  /** Least rows of blocks of a chunk. */
  private static final long LEAST_ROWS = 32;

  private static final long CHUNKS_A_THREAD = 4;

  private static final double NANOS_AN_ELEMENT = 0.06;
  private static final double NANOS_A_FLOP = 0.012;

  private final BlockCode code;
  private final long m;
  private final long n;
  private final long k;
  private final int aBuffer;
  private final long aOffset;
  private final long aStride;
  private final int blocksBuffer;
  private final long blocksOffset;
  private final long blocksStride;
  private final long rowBytes;
  private final int cBuffer;
  private final long cOffset;
  private final long cStride;

  /** Division of the product; null if rows are multiplied one by one. */
  private final BlockPanels panels;

  /** Kernel after the product; null if there is none. */
  private BlockEpilogue after;

  public BlockLaunch(LaunchServices services, Kernel.BlockGemm kernel) {
    this(services, kernel, kernel, Optional.empty());
  }

  /** Creates the launch of a product with a kernel after it, which {@link #fuses} allows. */
  public BlockLaunch(LaunchServices services, Kernel.FusedGemm fused) {
    this(services, fused, (Kernel.BlockGemm) fused.gemm(), fused.after());
  }

  private BlockLaunch(
      LaunchServices services,
      Kernel launched,
      Kernel.BlockGemm kernel,
      Optional<Kernel.Map> epilogue) {
    super(services, launched);
    m = kernel.m();
    n = kernel.n();
    k = kernel.k();
    BlockFormat format = kernel.format();
    declare(kernel.a(), new long[] {m, k});
    rowBytes = format.rowBytes(k);
    declare(kernel.blocks(), new long[] {n, rowBytes});
    epilogue.ifPresent(map -> {
      map.inputs().stream().filter(o -> !o.equals(kernel.c())).forEach(this::declareResult);
      map.stores().forEach(this::declareResult);
      reserve(kernel.c().buffer());
    });
    if (epilogue.isEmpty()) {
      declareResult(kernel.c());
    }
    aBuffer = kernel.a().buffer();
    aOffset = 4 * kernel.a().map().offset();
    aStride = 4 * kernel.a().map().strides().get(0);
    blocksBuffer = kernel.blocks().buffer();
    blocksOffset = kernel.blocks().map().offset();
    blocksStride = kernel.blocks().map().strides().get(0);
    cBuffer = kernel.c().buffer();
    boolean kept = epilogue.isPresent() && !epilogue.get().stores().contains(kernel.c());
    cOffset = kept ? 0 : 4 * kernel.c().map().offset();
    cStride = 4 * (kept ? n : kernel.c().map().strides().get(0));
    code = TieredBlockCode.of(format);
    panels = m <= FEW || k == 0 ? null : BlockPanels.of(m, n);
    if (m * n == 0) {
      return;
    }
    if (panels != null) {
      OpenBlasLibrary.load();
      OpenBlas.prepare();
    }
    describe(2 * m * n * k, () -> format.label() + " gemm " + m + " x " + n + " x " + k, true);
    int threads = services.workers.size();
    double nanos = n * k * NANOS_AN_ELEMENT + (panels == null ? 0 : 2.0 * m * n * k * NANOS_A_FLOP);
    long most = panels == null ? Math.ceilDiv(n, LEAST_ROWS) : panels.count();
    boolean alone = threads == 1 || nanos < Cost.PARALLEL_NANOS;
    chunks = alone ? 1 : (int) Math.min(most, threads * CHUNKS_A_THREAD);
    epilogue.ifPresent(map -> {
      long[] ends = new long[chunks];
      Arrays.setAll(ends, this::end);
      after = new BlockEpilogue(services, kernel, map, ends);
    });
  }

  /**
   * Returns true if a launch computes the kernels around a product as well: an epilogue of few left
   * rows.
   */
  public static boolean fuses(Kernel.FusedGemm kernel) {
    return kernel.gemm() instanceof Kernel.BlockGemm g
        && g.m() > 0
        && g.m() <= FEW
        && kernel.left().isEmpty()
        && kernel.after().stream().allMatch(BlockEpilogue::suits);
  }

  /**
   * Compiles the vector code of products with a large matrix of a format in the background.
   *
   * @param elements number of elements of the matrix
   */
  public static void expect(BlockFormat format, long elements) {
    TieredBlockCode.expect(format, elements);
  }

  private void declareResult(Operand operand) {
    declare(operand, new long[] {m, n});
  }

  /** Products that are not stored. */
  @Override
  protected long sharedBytes() {
    return after == null || after.stored() ? 0 : 4 * m * n;
  }

  /** Row of blocks at which a chunk ends, if rows are multiplied one by one. */
  private long end(int chunk) {
    return Math.min(n, Math.ceilDiv(n, GRAIN) * (chunk + 1) / chunks * GRAIN);
  }

  /** Until the vector code is compiled, one core is left to the compiler. */
  @Override
  protected int chunksNow() {
    return code instanceof TieredBlockCode tiered && tiered.isScalar()
        ? Math.clamp(chunks, 0, Math.max(1, services.workers.size() - 1))
        : chunks;
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    int from = chunks * index / count;
    int to = chunks * (index + 1) / count;
    long a = job.buffers[aBuffer] + aOffset;
    long blocks = job.buffers[blocksBuffer] + blocksOffset;
    if (panels != null) {
      long c = job.buffers[cBuffer] + cOffset;
      long all = panels.count();
      panels(a, blocks, c, all * from / chunks, all * to / chunks, context);
      return;
    }
    for (int part = from; part < to; part++) {
      long products = sharedBytes() == 0 ? job.buffers[cBuffer] + cOffset : job.shared;
      each(a, blocks, products, part == 0 ? 0 : end(part - 1), end(part), context);
      if (after != null) {
        after.run(part, job, products, context);
      }
    }
  }

  /** Multiplies rows of blocks with the left rows one by one. */
  private void each(long a, long blocks, long c, long from, long to, ThreadContext context) {
    long last = blocks + Math.max(0, (n - 1) * blocksStride) + rowBytes - 1;
    for (long row = from; row < to; row += ROWS_AT_ONCE) {
      int rows = (int) Math.min(ROWS_AT_ONCE, to - row);
      long work = context.scratch(work(rows));
      long first = blocks + row * blocksStride;
      for (long i = 0; i < m; i++) {
        long products = c + i * cStride + 4 * row;
        code.multiply(first, blocksStride, rows, a + i * aStride, k, products, work, last);
      }
    }
  }

  /** Bytes of working memory of a product with rows: their sums in lanes. */
  static long work(int rows) {
    return 4L * LANES * rows;
  }

  /** Decodes panels of rows of blocks, slice by slice, and multiplies parts of the left rows. */
  private void panels(long a, long blocks, long c, long from, long to, ThreadContext context) {
    for (long at = from; at < to; ) {
      long end = Math.min(to, (at / panels.parts() + 1) * panels.parts());
      long row = at / panels.parts() * panels.rows();
      int rows = (int) Math.min(panels.rows(), n - row);
      long decoded = context.scratch(4L * rows * Math.min(k, BlockPanels.DEPTH));
      for (long slice = 0; slice < k; slice += BlockPanels.DEPTH) {
        int depth = (int) Math.min(BlockPanels.DEPTH, k - slice);
        for (int r = 0; r < rows; r++) {
          code.decode(blocks + (row + r) * blocksStride, slice, depth, decoded + 4L * depth * r);
        }
        for (long part = at; part < end; part++) {
          long left = part % panels.parts() * panels.left();
          int count = (int) Math.min(panels.left(), m - left);
          multiply(
              a + left * aStride + 4 * slice,
              decoded,
              c + left * cStride + 4 * row,
              count,
              rows,
              depth,
              slice > 0);
        }
      }
      at = end;
    }
  }

  private void multiply(long a, long decoded, long c, int left, int rows, int depth, boolean more) {
    int lda = (int) Math.max(aStride / 4, k);
    int ldc = (int) Math.max(cStride / 4, n);
    OpenBlas.gemm(
        false, false, true, left, rows, depth, 1, a, lda, decoded, depth, more ? 1 : 0, c, ldc);
  }
}
