package ristretto.kernels.cpu.gemm;

import java.util.Arrays;
import ristretto.kernels.cpu.launch.Cost;
import ristretto.kernels.cpu.launch.CpuLaunch;
import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;

/**
 * Launch of matrix products of integers, modulo 2^32 or 2^64. Threads share the rows of the result.
 * A thread copies a block of the right operand to arrays, one per row, which stay in the cache, and
 * adds multiples of these rows to each row of the result. The compiler turns the loops over arrays
 * into vector code.
 */
public final class IntegerProduct extends CpuLaunch {
  /** Rows and columns of a block of the right operand: at most 256 KB. */
  private static final int DEPTH = 128;

  private static final int COLUMNS = 256;

  /**
   * Rows of the block that a loop adds at once. C2 makes no vector code of a loop that adds four
   * rows of longs.
   */
  private static final int LONGS = 2;

  private static final int INTS = 4;

  private static final double NANOS = 0.2;

  private final boolean wide;
  private final int size;
  private final long m;
  private final long n;
  private final long k;
  private final Matrix a;
  private final Matrix b;
  private final Matrix c;
  private final long[] batch;
  private final long batches;

  public IntegerProduct(LaunchServices services, Kernel.Gemm kernel) {
    super(services, kernel);
    wide = kernel.type() == ScalarType.I64;
    size = kernel.type().bytes();
    m = kernel.m();
    n = kernel.n();
    k = kernel.k();
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
    describe(2 * batches * m * n * k, () -> "integer gemm " + m + " x " + n + " x " + k, true);
    int threads = services.workers.size();
    boolean alone = threads == 1 || NANOS * batches * m * n * k < Cost.PARALLEL_NANOS;
    chunks = alone ? 1 : (int) Math.min(Math.min(batches * m, threads), Job.MOST_CHUNKS);
  }

  private long[] extents(long rows, long cols) {
    long[] extents = Arrays.copyOf(batch, batch.length + 2);
    extents[batch.length] = rows;
    extents[batch.length + 1] = cols;
    return extents;
  }

  @Override
  public void chunk(Job job, int index, int count, ThreadContext context) {
    long at = batches * m * index / count;
    long end = batches * m * (index + 1) / count;
    int depth = (int) Math.min(k, DEPTH);
    int columns = (int) Math.min(n, COLUMNS);
    var longs = wide ? new LongRows(depth, columns) : null;
    var ints = wide ? null : new IntRows(depth, columns);
    while (at < end) {
      long number = at / m;
      long from = at % m;
      long to = Math.min(m, from + end - at);
      for (long col = 0; col < n; col += COLUMNS) {
        int cols = (int) Math.min(COLUMNS, n - col);
        for (long step = 0; step == 0 || step < k; step += DEPTH) {
          int steps = (int) Math.min(DEPTH, k - step);
          long pa =
              a.address(job, number, batch) + (from * a.rowStride + step * a.colStride) * size;
          long pb = b.address(job, number, batch) + (step * b.rowStride + col * b.colStride) * size;
          long pc = c.address(job, number, batch) + (from * c.rowStride + col * c.colStride) * size;
          if (wide) {
            longs.add(pa, pb, pc, (int) (to - from), steps, cols, step == 0);
          } else {
            ints.add(pa, pb, pc, (int) (to - from), steps, cols, step == 0);
          }
        }
      }
      at += to - from;
    }
  }

  /** Products of blocks of I64. */
  private final class LongRows {
    private final long[][] rows;
    private final long[] sum;
    private final long[] zeros;

    LongRows(int depth, int columns) {
      rows = new long[depth][columns];
      sum = new long[columns];
      zeros = new long[columns];
    }

    /** Adds a product to rows of the result, or stores it. */
    void add(long pa, long pb, long pc, int count, int depth, int cols, boolean first) {
      for (int l = 0; l < depth; l++) {
        read(pb + l * b.rowStride * size, b.colStride * size, rows[l], cols);
      }
      for (int i = 0; i < count; i++) {
        long from = pa + i * a.rowStride * size;
        long to = pc + i * c.rowStride * size;
        if (first) {
          Arrays.fill(sum, 0, cols, 0);
        } else {
          read(to, size, sum, cols);
        }
        long next = a.colStride * size;
        for (int l = 0; l < depth; l += LONGS, from += LONGS * next) {
          boolean pair = l + 1 < depth;
          long x = RawMemory.getLong(from);
          long y = pair ? RawMemory.getLong(from + next) : 0;
          accumulate(sum, rows[l], pair ? rows[l + 1] : zeros, x, y, cols);
        }
        for (int j = 0; j < cols; j++) {
          RawMemory.putLong(to + 8L * j, sum[j]);
        }
      }
    }

    private static void read(long from, long step, long[] to, int n) {
      for (int j = 0; j < n; j++) {
        to[j] = RawMemory.getLong(from + j * step);
      }
    }

    private static void accumulate(long[] sum, long[] p, long[] q, long x, long y, int n) {
      for (int j = 0; j < n; j++) {
        sum[j] = sum[j] + x * p[j] + y * q[j];
      }
    }
  }

  /** Products of blocks of I32. */
  private final class IntRows {
    private final int[][] rows;
    private final int[] sum;
    private final int[] zeros;

    IntRows(int depth, int columns) {
      rows = new int[depth][columns];
      sum = new int[columns];
      zeros = new int[columns];
    }

    /** Adds a product to rows of the result, or stores it. */
    void add(long pa, long pb, long pc, int count, int depth, int cols, boolean first) {
      for (int l = 0; l < depth; l++) {
        read(pb + l * b.rowStride * size, b.colStride * size, rows[l], cols);
      }
      for (int i = 0; i < count; i++) {
        long from = pa + i * a.rowStride * size;
        long to = pc + i * c.rowStride * size;
        if (first) {
          Arrays.fill(sum, 0, cols, 0);
        } else {
          read(to, size, sum, cols);
        }
        long next = a.colStride * size;
        for (int l = 0; l < depth; l += INTS, from += INTS * next) {
          int rest = depth - l;
          accumulate(
              sum,
              rows[l],
              rest > 1 ? rows[l + 1] : zeros,
              rest > 2 ? rows[l + 2] : zeros,
              rest > 3 ? rows[l + 3] : zeros,
              RawMemory.getInt(from),
              rest > 1 ? RawMemory.getInt(from + next) : 0,
              rest > 2 ? RawMemory.getInt(from + 2 * next) : 0,
              rest > 3 ? RawMemory.getInt(from + 3 * next) : 0,
              cols);
        }
        for (int j = 0; j < cols; j++) {
          RawMemory.putInt(to + 4L * j, sum[j]);
        }
      }
    }

    private static void read(long from, long step, int[] to, int n) {
      for (int j = 0; j < n; j++) {
        to[j] = RawMemory.getInt(from + j * step);
      }
    }

    private static void accumulate(
        int[] sum, int[] p, int[] q, int[] r, int[] s, int x, int y, int z, int w, int n) {
      for (int j = 0; j < n; j++) {
        sum[j] += x * p[j] + y * q[j] + z * r[j] + w * s[j];
      }
    }
  }
}
