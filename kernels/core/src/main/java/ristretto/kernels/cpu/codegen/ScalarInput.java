package ristretto.kernels.cpu.codegen;

import ristretto.kernels.cpu.memory.RawMemory;

/**
 * Reads of a strip's scalars, called by generated code before its loops. A load in the generated
 * code itself would be compiled once per scalar, which takes C1 milliseconds each.
 */
final class ScalarInput {
  private ScalarInput() {}

  /**
   * Returns the bits of input {@code slot} in a row; those of a 4-byte value are in the lower half.
   * A single method for both sizes is too large for C1 to inline, which keeps it compiled only
   * once.
   */
  static long bits(long[] pointers, long[] strides, int slot, int row, int bytes) {
    long address = pointers[slot] + strides[slot] * row;
    return bytes == 8
        ? RawMemory.ALL.get(RawMemory.I64, address)
        : RawMemory.ALL.get(RawMemory.I32, address);
  }
}
