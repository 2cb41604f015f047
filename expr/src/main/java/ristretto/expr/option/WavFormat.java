package ristretto.expr.option;

/** Format of the samples of a WAV file. */
public enum WavFormat {
  /** 8-bit integers. */
  PCM8(8),
  /** 16-bit integers, the most common format. */
  PCM16(16),
  /** 24-bit integers. */
  PCM24(24),
  /** 32-bit integers. */
  PCM32(32),
  /** 32-bit floating point, which may exceed -1 to 1. */
  FLOAT32(32);

  private final int bits;

  WavFormat(int bits) {
    this.bits = bits;
  }

  /** Bits of a sample. */
  public int bits() {
    return bits;
  }
}
