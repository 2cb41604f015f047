package ristretto.cuda;

import static ristretto.cuda.Library.INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import ristretto.cuda.Cusolver.Function;
import ristretto.kernels.device.Choice;
import ristretto.kernels.device.Solvers;

/** Factorizations of a device's matrices by cuSOLVER. */
final class Factorizations implements Solvers {
  private static final String PROPERTY = "ristretto.cuda.solver";

  /** Smallest extent for which the library is faster than the host with copies. */
  private static final long LEAST_EXTENT = 64;

  private static final int UPPER = 1;
  private static final int NORMAL = 0;
  private static final int TRANSPOSED = 1;

  private static final Notice NOTICE = new Notice();

  private final CudaDevice device;
  private final boolean wanted;
  private final boolean always;
  private boolean searched;
  private Cusolver library;
  private long handle;

  Factorizations(CudaDevice device) {
    this.device = device;
    String word =
        Choice.named("[cuda] the library of factorizations", PROPERTY, "auto", "cusolver", "host");
    wanted = !word.equals("host");
    always = word.equals("cusolver");
  }

  /** Returns these factorizations if cuSOLVER is used; searches for it on first use. */
  Optional<Solvers> find() {
    if (wanted && !searched) {
      searched = true;
      Optional<Cusolver> found = Cusolver.find(device.hardware.driver());
      NOTICE.tell(found.isPresent(), words(found));
      library = found.orElse(null);
    }
    return library == null ? Optional.empty() : Optional.of(this);
  }

  /** Describes where matrices are factorized, and why. */
  static String words(Optional<Cusolver> library) {
    return library
        .map(l -> "large matrices are factorized by cuSOLVER " + l.version)
        .orElse(
            "matrices are factorized on the host, with copies, because neither libcusolver.so.11"
                + " nor .12 was found; name its folder in RISTRETTO_CUDA_LIBRARIES, or set -D"
                + PROPERTY
                + "=host");
  }

  void close() {
    if (handle != 0) {
      library.close(handle);
    }
  }

  @Override
  public boolean pays(long extent) {
    return always || extent >= LEAST_EXTENT;
  }

  /** Calls for one matrix. */
  @FunctionalInterface
  private interface Calls {
    /**
     * Enqueues the work on matrix k.
     *
     * @param info address of the I32 that receives the status
     */
    void start(int k, long info) throws Throwable;
  }

  /** Runs calls for each matrix of a batch and returns their status numbers. */
  private int[] each(Batch batch, Calls calls) {
    synchronized (device) {
      device.checkOpen("linalg");
      device.enter();
      if (handle == 0) {
        handle = library.open(device);
      }
      long bytes = Math.max(4, 4L * batch.count());
      Handles.Memory info = device.scratch(bytes);
      try (Arena arena = Arena.ofConfined()) {
        for (int k = 0; k < batch.count(); k++) {
          calls.start(k, info.address() + 4L * k);
        }
        MemorySegment all = arena.allocate(bytes, 4);
        device.copyOut(info, 0, all);
        return all.asSlice(0, 4L * batch.count()).toArray(INT);
      } catch (Throwable t) {
        throw Library.thrown(t);
      } finally {
        device.giveBack(info, bytes);
      }
    }
  }

  /** Work with temporary memory. */
  @FunctionalInterface
  private interface WithMemory {
    void run(long address) throws Throwable;
  }

  private void withMemory(long bytes, WithMemory work) throws Throwable {
    Handles.Memory memory = device.scratch(bytes);
    try {
      work.run(memory.address());
    } finally {
      // The stream runs in order, so that later work may use the memory.
      device.giveBack(memory, bytes);
    }
  }

  /** Query of a workspace's size in elements. */
  @FunctionalInterface
  private interface Query {
    int run(MethodHandle function, long size) throws Throwable;
  }

  /** Call with a workspace. */
  @FunctionalInterface
  private interface WithWork {
    int run(MethodHandle function, long work, int size) throws Throwable;
  }

