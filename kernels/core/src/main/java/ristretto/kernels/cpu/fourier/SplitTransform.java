package ristretto.kernels.cpu.fourier;

import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.fourier.Butterfly;
import ristretto.kernels.fourier.Factors;
import ristretto.kernels.scalar.ScalarType;

/**
 * Transform of length n = n1 n2 in two phases of tiles; see {@link FourierLaunch}. A twiddle factor
 * is a product of two roots: by row and column of the tile, and by row and tile.
 */
final class SplitTransform {
  private final int size;
  private final long n1;
  private final long n2;
  private final TileTransform columns;
  private final TileTransform rows;
  private final int columnLanes;
  private final int rowLanes;
  private final Strip twiddle;

  /** Elements from one row of the matrix to the next: rows apart by pages share cache sets. */
  private final long pitch;

  private final Tables within;
  private final Tables across;

  SplitTransform(LaunchServices services, String name, ScalarType type, long n, double scale) {
    size = type.bytes();
    n1 = Factors.half(n);
    n2 = n / n1;
    pitch = n2 + 64 / size;
    columns = new TileTransform(services, name, type, n1, 1);
    rows = new TileTransform(services, name, type, n2, scale);
    columnLanes = (int) Math.min(n2, TileTransform.lanes(n1, size, true));
    rowLanes = (int) Math.min(n1, TileTransform.lanes(n2, size, true));
    twiddle = TileTransform.strip(services, name, Butterfly.product(type), 4);
    within = Tables.of(type, n, n1, columnLanes, (row, column) -> row * column);
    across = Tables.of(type, n, tiles(0), n1, (tile, row) -> tile * columnLanes * row);
  }

  /** Bytes of a plane of the matrix. */
  long planeBytes() {
    return n1 * pitch * size;
  }

  /** Number of tiles of a phase. */
  long tiles(int phase) {
    return phase == 0 ? Math.ceilDiv(n2, columnLanes) : Math.ceilDiv(n1, rowLanes);
  }

  /**
   * First phase: transforms of some columns, times twiddle factors.
   *
   * @param from the whole transform; its lane is not used
   * @param middle planes of the matrix [n1, n2]
   */
  void columns(ThreadContext context, Planes from, Planes middle, long tile) {
    long start = tile * columnLanes;
    int lanes = (int) Math.min(columnLanes, n2 - start);
    long row = (long) lanes * size;
    long plane = n1 * row + 63 & -64L;
    long own = columns.scratchBytes(lanes) + 63 & -64L;
    long scratch = context.scratch(own + 2 * plane + twiddle.scratchBytes());
    var out = new Planes(scratch + own, scratch + own + plane, row, size);
    columns.run(context, from.at(start, n2), out, lanes, scratch);
    context.reserve(8);
    long[] pointers = context.pointers;
    long[] strides = context.rowStrides;
    for (int k = 0; k < 2; k++) {
      pointers[k] = k == 0 ? out.re() : out.im();
      strides[k] = row;
      pointers[2 + k] = k == 0 ? within.re() : within.im();
      strides[2 + k] = (long) columnLanes * size;
      pointers[4 + k] = (k == 0 ? across.re() : across.im()) + tile * n1 * size;
      strides[4 + k] = size;
      pointers[6 + k] = (k == 0 ? middle.re() : middle.im()) + start * size;
      strides[6 + k] = pitch * size;
    }
    twiddle.run(pointers, strides, (int) n1, lanes, scratch + own + 2 * plane);
  }

  /**
   * Second phase: transforms of some rows of the matrix, into every n1-th element of the result.
   */
  void rows(ThreadContext context, Planes middle, Planes to, long tile) {
    long start = tile * rowLanes;
    int lanes = (int) Math.min(rowLanes, n1 - start);
    long skip = start * pitch * size;
    var from = new Planes(middle.re() + skip, middle.im() + skip, size, pitch * size);
    rows.run(context, from, to.at(start, n1), lanes, context.scratch(rows.scratchBytes(lanes)));
  }
}
