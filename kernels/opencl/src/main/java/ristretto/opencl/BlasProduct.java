package ristretto.opencl;

import static org.jocl.blast.CLBlastLayout.CLBlastLayoutRowMajor;
import static org.jocl.blast.CLBlastTranspose.CLBlastTransposeNo;
import static org.jocl.blast.CLBlastTranspose.CLBlastTransposeYes;

import java.util.ArrayList;
import java.util.List;
import org.jocl.blast.CLBlast;
import org.jocl.cl_command_queue;
import org.jocl.cl_mem;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.source.Routine;

/** A product by CLBlast, a call for each matrix of a batch. */
final class BlasProduct implements Task {
  private final Kernel.Gemm k;
  private final boolean wide;
  private final Matrix a;
  private final Matrix b;
  private final Matrix c;

  /**
   * A matrix of each batch as the library names it.
   *
   * @param lead elements from one row, or one column if transposed, to the next
   * @param starts elements before each
   */
  private record Matrix(int buffer, int transpose, long lead, List<Long> starts) {
    static Matrix of(Operand.Memory m, Longs batch, long rows, long columns) {
      Longs strides = m.map().strides();
      int rank = batch.size();
      boolean transposed = transposed(m.map(), columns);
      long lead = Math.max(strides.get(transposed ? rank + 1 : rank), transposed ? rows : columns);
      var starts = new ArrayList<Long>();
      for (long i = 0; i < batch.product(); i++) {
        long rest = i;
        long start = m.map().offset();
        for (int d = rank - 1; d >= 0; d--) {
          start += rest % batch.get(d) * strides.get(d);
          rest /= batch.get(d);
        }
        starts.add(start);
      }
      return new Matrix(
          m.buffer(), transposed ? CLBlastTransposeYes : CLBlastTransposeNo, lead, starts);
    }

    cl_mem memory(Buffer[] buffers) {
      return ((OpenClBuffer) buffers[buffer]).memory();
    }
  }

  /** Whether neighbours in memory are those in a column. */
  private static boolean transposed(Affine map, long columns) {
    return columns > 1 && map.strides().get(map.strides().size() - 1) != 1;
  }

  /** Whether the library takes its matrices: rows, or columns, that do not overlap. */
  static boolean fits(Kernel.Gemm k) {
    return k.m() * k.n() * k.k() * k.batch().product() > 0
        && fits(k.a(), k.m(), k.k())
        && fits(k.b(), k.k(), k.n())
        && fits(k.c(), k.m(), k.n())
        && !transposed(k.c().map(), k.n());
  }

  private static boolean fits(Operand.Memory m, long rows, long columns) {
    Longs strides = m.map().strides();
    int rank = strides.size();
    boolean transposed = transposed(m.map(), columns);
    long near = strides.get(transposed ? rank - 2 : rank - 1);
    long far = strides.get(transposed ? rank - 1 : rank - 2);
    long inner = transposed ? rows : columns;
    long outer = transposed ? columns : rows;
    return (near == 1 || inner == 1) && (far >= inner || outer == 1);
  }

  BlasProduct(Kernel.Gemm k) {
    this.k = k;
    wide = k.type() == ScalarType.F64;
    a = Matrix.of(k.a(), k.batch(), k.m(), k.k());
    b = Matrix.of(k.b(), k.batch(), k.k(), k.n());
    c = Matrix.of(k.c(), k.batch(), k.m(), k.n());
  }

  /** What stands for it among rendered kernels. */
  Routine routine() {
    return new Routine(
        "/* " + (wide ? "DGEMM" : "SGEMM") + " of CLBlast */",
        List.of(),
        List.of(),
        List.of(),
        List.of(c.buffer));
  }

  @Override
  public void start(cl_command_queue queue, Buffer[] buffers, cl_mem[] scratch, long[] scalars) {
    double alpha = k.alpha() * scale(scalars);
    double beta = k.beta();
    for (int i = 0; i < a.starts.size(); i++) {
      if (wide) {
        CLBlast.CLBlastDgemm(
            CLBlastLayoutRowMajor,
            a.transpose,
            b.transpose,
            k.m(),
            k.n(),
            k.k(),
            alpha,
            a.memory(buffers),
            a.starts.get(i),
            a.lead,
            b.memory(buffers),
            b.starts.get(i),
            b.lead,
            beta,
            c.memory(buffers),
            c.starts.get(i),
            c.lead,
            queue,
            null);
      } else {
        CLBlast.CLBlastSgemm(
            CLBlastLayoutRowMajor,
            a.transpose,
            b.transpose,
            k.m(),
            k.n(),
            k.k(),
            (float) alpha,
            a.memory(buffers),
            a.starts.get(i),
            a.lead,
            b.memory(buffers),
            b.starts.get(i),
            b.lead,
            (float) beta,
            c.memory(buffers),
            c.starts.get(i),
            c.lead,
            queue,
            null);
      }
    }
  }

  private double scale(long[] scalars) {
    if (k.scale().isEmpty()) {
      return 1;
    }
    long bits = scalars[k.scale().get().argument()];
    return wide ? Double.longBitsToDouble(bits) : Float.intBitsToFloat((int) bits);
  }
}
