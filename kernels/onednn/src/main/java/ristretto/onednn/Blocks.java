package ristretto.onednn;

import ristretto.kernels.ir.Kernel;

/**
 * How the images of a convolution are shared out: into blocks of {@code size}, of which the last
 * may have fewer. It depends on the sizes only, so that sums over blocks are the same however many
 * threads there are.
 *
 * @param size images of a block
 * @param count blocks
 * @param last images of the last one
 */
record Blocks(long size, int count, long last) {
  /** A block's images and results, which stay in a second-level cache with their copies. */
  private static final long CACHED = 256 << 10;

  /** Blocks that have gradients of filters of their own, unless they become too large. */
  private static final long PARTIAL = 16;

  /** What such a block may have of images and results. */
  private static final long LARGE = 8 << 20;

  /**
   * Windows of a block for each of its filters' gradient: else adding up costs more than it saves.
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

  /** About {@code wanted} blocks, as many as divide the images if that is near. */
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
