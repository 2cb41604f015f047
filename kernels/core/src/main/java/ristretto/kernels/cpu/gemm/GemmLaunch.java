package ristretto.kernels.cpu.gemm;

import ristretto.kernels.cpu.blas.OpenBlas;
import ristretto.kernels.cpu.blas.OpenBlasLibrary;
import ristretto.kernels.cpu.launch.Cost;
import ristretto.kernels.cpu.launch.CpuLaunch;
import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.moves.Pack;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/**
 * Launch of matrix products: OpenBLAS on panels or blocks of the result, which threads share. The
 * bits of the result do not depend on the number of threads. Tiny products are computed here, so
 * that a program without large ones never loads the library.
 */
public final class GemmLaunch extends CpuLaunch {
  /** Most multiply-adds of a product computed by the plain loop. */
  private static final long TINY = 64;

  private static final double NANOS_A_FLOP = 0.012;

  /** Least time of a chunk: threads that claim shorter ones wait for each other. */
  private static final double CHUNK_NANOS = 2_500;

  /** Chunks per thread of a product in slices, each of whose chunks reads all of an operand. */
  private static final int SHARES = 2;

  private final boolean wide;
  private final int size;
  private final long m;
  private final long n;
  private final long k;
  private final double alpha;
  private final int scale;
  private final double beta;
  private final Matrix a;
  private final Matrix b;
  private final Matrix c;
  private final long[] batch;
  private final long batches;
  private boolean tiny;
  private long parts = 1;

  /** Panels of the result; null if parts are {@link #blocks}. */
  private GemmPanels panels;

  /** Blocks of the result; null if parts are {@link #panels}. */
  private GemmBlocks blocks;

  /**
   * Number of parts of a product that are computed before those of the next product in the batch.
   */
  private long together;

  public GemmLaunch(LaunchServices services, Kernel.Gemm kernel) {
    super(services, kernel);
    wide = kernel.type() == ScalarType.F64;
    size = kernel.type().bytes();
    m = kernel.m();
    n = kernel.n();
    k = kernel.k();
    alpha = kernel.alpha();
    scale = kernel.scale().map(Operand.Value::argument).orElse(-1);
    kernel.scale().ifPresent(v -> declare(v, new long[0]));
    beta = kernel.beta();
    batch = kernel.batch().toArray();
    batches = kernel.batch().product();
    a = new Matrix(kernel.a(), m, k);
    b = new Matrix(kernel.b(), k, n);
    c = new Matrix(kernel.c(), m, n);
    declare(kernel.a(), extents(m, k));
    declare(kernel.b(), extents(k, n));
    declare(kernel.c(), extents(m, n));
    if (batches * m * n == 0) {
      return;
    }
    describe(2 * batches * m * n * k, () -> "gemm " + m + " x " + n + " x " + k, true);
    tiny = m * n * k <= TINY || k == 0;
    if (!tiny) {
      OpenBlasLibrary.load();
      OpenBlas.prepare();
      if (!wide && a.blas() && b.blas() && c.plainRows()) {
        blocks = GemmBlocks.of(m, n, k, transposed(a), transposed(b)).orElse(null);
      }
    }
    split();
  }

  private long[] extents(long rows, long cols) {
    long[] extents = java.util.Arrays.copyOf(batch, batch.length + 2);
    extents[batch.length] = rows;
    extents[batch.length + 1] = cols;
    return extents;
  }

  private boolean transposed(Matrix of) {
    return of == a
        ? a.rowStride == 1 && a.colStride != 1 && k != 1
        : b.colStride != 1 && b.cols != 1;
  }

