package ristretto.nnet3.analysis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import ristretto.expr.Trace;

/** Decomposition of strided accesses into rectangles of a matrix. */
final class Rectangles {
  /** Maximum number of runs of columns; with more, one bounding rectangle replaces them. */
  private static final int MOST_RUNS = 256;

  private final int memory;
  private final long columns;
  private final List<long[]> rowDims = new ArrayList<>();
  private final List<long[]> columnDims = new ArrayList<>();
  private boolean exact = true;

  private Rectangles(int memory, long columns) {
    this.memory = memory;
    this.columns = columns;
  }

  /** Returns the access to a matrix with {@code columns} columns. */
  static Access of(Trace.Access a, int columns) {
    return new Rectangles(a.memory(), columns).access(a);
  }

  private Access access(Trace.Access a) {
    long offset = a.offset();
    var dims = new ArrayList<long[]>();
    for (int d = 0; d < a.extents().size(); d++) {
      long extent = a.extents().get(d);
      long stride = a.strides().get(d);
      if (extent > 1 && stride != 0) {
        offset += stride < 0 ? stride * (extent - 1) : 0;
        dims.add(new long[] {extent, Math.abs(stride)});
      }
    }
    dims.sort(Comparator.comparingLong(d -> d[1]));
    merge(dims);
    dims.forEach(this::place);
    long row = Math.floorDiv(offset, columns);
    long column = Math.floorMod(offset, columns);
    List<long[]> across = runs(column, columnDims);
    long last = across.get(across.size() - 1)[1];
    if (!exact || last > columns) {
      long end = offset;
      for (long[] d : dims) {
        end += (d[0] - 1) * d[1];
      }
      long lastRow = Math.floorDiv(end, columns);
      boolean one = lastRow == row;
      var around =
          new SubMatrix(
              memory,
              (int) row,
              (int) lastRow + 1,
              one ? (int) column : 0,
              one ? (int) Math.floorMod(end, columns) + 1 : (int) columns);
      return new Access(a, List.of(around), false);
    }
    var regions = new ArrayList<SubMatrix>();
    for (long[] rows : runs(row, rowDims)) {
      for (long[] run : across) {
        regions.add(
            new SubMatrix(memory, (int) rows[0], (int) rows[1], (int) run[0], (int) run[1]));
      }
    }
    return new Access(a, regions, !a.gathered() && exact);
  }

  /** Merges adjacent dimensions, the innermost first, whose strides are contiguous. */
  private static void merge(List<long[]> dims) {
    for (int k = 0; k + 1 < dims.size(); ) {
      long[] inner = dims.get(k);
      long[] outer = dims.get(k + 1);
      if (outer[1] == inner[0] * inner[1]) {
        inner[0] *= outer[0];
        dims.remove(k + 1);
      } else {
        k++;
      }
    }
  }

  private void place(long[] d) {
    long extent = d[0];
    long stride = d[1];
    if (stride % columns == 0) {
      rowDims.add(new long[] {extent, stride / columns});
    } else if (stride < columns && extent * stride <= columns) {
      columnDims.add(d);
    } else if (columns % stride == 0 && extent % (columns / stride) == 0) {
      columnDims.add(new long[] {columns / stride, stride});
      rowDims.add(new long[] {extent / (columns / stride), 1});
    } else if (columns % stride == 0 && extent > columns / stride) {
      // The run begins or ends within a row.
      exact = false;
    } else if ((extent - 1) * stride < columns) {
      columnDims.add(d);
    } else {
      exact = false;
    }
  }

  /** Returns the ascending ranges of offsets that dimensions reach from {@code start}. */
  private List<long[]> runs(long start, List<long[]> dims) {
    var all = new ArrayList<long[]>(List.of(new long[] {start, start + 1}));
    for (long[] d : dims) {
      long extent = d[0];
      long stride = d[1];
      if (all.size() == 1 && all.get(0)[1] - all.get(0)[0] >= stride) {
        long[] only = all.get(0);
        only[1] += stride * (extent - 1);
        continue;
      }
      if (dims == columnDims && all.size() * extent > MOST_RUNS) {
        exact = false;
        return all;
      }
      var next = new ArrayList<long[]>();
      for (long k = 0; k < extent; k++) {
        for (long[] run : all) {
          next.add(new long[] {run[0] + k * stride, run[1] + k * stride});
        }
      }
      next.sort(Comparator.comparingLong(r -> r[0]));
      all = joined(next);
    }
    return all;
  }

  private static ArrayList<long[]> joined(List<long[]> runs) {
    var all = new ArrayList<long[]>();
    for (long[] run : runs) {
      if (!all.isEmpty() && all.get(all.size() - 1)[1] >= run[0]) {
        long[] last = all.get(all.size() - 1);
        last[1] = Math.max(last[1], run[1]);
      } else {
        all.add(run);
      }
    }
    return all;
  }
}
