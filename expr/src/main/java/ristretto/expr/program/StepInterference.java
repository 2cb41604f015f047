package ristretto.expr.program;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import ristretto.expr.memory.Interference;
import ristretto.expr.plan.RowPasses;
import ristretto.expr.plan.Step;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/** Interference of a plan's arguments, from its steps and live ranges. */
final class StepInterference implements Interference {
  private final List<Step.Lowered> steps;
  private final Map<Integer, int[]> lifetimes;
  private final boolean anyHost;
  private final Predicate<Step.Lowered> inPlace;

  /**
   * Creates the decisions for a plan.
   *
   * @param lifetimes live range by argument: the first and the last step that accesses it
   * @param anyHost true if there is code on the host that may access any temporary at any time
   * @param inPlace steps that may write over operands that they read for the last time
   */
  StepInterference(
      List<Step.Lowered> steps,
      Map<Integer, int[]> lifetimes,
      boolean anyHost,
      Predicate<Step.Lowered> inPlace) {
    this.steps = steps;
    this.lifetimes = lifetimes;
    this.anyHost = anyHost;
    this.inPlace = inPlace;
  }

  @Override
  public boolean between(int one, int other) {
    if (anyHost) {
      return true;
    }
    int[] a = lifetimes.get(one);
    int[] b = lifetimes.get(other);
    if (a[1] < b[0] || b[1] < a[0]) {
      return false;
    }
    return !isInPlace(one, other);
  }

  @Override
  public boolean isInPlace(int one, int other) {
    if (anyHost) {
      return false;
    }
    int[] a = lifetimes.get(one);
    int[] b = lifetimes.get(other);
    return a[1] == b[0] && a[0] < b[0] && overwrites(b[0], one, other)
        || b[1] == a[0] && b[0] < a[0] && overwrites(a[0], other, one);
  }

  /**
   * Returns true if the step reads each element of {@code from} only at the index at which it
   * writes the element of {@code to} with the same address.
   */
  private boolean overwrites(int step, int from, int to) {
    if (!(steps.get(step) instanceof Step.KernelStep s) || !inPlace.test(s)) {
      return false;
    }
    List<Operand> inputs;
    List<Operand.Memory> stores;
    switch (s.kernel()) {
      case Kernel.Map map -> {
        inputs = map.inputs();
        stores = map.stores();
      }
      case Kernel.Row row -> {
        inputs = row.inputs();
        stores = row.stores().stream().map(Kernel.Store::target).toList();
        if (!isReadBefore(row, from, to)) {
          return false;
        }
      }
      default -> {
        return false;
      }
    }
    Operand.Memory written = null;
    for (Operand.Memory store : stores) {
      if (store.buffer() == from || store.buffer() == to && written != null) {
        return false;
      }
      written = store.buffer() == to ? store : written;
    }
    if (written == null) {
      return false;
    }
    for (Operand operand : inputs) {
      if (operand instanceof Operand.Memory m) {
        boolean indexes = m.gather().isPresent() && m.gather().get().buffer() == from;
        boolean same =
            m.storage() == written.storage()
                && m.gather().isEmpty()
                && m.bounds().isEmpty()
                && m.map().equals(written.map());
        if (indexes || m.buffer() == to || m.buffer() == from && !same) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns true if a row kernel stores {@code to} after its last read of {@code from}. */
  private static boolean isReadBefore(Kernel.Row row, int from, int to) {
    var passes = new RowPasses(row);
    for (Kernel.Store store : row.stores()) {
      if (store.target().buffer() == to) {
        for (Operand operand : row.inputs()) {
          boolean reads = operand instanceof Operand.Memory m && m.buffer() == from;
          if (store.perRow() || reads && !passes.mayWriteOver(operand, store)) {
            return false;
          }
        }
      }
    }
    return true;
  }
}
