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

  /** Rows of blocks between two claims of a chunk. */
  private static final long GRAIN = 64;

  private static final long CHUNKS_A_THREAD = 4;

  /** Elements of a decoded panel, along the rows of blocks and across them. */
  private static final long DEPTH = 512;

  private static final long MOST_ROWS = 256;
  private static final long LEAST_ROWS = 32;

  /** Panels into which a matrix is divided if it has enough rows. */
  private static final long PANELS = 16;

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

  /** Rows of a decoded panel; 0 if rows are multiplied one by one. */
  private final long panel;

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
    panel = m <= FEW || k == 0 ? 0 : Math.clamp(n / PANELS / 16 * 16, LEAST_ROWS, MOST_ROWS);
    if (m * n == 0) {
      return;
    }
    if (panel > 0) {
      OpenBlasLibrary.load();
      OpenBlas.prepare();
    }
    describe(2 * m * n * k, () -> format.label() + " gemm " + m + " x " + n + " x " + k, true);
    int threads = services.workers.size();
    double nanos = n * k * NANOS_AN_ELEMENT + (panel > 0 ? 2.0 * m * n * k * NANOS_A_FLOP : 0);
    long most = panel > 0 ? Math.ceilDiv(n, panel) : Math.ceilDiv(n, GRAIN);
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

  private void declareResult(Operand operand) {
    declare(operand, new long[] {m, n});
  }

  /** Products that are not stored. */
  @Override
  protected long sharedBytes() {
    return after == null || after.stored() ? 0 : 4 * m * n;
  }

  private long grain() {
    return panel > 0 ? panel : GRAIN;
  }

  /** Row of blocks at which a chunk ends, of as many chunks as there can be. */
  private long end(int chunk) {
    return Math.min(n, Math.ceilDiv(n, grain()) * (chunk + 1) / chunks * grain());
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
    for (int part = chunks * index / count; part < chunks * (index + 1) / count; part++) {
      long products = sharedBytes() == 0 ? job.buffers[cBuffer] + cOffset : job.shared;
      multiply(job, products, part == 0 ? 0 : end(part - 1), end(part), context);
      if (after != null) {
        after.run(part, job, products, context);
      }
    }
  }

  private void multiply(Job job, long c, long from, long to, ThreadContext context) {
    long a = job.buffers[aBuffer] + aOffset;
    long blocks = job.buffers[blocksBuffer] + blocksOffset;
    long last = blocks + Math.max(0, (n - 1) * blocksStride) + rowBytes - 1;
    for (long row = from; row < to; row += grain()) {
      int rows = (int) Math.min(grain(), to - row);
      if (panel > 0) {
        panel(a, blocks + row * blocksStride, c + 4 * row, rows, context);
      } else {
        each(a, blocks + row * blocksStride, c + 4 * row, rows, last, context);
      }
    }
  }

  /** Multiplies rows of blocks with the left rows one by one. */
  private void each(long a, long blocks, long c, int rows, long last, ThreadContext context) {
    long work = context.scratch(work(rows));
    for (long i = 0; i < m; i++) {
      code.multiply(blocks, blocksStride, rows, a + i * aStride, k, c + i * cStride, work, last);
    }
  }

  /** Bytes of working memory of a product with rows: their sums in lanes. */
  static long work(int rows) {
    return 4L * LANES * rows;
  }

  /** Decodes rows of blocks, slice by slice, and multiplies all left rows with them. */
  private void panel(long a, long blocks, long c, int rows, ThreadContext context) {
    long decoded = context.scratch(4L * rows * Math.min(k, DEPTH));
    for (long from = 0; from < k; from += DEPTH) {
      int depth = (int) Math.min(DEPTH, k - from);
      for (int r = 0; r < rows; r++) {
        code.decode(blocks + r * blocksStride, from, depth, decoded + 4L * depth * r);
      }
      int lda = (int) Math.max(aStride / 4, k);
      int ldc = (int) Math.max(cStride / 4, n);
      double beta = from == 0 ? 0 : 1;
      OpenBlas.gemm(
          false,
          false,
          true,
          (int) m,
          rows,
          depth,
          1,
          a + 4 * from,
          lda,
          decoded,
          depth,
          beta,
          c,
          ldc);
    }
  }
}
