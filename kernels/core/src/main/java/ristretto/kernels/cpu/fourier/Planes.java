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
}
