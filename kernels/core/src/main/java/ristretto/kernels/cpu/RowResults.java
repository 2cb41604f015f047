package ristretto.kernels.cpu;

/**
 * Where the results of a row kernel's reductions go: to the target of a store that is nothing but
 * the result, to the launch's shared memory, or else only to the scratch of the thread, for later
 * stages.
 */
final class RowResults {
  private final RowOperands operands;
  private final Fold[] folds;
  private final RowAreas areas;

  /** By reduction, or null. */
  final MemoryRef[] direct;

  /** Offset in the launch's shared memory, -1 where nobody reads them there. */
  final long[] shared;

  RowResults(RowOperands operands, Fold[] folds, RowAreas areas) {
    this.operands = operands;
    this.folds = folds;
    this.areas = areas;
    direct = new MemoryRef[folds.length];
    shared = new long[folds.length];
    java.util.Arrays.fill(shared, -1);
  }

  /** Each result goes to one place. */
  boolean single() {
    for (int k = 0; k < folds.length; k++) {
      if (direct[k] != null && shared[k] >= 0) {
        return false;
      }
    }
    return true;
  }

  /** The results of reduction {@code k} stay in the scratch, where each tile's are the same. */
  boolean local(int k) {
    return direct[k] == null && shared[k] < 0;
  }

  /** The one place of a result of the first row of {@code tile}. */
  long address(Job job, Tile tile, int k) {
    if (shared[k] >= 0) {
      return shared(job, tile, k, 0);
    }
    return direct[k] != null ? direct[k].address(job, tile.at) : tile.scratch + areas.results(k);
  }

  /** Bytes from that to the next row's. */
  long stride(int k) {
    int size = folds[k].resultType().bytes();
    if (shared[k] >= 0) {
      return operands.rowNumber.strides[operands.keptInner()] * size;
    }
    return direct[k] != null ? direct[k].map.strides[operands.keptInner()] * size : size;
  }

  /** Copies the results in the scratch of the tile at hand to where they go. */
  void spread(Job job, Tile tile, int k) {
    int size = folds[k].resultType().bytes();
    MemoryRef target = direct[k];
    long at = target == null ? 0 : target.address(job, tile.at);
    long step = target == null ? 0 : target.map.strides[operands.keptInner()] * size;
    for (int row = 0; row < tile.width; row++) {
      long local = tile.scratch + areas.results(k) + (long) row * size;
      if (target != null) {
        copy(size, local, at + row * step);
      }
      if (shared[k] >= 0) {
        copy(size, local, shared(job, tile, k, row));
      }
    }
  }

  /** Fetches what other threads have put in shared memory. */
  void fetch(Job job, Tile tile, int k) {
    int size = folds[k].resultType().bytes();
    for (int row = 0; row < tile.width; row++) {
      copy(size, shared(job, tile, k, row), tile.scratch + areas.results(k) + (long) row * size);
    }
  }

  private static void copy(int size, long from, long to) {
    if (size == 4) {
      Raw.putInt(to, Raw.getInt(from));
    } else {
      Raw.putLong(to, Raw.getLong(from));
    }
  }

  private long shared(Job job, Tile tile, int k, int row) {
    Walk number = operands.rowNumber;
    long element = number.at(tile.at) + row * number.strides[operands.keptInner()];
    return job.shared + shared[k] + element * folds[k].resultType().bytes();
  }
}
