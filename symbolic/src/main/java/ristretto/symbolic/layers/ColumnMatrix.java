package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.Slice;
import ristretto.symbolic.graph.OperatorContext;

/**
 * Column matrix (im2col) of a convolution: one column with the elements of each window. Images are
 * the last axis, so that copies are of long contiguous runs, and one matrix product covers several
 * images. Processes as many images at a time as fit in the processor's caches.
 */
final class ColumnMatrix<T> {
  /** Number of column elements per block; tuned on a processor with 2 MB of cache per core. */
  private static final long AT_A_TIME = 1 << 19;

  private final OperatorContext x;
  private final Expr<T> images;
  private final Window window;
  private final long groups;
  private final long channels;
  private final int rank;
  private final long[] padded;
  private final long[] places;

  /** Range of images, {@code from} to {@code to - 1}. */
  record Block(long from, long to) {
    long images() {
      return to - from;
    }

    Slice slice() {
      return Ops.range(from, to);
    }
  }

  ColumnMatrix(OperatorContext x, Expr<T> images, Window window, long groups) {
    this.x = x;
    this.images = images;
    this.window = window;
    this.groups = groups;
    rank = window.rank();
    channels = images.shape().dim(1);
    padded = window.padded(images.shape());
    places = window.places(padded);
  }

  /** Returns the number of windows along each axis. */
  long[] places() {
    return places.clone();
  }

  private static long product(long[] values) {
    return Arrays.stream(values).reduce(1, (a, b) -> a * b);
  }

  List<Block> blocks() {
    long n = images.shape().dim(0);
    long each = channels * window.elements() * product(places);
    long most = Math.clamp(AT_A_TIME / Math.max(1, each), 1, Math.max(1, n));
    var blocks = new ArrayList<Block>();
    for (long from = 0; from < n; from += most) {
      blocks.add(new Block(from, Math.min(n, from + most)));
    }
    return blocks;
  }

  /** Returns memory of the operator, shared by blocks of equal numbers of images. */
  private Tensor<T> workspace(String name, Block block, long[]... dims) {
    long[] all = Arrays.stream(dims).flatMapToLong(Arrays::stream).toArray();
    all = Arrays.copyOf(all, all.length + 1);
    all[all.length - 1] = block.images();
    return x.workspace(name + block.images(), images.dtype(), all);
  }

  private Tensor<T> columnsWorkspace(String name, Block block) {
    return workspace(name, block, new long[] {channels}, window.sizes(), places);
  }

  /** Reshapes columns to {@code [groups, channels per group * window, windows * images]}. */
  private Tensor<T> matrix(Tensor<T> columns) {
    return columns.reshape(groups, channels / groups * window.elements(), -1);
  }

  /** Returns uninitialized memory for the columns of a block, as a matrix. */
  Tensor<T> matrix(String name, Block block) {
    return matrix(columnsWorkspace(name, block));
  }

  /** Copies the windows of a block into columns (im2col). */
  Tensor<T> unfold(String name, Block block) {
    Tensor<T> around = workspace("padded", block, new long[] {channels}, padded);
    Expr<T> some = images.slice(block.slice());
    x.write(around, window.pad(some, 0).permute(imagesLast()));
    Expr<T> windows = window.slide(around.permute(imagesFirst()));
    // [images, channels, windows, window] -> [channels, window, windows, images]
    int[] order = new int[2 + 2 * rank];
    order[0] = 1;
    for (int d = 0; d < rank; d++) {
      order[1 + d] = 2 + rank + d;
      order[1 + rank + d] = 2 + d;
    }
    Tensor<T> columns = columnsWorkspace(name, block);
    x.write(columns, windows.permute(order));
    return matrix(columns);
  }

  /**
   * Sums the columns of a block into the elements of the images (col2im), written to {@code to}.
   */
  void fold(String name, Block block, Tensor<T> to) {
    Tensor<T> columns = columnsWorkspace(name, block);
    Tensor<T> sums = workspace("sums", block, new long[] {channels}, padded);
    x.write(sums, Ops.fill(images.dtype(), 0, sums.shape().toArray()));
    for (long[] place : window.places()) {
      Slice[] within = new Slice[2 + 2 * rank];
      Arrays.fill(within, Ops.all());
      for (int d = 0; d < rank; d++) {
        within[1 + d] = Ops.at(place[d]);
      }
      Tensor<T> part = sums.slice(around(window.slices(place, places)));
      x.write(part, part.plus(columns.slice(within)));
    }
    Tensor<T> inner = sums.slice(around(window.inner(images.shape())));
    x.write(to.slice(block.slice()), inner.permute(imagesFirst()));
  }

  /** Extends slices along the window axes to {@code [channels, ..., images]}. */
  private Slice[] around(Slice[] slices) {
    Slice[] all = new Slice[2 + rank];
    Arrays.fill(all, Ops.all());
    System.arraycopy(slices, 0, all, 1, rank);
    return all;
  }

  /** Axis order for {@code [images, channels, ...] -> [channels, ..., images]}. */
  private int[] imagesLast() {
    int[] order = new int[2 + rank];
    for (int d = 0; d < 1 + rank; d++) {
      order[d] = d + 1;
    }
    return order;
  }

  private int[] imagesFirst() {
    int[] order = new int[2 + rank];
    order[0] = 1 + rank;
    for (int d = 0; d < 1 + rank; d++) {
      order[d + 1] = d;
    }
    return order;
  }

  /**
   * Reshapes a product, {@code [groups, filters per group, windows * images] -> [images, filters,
   * windows]}.
   */
  Expr<T> imagesFirst(Expr<T> product, Block block) {
    long[] dims = new long[2 + rank];
    dims[0] = product.shape().dim(0) * product.shape().dim(1);
    System.arraycopy(places, 0, dims, 1, rank);
    dims[1 + rank] = block.images();
    return product.reshape(dims).permute(imagesFirst());
  }

  /**
   * Copies a block of {@code y[images, filters, windows]} to {@code [groups, filters per group,
   * windows * images]}.
   */
  Tensor<T> imagesLast(String name, Expr<T> y, Block block) {
    long filters = y.shape().dim(1);
    Tensor<T> last = workspace(name, block, new long[] {filters}, places);
    x.write(last, y.slice(block.slice()).permute(imagesLast()));
    return last.reshape(groups, filters / groups, -1);
  }
}
