package ristretto.kernels.cpu;

/**
 * Reads the scalars of a strip for generated code, which calls this before its loops. In their
 * stead, a load in the generated code would be compiled once for each scalar, and C1 needs
 * milliseconds for each.
 */
final class ScalarInput {
  private ScalarInput() {}

  /**
   * The value of input {@code slot} in a row; one of 4 bytes is in the lower half. One method for
   * both sizes is too large for C1 to inline.
   */
  static long bits(long[] pointers, long[] strides, int slot, int row, int bytes) {
    long address = pointers[slot] + strides[slot] * row;
    return bytes == 8
        ? RawMemory.ALL.get(RawMemory.I64, address)
        : RawMemory.ALL.get(RawMemory.I32, address);
  }
}
