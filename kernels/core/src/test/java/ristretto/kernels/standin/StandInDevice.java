package ristretto.kernels.standin;

import java.lang.foreign.MemorySegment;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceCounters;
import ristretto.kernels.device.Launch;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.JavaDialect;
import ristretto.kernels.source.Target;

/**
 * Runs kernels that are rendered for TornadoVM in this virtual machine, over classes that stand in
 * for TornadoVM's.
 */
public final class StandInDevice implements Device {
  private final Target target;
  private long launches;

  /**
   * @param rowGroup work items of a group that works together
   */
  public StandInDevice(int rowGroup) {
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
  public String name() {
    return "standin";
  }

  @Override
  public String description() {
    return "kernels for TornadoVM over stand-ins";
  }

  @Override
  public Buffer allocate(long bytes) {
    return new StandInBuffer(bytes);
  }

  @Override
  public void write(Buffer buffer, long offset, MemorySegment source) {
    var own = (StandInBuffer) buffer;
    own.memory().asSlice(offset).copyFrom(source);
    own.changed();
  }

  @Override
  public void read(Buffer buffer, long offset, MemorySegment to) {
    to.copyFrom(((StandInBuffer) buffer).memory().asSlice(offset, to.byteSize()));
  }

  @Override
  public boolean fuses(Kernel.FusedGemm kernel) {
    return true;
  }

  @Override
  public Launch prepare(Kernel kernel) {
    launches++;
    return new StandInLaunch(this, kernel);
  }

  @Override
  public void synchronize() {}

  @Override
  public DeviceCounters counters() {
    return new DeviceCounters(launches, 0, 0, 0, 0, 0, 0);
  }

  @Override
  public void close() {}
}
