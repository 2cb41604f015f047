package ristretto.kernels.cpu;

/** Layout of areas in a thread's scratch memory, aligned to 64 bytes. */
final class ScratchLayout {
  private long bytes;

  /** Reserves an area; returns its offset. */
  long take(long size) {
    long offset = bytes;
    bytes += (size + 63) & -64L;
    return offset;
  }

  long bytes() {
    return bytes;
  }
}