  private void split() {
    int threads = services.workers.size();
    double nanos = 2.0 * batches * m * n * k * NANOS_A_FLOP;
    boolean alone = threads == 1 || nanos < Cost.PARALLEL_NANOS;
    long most = Job.MOST_CHUNKS;
    if (blocks != null) {
      parts = blocks.parts(m, n);
      most = blocks.sliced() ? SHARES * (long) threads : most;
      together = parts;
      if (batches > 1 && a.isSame() && blocks.cols() == n) {
        together = Math.min(parts, blocks.rowsTogether(k));
      }
    } else if (tiny) {
      panels = new GemmPanels(true, m, 1, 1);
    } else {
      boolean transA = a.blas() && transposed(a);
      boolean transB = b.blas() && transposed(b);
      int wanted = alone || batches >= 2L * threads ? 1 : threads;
      panels = GemmPanels.of(m, n, k, transA, transB, batches, wanted);
      parts = panels.count();
    }
    long worth = Math.max(threads, (long) (nanos / CHUNK_NANOS));
    chunks = alone ? 1 : (int) Math.min(Math.min(most, worth), batches * parts);
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    long units = batches * parts;
    if (blocks != null && blocks.sliced()) {
      slices(job, units * index / count, units * (index + 1) / count);
      return;
    }
    for (long unit = units * index / count; unit < units * (index + 1) / count; unit++) {
      if (blocks != null) {
        long first = unit / (together * batches) * together;
        long some = Math.min(together, parts - first);
        long rest = unit - first * batches;
        block(job, rest / some, first + rest % some, 0, k);
        continue;
      }
      long from = panels.edge(unit % parts);
      long to = panels.edge(unit % parts + 1);
      if (panels.byRows()) {
        product(job, unit / parts, from, to, 0, n, context);
      } else {
        product(job, unit / parts, 0, m, from, to, context);
      }
    }
  }

  private double alpha(Job job) {
    if (scale < 0) {
      return alpha;
    }
    long at = job.scalars + 8L * scale;
    return alpha * (wide ? RawMemory.getDouble(at) : RawMemory.getFloat(at));
  }

  /** Computes parts of the result, all of them for one slice of the depth before the next slice. */
  private void slices(Job job, long first, long end) {
    for (long from = 0; from < k; from += blocks.depth()) {
      for (long unit = first; unit < end; unit++) {
        block(job, unit / parts, unit % parts, from, Math.min(k, from + blocks.depth()));
      }
    }
  }

  /** Computes one part of the result over a range of the depth. */
  private void block(Job job, long number, long part, long from, long to) {
    long across = Math.ceilDiv(n, blocks.cols());
    long row = part / across * blocks.rows();
    long col = part % across * blocks.cols();
    int rows = (int) Math.min(blocks.rows(), m - row);
    int cols = (int) Math.min(blocks.cols(), n - col);
    boolean transA = transposed(a);
    boolean transB = transposed(b);
    int lda = (int) (transA ? a.colStride : Math.max(a.rowStride, k));
    int ldb = (int) (transB ? b.colStride : Math.max(b.rowStride, b.cols));
    int ldc = (int) Math.max(c.rowStride, c.cols);
    long pa = a.address(job, number, batch) + (row * a.rowStride + from * a.colStride) * size;
    long pb = b.address(job, number, batch) + (col * b.colStride + from * b.rowStride) * size;
    long pc = c.address(job, number, batch) + (row * c.rowStride + col) * size;
    double alpha = alpha(job);
    for (long at = from; at < to; at += blocks.depth()) {
      int depth = (int) Math.min(blocks.depth(), to - at);
      double start = at == 0 ? beta : 1;
      multiply(alpha, start, transA, transB, rows, cols, depth, pa, lda, pb, ldb, pc, ldc);
      pa += depth * a.colStride * size;
      pb += depth * b.rowStride * size;
    }
  }

