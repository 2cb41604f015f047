package ristretto.kernels.cpu.launch;

import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;

/** View of a prepared launch with renumbered and shifted arguments. */
final class MovedLaunch implements Launch {
  private final CpuLaunch like;
  private final int[] arguments;
  private final long[] offsets;
  private final int[] numbers;

  MovedLaunch(CpuLaunch like, int[] arguments, long[] offsets, int[] numbers) {
    this.like = like;
    this.arguments = arguments;
    this.offsets = offsets;
    this.numbers = numbers;
  }

  @Override
  public void run(Buffer[] buffers, long[] scalars) {
    like.run(buffers, scalars, arguments, offsets, numbers);
  }

  @Override
  public void check(Buffer[] buffers) {
    like.check(buffers, arguments, offsets);
  }

  @Override
  public String name() {
    return like.name();
  }

  @Override
  public long bytes() {
    return like.bytes();
  }

  @Override
  public long operations() {
    return like.operations();
  }

  @Override
  public String source() {
    return like.source();
  }
}