  /** Asks for the size of the workspace, and enqueues a call with it. */
  private void call(Batch batch, Function sizes, Query query, Function f, WithWork work)
      throws Throwable {
    int size;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment holder = arena.allocate(INT);
      MethodHandle function = library.function(sizes, batch.wide());
      Cusolver.check(query.run(function, holder.address()), sizes.of(batch.wide()));
      size = holder.get(INT, 0);
    }
    withMemory(
        Math.max(1, batch.bytes() * size),
        room -> {
          MethodHandle function = library.function(f, batch.wide());
          Cusolver.check(work.run(function, room, size), f.of(batch.wide()));
        });
  }

  private static long address(Batch batch, Numbers numbers, long element) {
    return CudaDevice.address(numbers.buffer()) + numbers.start() + batch.bytes() * element;
  }

  @Override
  public int[] cholesky(Batch batch, int n, Numbers a) {
    return each(
        batch,
        (k, info) -> {
          long at = address(batch, a, (long) k * n * n);
          call(
              batch,
              Function.POTRF_SIZE,
              (f, to) -> (int) f.invokeExact(handle, UPPER, n, at, n, to),
              Function.POTRF,
              (f, work, size) -> (int) f.invokeExact(handle, UPPER, n, at, n, work, size, info));
        });
  }

  @Override
  public int[] eliminate(Batch batch, int n, Numbers a, Numbers pivots) {
    return each(
        batch,
        (k, info) -> {
          long rows = CudaDevice.address(pivots.buffer()) + pivots.start() + 4L * k * n;
          eliminate(batch, n, address(batch, a, (long) k * n * n), rows, info);
        });
  }

  private void eliminate(Batch batch, int n, long a, long pivots, long info) throws Throwable {
    call(
        batch,
        Function.GETRF_SIZE,
        (f, to) -> (int) f.invokeExact(handle, n, n, a, n, to),
        Function.GETRF,
        (f, work, _) -> (int) f.invokeExact(handle, n, n, a, n, work, pivots, info));
  }

  @Override
  public int[] solveTransposed(Batch batch, int n, int k, Numbers a, Numbers b) {
    return each(
        batch,
        (i, info) -> {
          long matrix = address(batch, a, (long) i * n * n);
          long right = address(batch, b, (long) i * n * k);
          withMemory(
              4L * n + 4,
              pivots -> {
                eliminate(batch, n, matrix, pivots, info);
                // The status of the solution is always 0.
                long other = pivots + 4L * n;
                MethodHandle f = library.function(Function.GETRS, batch.wide());
                Cusolver.check(
                    (int)
                        f.invokeExact(handle, TRANSPOSED, n, k, matrix, n, pivots, right, n, other),
                    Function.GETRS.of(batch.wide()));
              });
        });
  }

  @Override
  public int[] solveUpper(
      Batch batch,
      boolean transposed,
      int n,
      int k,
      Numbers u,
      Numbers pivots,
      Numbers info,
      Numbers b) {
    int trans = transposed ? TRANSPOSED : NORMAL;
    long exchanges = CudaDevice.address(pivots.buffer()) + pivots.start();
    long known = CudaDevice.address(info.buffer()) + info.start();
    return each(
        batch,
        (i, status) -> {
          long matrix = address(batch, u, (long) i * n * n);
          long right = address(batch, b, (long) i * n * k);
          // U is the product of the identity, as the unit lower factor, and U.
          MethodHandle f = library.function(Function.GETRS, batch.wide());
          Cusolver.check(
              (int) f.invokeExact(handle, trans, n, k, matrix, n, exchanges, right, n, status),
              Function.GETRS.of(batch.wide()));
          device.copy(status, known + 4L * i, 4);
        });
  }

  @Override
  public int[] qr(Batch batch, int m, int n, int p, Numbers a, Numbers q) {
    int k = Math.min(m, n);
    return each(
        batch,
        (i, info) -> {
          long from = address(batch, a, (long) i * m * n);
          long to = address(batch, q, (long) i * m * p);
          withMemory(
              batch.bytes() * k,
              tau -> {
                call(
                    batch,
                    Function.GEQRF_SIZE,
                    (f, at) -> (int) f.invokeExact(handle, m, n, from, m, at),
                    Function.GEQRF,
                    (f, work, size) ->
                        (int) f.invokeExact(handle, m, n, from, m, tau, work, size, info));
                device.copy(to, from, batch.bytes() * m * k);
                call(
                    batch,
                    Function.ORGQR_SIZE,
                    (f, at) -> (int) f.invokeExact(handle, m, p, k, to, m, tau, at),
                    Function.ORGQR,
                    (f, work, size) ->
                        (int) f.invokeExact(handle, m, p, k, to, m, tau, work, size, info));
              });
        });
  }

  @Override
  public int[] singularValues(
      Batch batch, char vectors, int m, int n, Numbers a, Numbers s, Numbers u, Numbers vt) {
    byte job = (byte) vectors;
    int p = vectors == 'A' ? m : n;
    boolean none = vectors == 'N';
    return each(
        batch,
        (k, info) -> {
          long matrix = address(batch, a, (long) k * m * n);
          long values = address(batch, s, (long) k * n);
          long left = none ? 0 : address(batch, u, (long) k * m * p);
          long right = none ? 0 : address(batch, vt, (long) k * n * n);
          call(
              batch,
              Function.GESVD_SIZE,
              (f, to) -> (int) f.invokeExact(handle, m, n, to),
              Function.GESVD,
              (f, work, size) ->
                  (int)
                      f.invokeExact(
                          handle, job, job, m, n, matrix, m, values, left, m, right, n, work, size,
                          0L, info));
        });
  }

  @Override
  public int[] eigenvalues(Batch batch, boolean vectors, int n, Numbers a, Numbers w) {
    int job = vectors ? 1 : 0;
    return each(
        batch,
        (k, info) -> {
          long matrix = address(batch, a, (long) k * n * n);
          long values = address(batch, w, (long) k * n);
          call(
              batch,
              Function.SYEVD_SIZE,
              (f, to) -> (int) f.invokeExact(handle, job, UPPER, n, matrix, n, values, to),
              Function.SYEVD,
              (f, work, size) ->
                  (int) f.invokeExact(handle, job, UPPER, n, matrix, n, values, work, size, info));
        });
  }
}
