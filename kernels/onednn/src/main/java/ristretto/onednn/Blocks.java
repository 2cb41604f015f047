package ristretto.onednn;

import ristretto.kernels.ir.Kernel;

/**
 * Partition of a convolution's images into blocks of {@code size}; the last block may be smaller.
 * The partition depends on the sizes only, so that sums over blocks do not depend on the number of
 * threads.
 *
 * @param size images per block
 * @param count number of blocks
 * @param last images of the last block
 */
record Blocks(long size, int count, long last) {
  /**
   * Bytes of a block's images and results, such that they fit into the second-level cache together
   * with their copies.
   */
  private static final long CACHED = 256 << 10;

  /**
   * Maximum number of blocks with partial gradients of the filters, unless blocks exceed {@link
   * #LARGE}.
   */
  private static final long PARTIAL = 16;

  /** Maximum bytes of images and results of a block with a partial gradient. */
  private static final long LARGE = 8 << 20;

  /**
   * Minimum number of windows per block with a partial gradient: with fewer, adding up costs more
   * than the blocks save.
   */
  private static final long WINDOWS = 256;

  static Blocks of(Kernel.Convolution k) {
    long images = k.images().get(0);
    long bytes = 4 * (k.images().product() + k.results().product());
    long most;
    if (k.made() == Kernel.Convolution.Made.FILTERS) {
      long windows = k.results().product() / k.results().get(1);
      most = Math.max(Math.min(PARTIAL, windows / WINDOWS), bytes / LARGE);
    } else {
      most = bytes / CACHED + 1;
    }
    return of(images, Math.clamp(most, 1, images));
  }

  /**
   * Partitions into about {@code wanted} equal blocks; the last block is smaller if no divisor is
   * near.
   */
  private static Blocks of(long images, long wanted) {
    long size = (images + wanted - 1) / wanted;
    for (long s = size; 2 * s >= size && s > 0; s--) {
      if (images % s == 0) {
        return new Blocks(s, Math.toIntExact(images / s), s);
      }
    }
    int count = Math.toIntExact((images + size - 1) / size);
    return new Blocks(size, count, images - size * (count - 1));
  }
}