  private void product(
      Job job,
      long number,
      long rowFrom,
      long rowTo,
      long colFrom,
      long colTo,
      ThreadContext context) {
    long pa = k == 0 ? 0 : a.address(job, number, batch) + rowFrom * a.rowStride * size;
    long pb = k == 0 ? 0 : b.address(job, number, batch) + colFrom * b.colStride * size;
    long pc =
        c.address(job, number, batch) + (rowFrom * c.rowStride + colFrom * c.colStride) * size;
    int rows = (int) (rowTo - rowFrom);
    int cols = (int) (colTo - colFrom);
    if (rows == 0 || cols == 0) {
      return;
    }
    if (tiny) {
      plain(alpha(job), pa, pb, pc, rows, cols);
      return;
    }
    long scratch = 0;
    long bytesA = a.blas() ? 0 : (long) rows * k * size;
    long bytesB = b.blas() ? 0 : (long) cols * k * size;
    long bytesC = c.plainRows() ? 0 : (long) rows * cols * size;
    if (bytesA + bytesB + bytesC > 0) {
      scratch = context.scratch(bytesA + bytesB + bytesC + 128);
    }
    boolean transA = transposed(a);
    int lda = (int) (transA ? a.colStride : Math.max(a.rowStride, k));
    if (bytesA > 0) {
      Pack.copy(
          size, pa, a.rowStride * size, a.colStride * size, rows, (int) k, scratch, k * size, size);
      pa = scratch;
      transA = false;
      lda = (int) k;
    }
    boolean transB = transposed(b);
    int ldb = (int) (transB ? b.colStride : Math.max(b.rowStride, b.cols));
    if (bytesB > 0) {
      long to = (scratch + bytesA + 63) & -64;
      Pack.copy(
          size,
          pb,
          b.rowStride * size,
          b.colStride * size,
          (int) k,
          cols,
          to,
          (long) cols * size,
          size);
      pb = to;
      transB = false;
      ldb = cols;
    }
    if (bytesC == 0) {
      int ldc = (int) Math.max(c.rowStride, c.cols);
      multiply(alpha(job), beta, transA, transB, rows, cols, (int) k, pa, lda, pb, ldb, pc, ldc);
      return;
    }
    long to = (scratch + bytesA + bytesB + 127) & -64;
    if (beta != 0) {
      Pack.copy(
          size,
          pc,
          c.rowStride * size,
          c.colStride * size,
          rows,
          cols,
          to,
          (long) cols * size,
          size);
    }
    multiply(alpha(job), beta, transA, transB, rows, cols, (int) k, pa, lda, pb, ldb, to, cols);
    Pack.copy(
        size, to, (long) cols * size, size, rows, cols, pc, c.rowStride * size, c.colStride * size);
  }

  private void multiply(
      double alpha,
      double beta,
      boolean transA,
      boolean transB,
      int rows,
      int cols,
      int depth,
      long pa,
      int lda,
      long pb,
      int ldb,
      long pc,
      int ldc) {
    if (cols == 1) {
      // A times a vector, a column of b with stride ldb, or a row if b is transposed.
      int step = transB ? 1 : ldb;
      if (transA) {
        OpenBlas.gemv(wide, true, depth, rows, alpha, pa, lda, pb, step, beta, pc, ldc);
      } else {
        OpenBlas.gemv(wide, false, rows, depth, alpha, pa, lda, pb, step, beta, pc, ldc);
      }
    } else if (rows == 1) {
      int step = transA ? lda : 1;
      if (transB) {
        OpenBlas.gemv(wide, false, cols, depth, alpha, pb, ldb, pa, step, beta, pc, 1);
      } else {
        OpenBlas.gemv(wide, true, depth, cols, alpha, pb, ldb, pa, step, beta, pc, 1);
      }
    } else {
      OpenBlas.gemm(
          wide, transA, transB, rows, cols, depth, alpha, pa, lda, pb, ldb, beta, pc, ldc);
    }
  }

  /** Computes a tiny or empty product; sums are in double. */
  private void plain(double alpha, long pa, long pb, long pc, int rows, int cols) {
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        double sum = 0;
        long p = pa + i * a.rowStride * size;
        long q = pb + j * b.colStride * size;
        for (int l = 0; l < k; l++) {
          sum +=
              wide
                  ? RawMemory.getDouble(p) * RawMemory.getDouble(q)
                  : (double) RawMemory.getFloat(p) * RawMemory.getFloat(q);
          p += a.colStride * size;
          q += b.rowStride * size;
        }
        long to = pc + (i * c.rowStride + j * c.colStride) * size;
        double start =
            beta == 0 ? 0 : beta * (wide ? RawMemory.getDouble(to) : RawMemory.getFloat(to));
        double value = alpha * sum + start;
        if (wide) {
          RawMemory.putDouble(to, value);
        } else {
          RawMemory.putFloat(to, (float) value);
        }
      }
    }
  }
}
