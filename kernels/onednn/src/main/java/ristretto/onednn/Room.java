package ristretto.onednn;

/** Pieces of one piece of memory, one after the other, aligned to 64. */
final class Room {
  private long bytes;

  /** Where the next {@code size} bytes are. */
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
