package ristretto.kernels.cpu.fourier;

/**
 * Complex elements of a tile in two planes of memory: element j of lane l is at {@code j * step + l
 * * lane} of each plane.
 *
 * @param re address of the real parts; 0 if they are zeros
 * @param im address of the imaginary parts; 0 if they are zeros
 * @param step bytes between the elements of a transform
 * @param lane bytes between transforms
 */
record Planes(long re, long im, long step, long lane) {
  /** Returns true if both planes are in memory and lanes are adjacent elements. */
  boolean direct(int size) {
    return re != 0 && im != 0 && lane == size;
  }

  /**
   * Every {@code every}-th element from element {@code start} on as a transform of each lane, with
   * adjacent elements as lanes.
   */
  Planes at(long start, long every) {
    long skip = start * step;
    return new Planes(re == 0 ? 0 : re + skip, im == 0 ? 0 : im + skip, every * step, step);
  }

  /** Returns true if the parts of an element are adjacent and elements are too. */
  boolean interleaved(int size) {
    return re != 0 && im != 0 && Math.abs(re - im) == size && step == 2L * size;
  }

  /** Lowest address of both planes. */
  long start() {
    return Math.min(re, im);
  }

  /**
   * Planes in this memory with rows of the parts of an element after one another.
   *
   * @param order the part at the lower address comes first
   * @param row bytes of a row of a part
   */
  Planes interleavedAs(Planes order, long row) {
    boolean exchanged = order.im < order.re;
    return new Planes(re + (exchanged ? row : 0), re + (exchanged ? 0 : row), 2 * row, lane);
  }
}
