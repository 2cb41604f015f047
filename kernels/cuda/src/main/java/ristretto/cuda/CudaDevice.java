package ristretto.cuda;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import ristretto.kernels.DeviceException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.device.Recording;
import ristretto.kernels.device.Solvers;
import ristretto.kernels.driver.BlasChoice;
import ristretto.kernels.driver.DriverBuffer;
import ristretto.kernels.driver.DriverDevice;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.Target;

/**
 * CUDA device with one stream. All objects of one GPU share their compiled programs. Launches are
 * asynchronous; reading waits. All work holds this object's lock.
 */
final class CudaDevice extends DriverDevice<Handles.Memory> {
  /** Alignment of the driver's allocations in bytes. */
  private static final int PART_ALIGNMENT = 256;

  final Hardware hardware;
  final Target target;
  final Programs programs;
  final Handles.Stream stream;
  final Products products;
  final Convolutions convolutions;
  final Transforms transforms;
  final Factorizations factorizations;
  private final Staging staging;
  private final Set<CudaRecording.Resources> recordings = new HashSet<>();
  private boolean toldOfGraphs;

  CudaDevice(Hardware hardware) {
    this(hardware, targetOf(hardware));
  }

  CudaDevice(Hardware hardware, Target target) {
    long start = System.nanoTime();
    Programs shared = Programs.of(hardware);
    var own = new Handles.Stream();
    Failure.check(Calls.setContext(shared.context()), "open", hardware);
    int flags = CUstream_flags.CU_STREAM_NON_BLOCKING;
    Failure.check(JCudaDriver.cuStreamCreate(own, flags), "open", hardware);
    if (hardware.pools()) {
      Failure.check(Calls.keepPooled(hardware.index()), "open", hardware);
    }
    super("cuda", hardware.index(), null, new CudaMemory(hardware, own));
    programs = shared;
    stream = own;
    this.hardware = hardware;
    this.target = target;
    products = new Products(this, BlasChoice.fromSystem("cuda", "cublas"));
    convolutions = new Convolutions(this);
    transforms = new Transforms(this);
    factorizations = new Factorizations(this);
    staging = new Staging(hardware, stream);
    opened(start);
  }

  static Target targetOf(Hardware hardware) {
    return new Target(
        new CudaDialect(), true, 256, 256, hardware.units(), hardware.shared(), 0, true);
  }

  @Override
  protected void enter() {
    check(Calls.setContext(programs.context()), "open");
  }

  void check(int status, String op) {
    Failure.check(status, op, hardware);
  }

  @Override
  public String description() {
    return hardware.description();
  }

  /** Returns the address of a buffer's memory; 0 for a buffer without memory. */
  static long address(Buffer buffer) {
    return buffer instanceof DriverBuffer<?> b && b.memory() instanceof Handles.Memory memory
        ? memory.address()
        : 0;
  }

  @Override
  protected void copyIn(Handles.Memory memory, long offset, MemorySegment source) {
    staging.write(memory.address() + offset, source);
  }

  @Override
  protected void copyOut(Handles.Memory memory, long offset, MemorySegment to) {
    staging.read(to, memory.address() + offset);
  }

  @Override
  public int partAlignment() {
    return PART_ALIGNMENT;
  }

  @Override
  protected Handles.Memory part(Handles.Memory whole, long offset, long bytes) {
    return new Handles.Memory(whole, offset);
  }

  @Override
  public Launch prepare(Kernel kernel) {
    checkOpen(kernel.name());
    return new CudaLaunch(this, kernel);
  }

  /**
   * Returns true if the kernel that computes the product can fuse its prologue and epilogue: own
   * kernels fuse any element-wise ones, cuBLASLt a bias and some activations.
   */
  @Override
  public boolean fuses(Kernel.FusedGemm kernel) {
    return !(kernel.gemm() instanceof Kernel.Gemm g)
        || !products.takes(g)
        || products.fused(kernel).isPresent();
  }

  @Override
  public boolean convolves(Kernel.Convolution kernel) {
    return convolutions.takes(kernel);
  }

  @Override
  public Optional<Kernel.Fourier.Layout> transforms() {
    return transforms.takes() ? Optional.of(Kernel.Fourier.Layout.PAIRS) : Optional.empty();
  }

  @Override
  public Optional<Solvers> solvers() {
    return factorizations.find();
  }

  /** Copies memory by addresses. */
  void copy(long to, long from, long bytes) {
    check(Calls.copyOnDevice(to, from, bytes, stream.handle()), "copy");
  }

  /**
   * Records the launches as a CUDA graph. If the driver cannot make the graph, a message is printed
   * once and the launches run one by one.
   */
  @Override
  public synchronized Optional<Recording> record(
      List<Launch> all, Buffer[] buffers, long[] scalars) {
    checkOpen("record");
    enter();
    try {
      return Optional.ofNullable(CudaRecording.of(this, all, buffers, scalars));
    } catch (DeviceException e) {
      if (!toldOfGraphs) {
        toldOfGraphs = true;
        System.err.println(
            "[cuda] a program is not a CUDA graph, but "
                + all.size()
                + " launches: "
                + e.getMessage());
      }
      return Optional.empty();
    }
  }

  void recorded(CudaRecording.Resources resources) {
    recordings.add(resources);
  }

  void forgotten(CudaRecording.Resources resources) {
    recordings.remove(resources);
  }

  @Override
  protected void finish(String op) {
    check(JCudaDriver.cuStreamSynchronize(stream), op);
  }

  @Override
  protected void closing() {
    int status = JCudaDriver.cuStreamSynchronize(stream);
    Debug.log(Debug.DEVICES, () -> "[cuda] " + name() + " closes with status " + status);
    List.copyOf(recordings).forEach(CudaRecording.Resources::run);
    products.close();
    convolutions.close();
    transforms.close();
    factorizations.close();
  }

  @Override
  protected void released() {
    staging.close();
    JCudaDriver.cuStreamDestroy(stream);
  }
}
