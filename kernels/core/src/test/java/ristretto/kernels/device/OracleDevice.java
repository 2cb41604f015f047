package ristretto.kernels.device;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import ristretto.kernels.ClosedException;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.VerifyKernel;
import ristretto.kernels.scalar.TapeInterpreter.Arithmetic;

/**
 * A device that is obviously right: every kernel is interpreted element by element, reductions
 * accumulate in double (integers in long), every access is checked. An {@link AssertionError}
 * reports what a correct kernel never does: reading or writing outside a buffer, reading what was
 * never written, writing an element twice with different values, reading an element at another
 * place than the one that overwrites it, an index outside its axis.
 *
 * <p>"Compiled" kernels are counted by name.
 */
public final class OracleDevice implements Device {
  private final Arithmetic arithmetic;
  private final Set<String> compiled = new HashSet<>();
  private final Set<OracleBuffer> buffers = new HashSet<>();
  private long launches;
  private long hits;
  private long misses;
  private long allocated;
  private long peak;
  private boolean closed;

  /** Computes in the tapes' own types. */
  public OracleDevice() {
    this(Arithmetic.TYPED);
  }

  public OracleDevice(Arithmetic arithmetic) {
    this.arithmetic = arithmetic;
  }

  @Override
  public String name() {
    return arithmetic == Arithmetic.TYPED ? "oracle" : "oracle:1";
  }

  @Override
  public String description() {
    return "interpreter, floating point "
        + (arithmetic == Arithmetic.TYPED ? "as typed" : "in double");
  }

  @Override
  public synchronized Buffer allocate(long bytes) {
    requireOpen();
    var buffer = new OracleBuffer(this, bytes);
    buffers.add(buffer);
    allocated += bytes;
    peak = Math.max(peak, allocated);
    return buffer;
  }

  synchronized void released(OracleBuffer buffer) {
    if (buffers.remove(buffer)) {
      allocated -= buffer.bytes();
    }
  }

  @Override
  public synchronized void write(Buffer buffer, long offset, MemorySegment source) {
    requireOpen();
    ((OracleBuffer) buffer).write(offset, source);
  }

  @Override
  public synchronized void read(Buffer buffer, long offset, MemorySegment target) {
    requireOpen();
    ((OracleBuffer) buffer).read(offset, target);
  }

  @Override
  public boolean convolves(Kernel.Convolution kernel) {
    return true;
  }

  @Override
  public Optional<Kernel.Fourier.Layout> transforms() {
    return Optional.of(Kernel.Fourier.Layout.PLANES);
  }

  @Override
  public synchronized Launch prepare(Kernel kernel) {
    requireOpen();
    VerifyKernel.check(kernel, "planning");
    if (compiled.add(kernel.name())) {
      misses++;
    } else {
      hits++;
    }
    return new OracleLaunch(this, kernel, arithmetic);
  }

  @Override
  public boolean fuses(Kernel.FusedGemm kernel) {
    return true;
  }

  @Override
  public boolean supportsFusedColumnSums() {
    return true;
  }

  synchronized void launch(Runnable kernel) {
    requireOpen();
    launches++;
    kernel.run();
  }

  @Override
  public void synchronize() {}

  @Override
  public synchronized DeviceCounters counters() {
    return new DeviceCounters(launches, hits, misses, 0, 0, allocated, peak);
  }

  @Override
  public synchronized void close() {
    closed = true;
    Set.copyOf(buffers).forEach(OracleBuffer::close);
  }

  private void requireOpen() {
    if (closed) {
      throw new ClosedException("[device] a closed device cannot be used; got " + name());
    }
  }
}
