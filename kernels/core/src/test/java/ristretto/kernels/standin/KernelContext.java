package ristretto.kernels.standin;

/**
 * Stand-in for TornadoVM's class of this name: indices of one work item, and the shared state of
 * its group.
 */
public final class KernelContext {
  public final Integer globalIdx;
  public final Integer globalIdy;
  public final Integer globalIdz;
  public final Integer localIdx;
  public final Integer groupIdx;
  public final Integer groupIdy;
  public final Integer groupIdz;
  private final Group group;
  private int allocated;

  KernelContext(Group group, int[] number, int[] size, int[] lane) {
    this.group = group;
    this.groupIdx = number[0];
    this.groupIdy = number[1];
    this.groupIdz = number[2];
    this.localIdx = lane[0];
    this.globalIdx = number[0] * size[0] + lane[0];
    this.globalIdy = number[1] * size[1] + lane[1];
    this.globalIdz = number[2] * size[2] + lane[2];
  }

  public void localBarrier() {
    group.barrier();
  }

  public int[] allocateIntLocalArray(int size) {
    return (int[]) group.shared(allocated++, () -> new int[size]);
  }

  public long[] allocateLongLocalArray(int size) {
    return (long[]) group.shared(allocated++, () -> new long[size]);
  }

  public float[] allocateFloatLocalArray(int size) {
    return (float[]) group.shared(allocated++, () -> new float[size]);
  }

  public double[] allocateDoubleLocalArray(int size) {
    return (double[]) group.shared(allocated++, () -> new double[size]);
  }
}
