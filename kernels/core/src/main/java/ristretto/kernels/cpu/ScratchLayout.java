package ristretto.kernels.cpu;

/** Places areas in a thread's scratch memory, 64 bytes aligned. */
final class ScratchLayout {
  private long bytes;

  /** Offset of a new area. */
  long take(long size) {
    long offset = bytes;
    bytes += (size + 63) & -64L;
    return offset;
  }

  long bytes() {
    return bytes;
  }
}
