package ristretto.expr.program;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToLongFunction;
import java.util.function.Predicate;
import ristretto.expr.index.Size;
import ristretto.expr.memory.MemoryPlanner;
import ristretto.expr.memory.OffsetPlanner;
import ristretto.expr.memory.SlotPlanner;
import ristretto.expr.option.Optimization;
import ristretto.expr.plan.PlanBuilder;
import ristretto.expr.plan.Step;
import ristretto.kernels.device.Device;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/** Choice of the allocator for the temporaries of a plan, from the plan's steps. */
public final class MemoryPlanning {
  private MemoryPlanning() {}

  /**
   * Chooses the allocator of a plan.
   *
   * @param arguments number of arguments
   * @param bound number of leading arguments that are bound for each run and are no temporaries
   * @param temporary bytes of a temporary by argument; -1 for other arguments
   * @param result bytes by argument, for arguments that are no temporaries
   * @param without disabled optimizations
   * @param inPlace steps that may write over operands that they read for the last time
   */
  public static MemoryPlanner of(
      Device device,
      List<Step.Lowered> steps,
      int arguments,
      int bound,
      IntToLongFunction temporary,
      IntToLongFunction result,
      Set<Optimization> without,
      Predicate<Step.Lowered> inPlace) {
    boolean shared = !without.contains(Optimization.LIFETIMES);
    boolean byLiveness = shared && !without.contains(Optimization.SHARE_MEMORY);
    Map<Integer, int[]> lifetimes = PlanBuilder.lifetimes(steps);
    boolean anyHost = steps.stream().anyMatch(s -> s instanceof Step.HostStep h && !h.isBound());
    // If an index check can fail after the first step, results must keep their old elements until
    // then.
    boolean within = byLiveness && !anyHost && !IndexChecks.isAnyLate(steps);
    var temporaries = new ArrayList<Integer>();
    var results = new ArrayList<Integer>();
    for (int k = bound; k < arguments; k++) {
      int[] life = lifetimes.get(k);
      if (temporary.applyAsLong(k) >= 0) {
        if (anyHost || life != null) {
          temporaries.add(k);
        }
      } else if (within
          && life != null
          && steps.get(life[0]) instanceof Step.KernelStep first
          && overwrites(first.kernel(), k, result.applyAsLong(k))) {
        // a result is live to the end
        life[1] = Integer.MAX_VALUE;
        results.add(k);
      }
    }
    results.sort(Comparator.comparingLong(result::applyAsLong));
    var interference = new StepInterference(steps, lifetimes, anyHost, inPlace);
    return byLiveness && !anyHost && device.partAlignment() > 0
        ? new OffsetPlanner(
            device, interference, lifetimes, temporaries, results, temporary, result)
        : new SlotPlanner(
            interference,
            temporaries,
            results,
            temporary,
            result,
            shared,
            byLiveness,
            v -> Size.at(v, 1));
  }

  /** Returns true if a kernel writes all elements of a buffer and reads none. */
  private static boolean overwrites(Kernel kernel, int buffer, long bytes) {
    Operand.Memory target =
        switch (kernel) {
          case Kernel.Map k -> only(k.stores(), buffer);
          case Kernel.Row k -> only(k.stores().stream().map(Kernel.Store::target).toList(), buffer);
          case Kernel.Product k -> only(List.of(k.c()), buffer);
          default -> null;
        };
    if (target == null) {
      return false;
    }
    var accesses = KernelAccesses.of(kernel);
    return accesses.reads().stream().noneMatch(a -> a.memory() == buffer)
        && accesses.writes().stream()
            .filter(a -> a.memory() == buffer)
            .allMatch(a -> isWhole(a, bytes / target.storage().bytes()));
  }

  private static Operand.Memory only(List<Operand.Memory> stores, int buffer) {
    List<Operand.Memory> mine = stores.stream().filter(s -> s.buffer() == buffer).toList();
    return mine.size() == 1 ? mine.get(0) : null;
  }

  /** Returns true if the access covers {@code elements} elements from offset 0, each once. */
  private static boolean isWhole(KernelAccesses.Access a, long elements) {
    var dims = new ArrayList<Integer>();
    for (int d = 0; d < a.extents().size(); d++) {
      if (a.extents().get(d) > 1) {
        dims.add(d);
      }
    }
    dims.sort(Comparator.comparingLong(a.strides()::get));
    long next = 1;
    for (int d : dims) {
      if (a.strides().get(d) != next) {
        return false;
      }
      next *= a.extents().get(d);
    }
    return a.offset() == 0 && !a.gathered() && next == elements;
  }
}
