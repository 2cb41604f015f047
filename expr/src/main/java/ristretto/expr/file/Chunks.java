package ristretto.expr.file;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Iteration over memory of any size in byte buffers, whose size is limited to 2 GiB. */
final class Chunks {
  private Chunks() {}

  /** Action on one chunk. */
  @FunctionalInterface
  interface Action<E extends Exception> {
    void accept(ByteBuffer bytes) throws E;
  }

  static <E extends Exception> void forEach(MemorySegment data, int chunk, Action<E> action)
      throws E {
    for (long at = 0; at < data.byteSize(); at += chunk) {
      action.accept(data.asSlice(at, Math.min(chunk, data.byteSize() - at)).asByteBuffer());
    }
  }
}
