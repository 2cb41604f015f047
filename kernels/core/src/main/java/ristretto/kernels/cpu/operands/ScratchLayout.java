package ristretto.kernels.cpu.operands;

/** Layout of areas in a thread's scratch memory, aligned to 64 bytes. */
public final class ScratchLayout {
  private long bytes;

  /** Reserves an area; returns its offset. */
  public long take(long size) {
    long offset = bytes;
    bytes += (size + 63) & -64L;
    return offset;
  }

  public long bytes() {
    return bytes;
  }
}
