package ristretto.onednn;

/** Bump allocator: offsets of consecutive blocks of one buffer, aligned to 64 bytes. */
final class Room {
  private long bytes;

  /** Allocates {@code size} bytes and returns their offset. */
  long take(long size) {
    long at = bytes;
    bytes += (size + 63) & -64L;
    return at;
  }

  void atLeast(Room other) {
    bytes = Math.max(bytes, other.bytes);
  }

  long bytes() {
    return bytes;
  }
}
