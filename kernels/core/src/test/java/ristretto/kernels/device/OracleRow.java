package ristretto.kernels.device;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarOps;
import ristretto.kernels.scalar.TapeInterpreter;
import ristretto.kernels.scalar.TapeInterpreter.Arithmetic;

/** Interprets a row kernel: for each row every reduction in turn, then the stores. */
final class OracleRow {
  private final Kernel.Row kernel;
  private final Arithmetic arithmetic;
  private final OracleAccess access;
  private final TapeInterpreter body;
  private final long rows;
  private final long length;

  OracleRow(Kernel.Row kernel, Arithmetic arithmetic, OracleAccess access) {
    this.kernel = kernel;
    this.arithmetic = arithmetic;
    this.access = access;
    this.body = new TapeInterpreter(kernel.tape(), arithmetic);
    long rows = 1;
    long length = 1;
    for (int d = 0; d < kernel.extents().size(); d++) {
      rows *= d < kernel.kept() ? kernel.extents().get(d) : 1;
      length *= d < kernel.kept() ? 1 : kernel.extents().get(d);
    }
    this.rows = rows;
    this.length = length;
  }

  void run() {
    for (long row = 0; row < rows; row++) {
      var results = new ArrayList<Object>();
      for (Reduction reduction : kernel.reductions()) {
        Object result = reduce(reduction, row, results);
        results.add(OracleLaunch.rounded(result, reduction.resultType(), arithmetic));
      }
      storeRow(row, results);
      for (long i = 0; i < length; i++) {
        storeElement(row, i, results);
      }
    }
  }

  private void storeRow(long row, List<Object> results) {
    long[] index = index(row, 0);
    // All values before any store, as for elements.
    var values = new ArrayList<Object>();
    for (Kernel.Store store : kernel.stores()) {
      values.add(
          store.perRow()
              ? body.output(store.output(), slot -> input(slot, row, 0, results, true))
              : null);
    }
    for (int s = 0; s < values.size(); s++) {
      if (values.get(s) != null) {
        Operand.Memory target = kernel.stores().get(s).target();
        requireSameForRow(target, "a store once a row");
        access.write(target, index, wholeRow(row), values.get(s));
      }
    }
  }

  /** Operands and stores that do not depend on the position in a row have one place per row. */
  private static long wholeRow(long row) {
    return -2 - row;
  }

  private void storeElement(long row, long i, List<Object> results) {
    long[] index = index(row, i);
    long point = row * length + i;
    // All values before any store: one output may overwrite what another reads here.
    var values = new ArrayList<Object>();
    for (Kernel.Store store : kernel.stores()) {
      values.add(
          store.perRow()
              ? null
              : body.output(store.output(), slot -> input(slot, row, i, results, false)));
    }
    for (int s = 0; s < values.size(); s++) {
      if (values.get(s) != null) {
        access.write(kernel.stores().get(s).target(), index, point, values.get(s));
      }
    }
  }

  /**
   * @param whole the value must be the same for all elements of the row
   */
  private Object input(int slot, long row, long i, List<Object> results, boolean whole) {
    int inputs = kernel.inputs().size();
    if (slot >= inputs) {
      return results.get(slot - inputs);
    }
    Operand operand = kernel.inputs().get(slot);
    if (whole) {
      requireSameForRow(operand, "what a store once a row reads");
    }
    long point = sameForRow(operand) ? wholeRow(row) : row * length + i;
    return access.read(operand, index(row, i), point);
  }

  private Object reduce(Reduction r, long row, List<Object> results) {
    Op op =
        switch (r.kind()) {
          case SUM, ROW_SUM -> Op.ADD;
          case PROD -> Op.MUL;
          case MAX -> Op.MAX;
          case MIN -> Op.MIN;
          case ARGMAX, ARGMIN, ANY, ALL, LAMBDA -> null;
        };
    if (op != null) {
      var reducer = new OracleReducer(op, r.type());
      for (long i = 0; i < length; i++) {
        reducer.add(element(r, row, i, results));
      }
      return reducer.result();
    }
    return switch (r.kind()) {
      case ANY, ALL -> {
        boolean all = r.kind() == Reduction.Kind.ALL;
        boolean found = all;
        for (long i = 0; i < length; i++) {
          boolean v = (Boolean) element(r, row, i, results);
          found = all ? found & v : found | v;
        }
        yield found;
      }
      case LAMBDA -> {
        var combine = new TapeInterpreter(r.combine().orElseThrow(), arithmetic);
        Object sum = ScalarOps.value(r.type(), r.identity());
        for (long i = 0; i < length; i++) {
          Object left = sum;
          Object right = element(r, row, i, results);
          sum = combine.output(0, slot -> slot == 0 ? left : right);
        }
        yield sum;
      }
      default -> extreme(r, row, results);
    };
  }

  private long extreme(Reduction r, long row, List<Object> results) {
    if (length == 0) {
      throw new AssertionError(r.kind() + " of an empty row");
    }
    Op better = r.kind() == Reduction.Kind.ARGMAX ? Op.GT : Op.LT;
    Object best = element(r, row, 0, results);
    long at = 0;
    for (long i = 1; i < length; i++) {
      Object v = element(r, row, i, results);
      boolean bestIsNan = (Boolean) ScalarOps.apply(Op.NE, best, best, null);
      boolean isNan = (Boolean) ScalarOps.apply(Op.NE, v, v, null);
      if (!bestIsNan && (isNan || (Boolean) ScalarOps.apply(better, v, best, null))) {
        best = v;
        at = i;
      }
    }
    return at;
  }

  private Object element(Reduction r, long row, long i, List<Object> results) {
    return body.output(r.output(), slot -> input(slot, row, i, results, false));
  }

  private boolean sameForRow(Operand operand) {
    return switch (operand) {
      case Operand.Value _ -> true;
      case Operand.Index i -> sameForRow(i.map());
      case Operand.Memory m ->
          sameForRow(m.map())
              && (m.gather().isEmpty() || sameForRow(m.gather().get().map()))
              && m.bounds().stream().noneMatch(this::variesInRow);
    };
  }

  private boolean sameForRow(Affine map) {
    for (int d = kernel.kept(); d < kernel.extents().size(); d++) {
      if (map.strides().get(d) != 0 && kernel.extents().get(d) != 1) {
        return false;
      }
    }
    return true;
  }

  private boolean variesInRow(Operand.Bound bound) {
    long extent = kernel.extents().get(bound.dim());
    return bound.dim() >= kernel.kept() && extent > 1 && (bound.from() > 0 || bound.to() < extent);
  }

  private void requireSameForRow(Operand operand, String what) {
    if (!sameForRow(operand)) {
      throw new AssertionError(what + " must be the same for all elements of the row");
    }
  }

  private long[] index(long row, long i) {
    Longs extents = kernel.extents();
    long[] index = new long[extents.size()];
    for (int d = index.length - 1; d >= kernel.kept(); d--) {
      long extent = Math.max(1, extents.get(d));
      index[d] = i % extent;
      i /= extent;
    }
    for (int d = kernel.kept() - 1; d >= 0; d--) {
      index[d] = row % extents.get(d);
      row /= extents.get(d);
    }
    return index;
  }
}
