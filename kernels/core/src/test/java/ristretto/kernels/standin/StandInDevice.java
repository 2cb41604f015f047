package ristretto.kernels.standin;

import java.lang.foreign.MemorySegment;
import ristretto.kernels.device.Launch;
import ristretto.kernels.driver.DriverDevice;
import ristretto.kernels.driver.MemoryPool;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.Target;
import ristretto.kernels.source.java.JavaDialect;

/**
 * Runs kernels that are rendered for TornadoVM in this virtual machine, over classes that stand in
 * for TornadoVM's.
 */
public final class StandInDevice extends DriverDevice<MemorySegment> {
  private final Target target;

  /** Memory of the Java heap. */
  private record Heap() implements MemoryPool.Source<MemorySegment> {
    @Override
    public MemorySegment create(long bytes) {
      return memory(bytes);
    }

    @Override
    public void release(MemorySegment memory) {}

    @Override
    public long total() {
      return 1L << 30;
    }

    @Override
    public String words() {
      return "1 GiB";
    }
  }

  /**
   * @param rowGroup work items of a group that works together
   */
  public StandInDevice(int rowGroup) {
    super("standin", 0, null, new Heap());
    String names = StandInDevice.class.getPackageName();
    var dialect = new JavaDialect(names + ".KernelContext", names);
    target = new Target(dialect, true, 4, rowGroup, 2, 1 << 15);
  }

  Target target() {
    return target;
  }

  static MemorySegment memory(long bytes) {
    return MemorySegment.ofArray(new long[Math.toIntExact((bytes + 7) / 8)]).asSlice(0, bytes);
  }

  @Override
  public String description() {
    return "kernels for TornadoVM over stand-ins";
  }

  @Override
  protected void copyIn(MemorySegment memory, long offset, MemorySegment source) {
    memory.asSlice(offset).copyFrom(source);
  }

  @Override
  protected void copyOut(MemorySegment memory, long offset, MemorySegment to) {
    to.copyFrom(memory.asSlice(offset, to.byteSize()));
  }

  @Override
  public boolean fuses(Kernel.FusedGemm kernel) {
    return true;
  }

  @Override
  public Launch prepare(Kernel kernel) {
    return new StandInLaunch(this, kernel, true);
  }

  @Override
  public int partAlignment() {
    return 256;
  }

  @Override
  protected MemorySegment part(MemorySegment whole, long offset, long bytes) {
    return whole.asSlice(offset, bytes);
  }

  @Override
  protected void finish(String op) {}

  @Override
  protected void closing() {}

  @Override
  protected void released() {}
}
