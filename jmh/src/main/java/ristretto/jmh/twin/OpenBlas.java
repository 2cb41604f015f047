package ristretto.jmh.twin;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.LoopJob;

/**
 * Bare calls of OpenBLAS: a second copy of the engine's library, with its own number of threads.
 */
final class OpenBlas implements Competitor {
  private static final int ROW_MAJOR = 101;
  private static final int NO_TRANSPOSE = 111;
  private final Worksets worksets;
  private final MethodHandle sgemm;

  private OpenBlas(Worksets worksets, MethodHandle sgemm) {
    this.worksets = worksets;
    this.sgemm = sgemm;
  }

  /**
   * Loads the library.
   *
   * @throws IOException if there is none for this platform
   */
  static OpenBlas load(int threads, Worksets worksets) throws IOException {
    SymbolLookup library = OpenBlasCopy.load(threads);
    Linker linker = Linker.nativeLinker();
    return new OpenBlas(
        worksets,
        linker.downcallHandle(
            library.findOrThrow("cblas_sgemm"),
            FunctionDescriptor.ofVoid(
                JAVA_INT,
                JAVA_INT,
                JAVA_INT,
                JAVA_INT,
                JAVA_INT,
                JAVA_INT,
                JAVA_FLOAT,
                JAVA_LONG,
                JAVA_INT,
                JAVA_LONG,
                JAVA_INT,
                JAVA_FLOAT,
                JAVA_LONG,
                JAVA_INT)));
  }

  @Override
  public String name() {
    return "blas";
  }

  @Override
  public Offer prepare(Line line, Dims dims) {
    if (line.family() != Line.Family.GEMM) {
      return new NotOffered();
    }
    Workset set = worksets.acquire(line, dims);
    LoopJob.Probe probe =
        line.name().equals("dot") ? set::result : i -> finished(line, dims, set, i);
    return new Ready(new LoopJob(() -> multiply(dims, set), probe, set::release));
  }

  /** Adds bias and ReLU, which the bare call leaves out, to an element before it is checked. */
  private static double finished(Line line, Dims dims, Workset set, long index) {
    return Math.max(0, set.result(index) + line.inputs().get(2).value(2, index % dims.get(1)));
  }

  private void multiply(Dims d, Workset set) {
    int m = (int) d.get(0);
    int n = (int) d.get(1);
    int k = (int) d.get(2);
    try {
      sgemm.invokeExact(
          ROW_MAJOR,
          NO_TRANSPOSE,
          NO_TRANSPOSE,
          m,
          n,
          k,
          1f,
          set.input(0),
          k,
          set.input(1),
          n,
          0f,
          set.output(),
          n);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
