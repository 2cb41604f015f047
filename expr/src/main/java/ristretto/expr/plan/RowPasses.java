package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;

/**
 * Assignment of a row kernel's tape rows to passes over the data: pass 0 depends on no reduction,
 * pass k + 1 depends on reductions of pass k.
 */
public final class RowPasses {
  private final Kernel.Row kernel;
  private final Tape tape;

  /** Pass by tape row; -1 if not computed yet. */
  private final int[] passes;

  /** True for tape rows that do not vary within a row of data. */
  private final boolean[] uniform;

  public RowPasses(Kernel.Row kernel) {
    this.kernel = kernel;
    this.tape = kernel.tape();
    passes = new int[tape.size()];
    uniform = new boolean[tape.size()];
    java.util.Arrays.fill(passes, -1);
    for (int row = 0; row < passes.length; row++) {
      int self = row;
      uniform[row] = !(tape.node(row) instanceof Node.Input in) || isUniform(in.slot());
      tape.node(row).forEachOperand(k -> uniform[self] &= uniform[k]);
    }
  }

  private boolean isUniform(int slot) {
    if (isResult(slot)) {
      return true;
    }
    return switch (kernel.inputs().get(slot)) {
      case Operand.Value _ -> true;
      case Operand.Index _ -> false;
      case Operand.Memory m -> {
        boolean same = m.gather().isEmpty();
        for (int d = kernel.kept(); d < kernel.extents().size(); d++) {
          same &= m.map().strides().get(d) == 0;
        }
        yield same;
      }
    };
  }

  private boolean isResult(int slot) {
    return slot >= kernel.inputs().size();
  }

  private int pass(int row) {
    if (passes[row] < 0) {
      passes[row] = 0;
      int[] latest = {0};
      if (tape.node(row) instanceof Node.Input in && isResult(in.slot())) {
        int reduction = in.slot() - kernel.inputs().size();
        latest[0] = 1 + pass(tape.outputs().get(kernel.reductions().get(reduction).output()));
      }
      tape.node(row).forEachOperand(k -> latest[0] = Math.max(latest[0], pass(k)));
      passes[row] = latest[0];
    }
    return passes[row];
  }

  /** Tape rows that are reduced or stored for each element. */
  private List<Integer> roots() {
    var all = new ArrayList<Integer>();
    kernel.reductions().forEach(r -> all.add(tape.outputs().get(r.output())));
    for (Kernel.Store s : kernel.stores()) {
      if (!s.perRow()) {
        all.add(tape.outputs().get(s.output()));
      }
    }
    return all;
  }

  /** Marks the tape rows that the roots depend on within their pass. */
  private boolean[] needed(List<Integer> roots) {
    boolean[] needed = new boolean[tape.size()];
    roots.forEach(row -> needed[row] = true);
    for (int row = needed.length - 1; row >= 0; row--) {
      if (needed[row]) {
        tape.node(row).forEachOperand(k -> needed[k] = true);
      }
    }
    return needed;
  }

  private boolean reads(boolean[] rows, Operand operand) {
    for (int row = 0; row < rows.length; row++) {
      if (rows[row]
          && tape.node(row) instanceof Node.Input in
          && !isResult(in.slot())
          && kernel.inputs().get(in.slot()).equals(operand)) {
        return true;
      }
    }
    return false;
  }

  /** Returns true if a store may write in place over an operand with the same elements or rows. */
  public boolean mayWriteOver(Operand operand, Kernel.Store store) {
    if (store.perRow()) {
      return !reads(needed(roots()), operand);
    }
    int last = pass(tape.outputs().get(store.output()));
    boolean[] later = needed(roots().stream().filter(row -> pass(row) > last).toList());
    return !reads(later, operand) && !reads(needed(perRow()), operand);
  }

  private List<Integer> perRow() {
    return kernel.stores().stream()
        .filter(Kernel.Store::perRow)
        .map(s -> tape.outputs().get(s.output()))
        .toList();
  }

  /**
   * Returns true if an expensive operation on reduction results only is repeated for each element.
   */
  public boolean repeatsWork() {
    boolean[] needed = needed(roots());
    for (int row = 0; row < needed.length; row++) {
      if (needed[row] && uniform[row] && pass(row) > 0 && isMuch(tape.node(row))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isMuch(Node node) {
    return switch (node) {
      case Node.Const _, Node.Input _ -> false;
      case Node.Random _, Node.Call _ -> true;
      case Node.Apply a ->
          switch (a.op().cost()) {
            case SIMPLE, MULTIPLY, EXTREME, BLEND -> false;
            case FREE, SHIFT, MULTIPLY_HIGH, SEQUENCE, DIVIDE, FUNCTION -> true;
          };
    };
  }
}
