package ristretto.expr;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToLongFunction;
import java.util.function.Predicate;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/**
 * Where the temporaries of a plan lie: those whose lifetimes do not meet share a slot. Memory of a
 * result that one step overwrites as a whole is a slot too, until that step: what it held before is
 * lost anyway.
 *
 * @param all in any order
 * @param count of slots that are no results
 * @param results arguments that are the slots from {@code count} on
 */
record Slots(List<Slot> all, int count, List<Integer> results) {
  /** The slot of an argument. */
  record Slot(int argument, int slot) {}

  /**
   * Of a plan.
   *
   * @param arguments as many as there are
   * @param bound the arguments below it are no temporaries, and differ from run to run
   * @param temporary bytes of a temporary; -1 of what is none
   * @param result bytes of what is none
   * @param without what is not done to memory
   * @param inPlace steps that may write over what they read for the last time
   */
  static Slots of(
      List<Step> steps,
      int arguments,
      int bound,
      IntToLongFunction temporary,
      IntToLongFunction result,
      Set<Optimization> without,
      Predicate<Step> inPlace) {
    boolean shared = !without.contains(Optimization.LIFETIMES);
    boolean byLiveness = shared && !without.contains(Optimization.SHARE_MEMORY);
    Map<Integer, int[]> lifetimes = PlanBuilder.lifetimes(steps);
    boolean anyHost = steps.stream().anyMatch(s -> s instanceof Step.HostStep);
    var order = new ArrayList<Integer>();
    var results = new ArrayList<Integer>();
    for (int k = bound; k < arguments; k++) {
      int[] life = lifetimes.get(k);
      if (temporary.applyAsLong(k) >= 0) {
        if (anyHost || life != null) {
          order.add(k);
        }
      } else if (byLiveness
          && !anyHost
          && life != null
          && overwrites(
              ((Step.KernelStep) steps.get(life[0])).kernel(), k, result.applyAsLong(k))) {
        // it stays
        life[1] = Integer.MAX_VALUE;
        results.add(k);
      }
    }
    // Large ones first: a slot is as large as its first, and nothing makes it grow.
    order.sort(Comparator.comparingLong(k -> -temporary.applyAsLong(k)));
    results.sort(Comparator.comparingLong(result::applyAsLong));
    var places = new ArrayList<List<Integer>>();
    results.forEach(k -> places.add(new ArrayList<>(List.of(k))));
    var sharing = new Sharing(steps, lifetimes, anyHost, inPlace);
    for (int argument : order) {
      int place = 0;
      while (place < places.size()
          && !(shared
              && (place >= results.size()
                  || fits(temporary.applyAsLong(argument), result.applyAsLong(results.get(place))))
              && places.get(place).stream().noneMatch(t -> sharing.meet(t, argument))
              && (byLiveness
                  || places.get(place).stream().anyMatch(t -> sharing.isHanded(t, argument))))) {
        place++;
      }
      if (place == places.size()) {
        places.add(new ArrayList<>());
      }
      places.get(place).add(argument);
    }
    return of(places, results);
  }

  private static Slots of(List<List<Integer>> places, List<Integer> results) {
    int own = places.size() - results.size();
    var all = new ArrayList<Slot>();
    for (int place = 0; place < places.size(); place++) {
      boolean isResult = place < results.size();
      int slot = isResult ? own + place : place - results.size();
      for (int k = isResult ? 1 : 0; k < places.get(place).size(); k++) {
        all.add(new Slot(places.get(place).get(k), slot));
      }
    }
    return new Slots(List.copyOf(all), own, List.copyOf(results));
  }

  /** Whether one piece of memory is no larger than another one, for each n that may be in both. */
  private static boolean fits(long bytes, long into) {
    return bytes <= into && LinearSizes.at(bytes, 1) <= LinearSizes.at(into, 1);
  }

  /** The bytes of each slot that is no result: those of its largest argument. */
  long[] bytes(IntToLongFunction ofArgument) {
    var bytes = new long[count];
    for (Slot t : all) {
      if (t.slot < count) {
        bytes[t.slot] = Math.max(bytes[t.slot], ofArgument.applyAsLong(t.argument));
      }
    }
    return bytes;
  }

  /** The result in whose memory a temporary of this slot lies; -1 if the slot is none. */
  int result(int slot) {
    return slot < count ? -1 : results.get(slot - count);
  }

  /** Whether a kernel writes all of a buffer, and does not read it. */
  private static boolean overwrites(Kernel kernel, int buffer, long bytes) {
    Operand.Memory target =
        switch (kernel) {
          case Kernel.Map k -> only(k.stores(), buffer);
          case Kernel.Row k -> only(k.stores().stream().map(Kernel.Store::target).toList(), buffer);
          case Kernel.Gemm k -> only(List.of(k.c()), buffer);
          default -> null;
        };
    if (target == null) {
      return false;
    }
    var accesses = Accesses.of(kernel);
    return accesses.reads().stream().noneMatch(a -> a.memory() == buffer)
        && accesses.writes().stream()
            .filter(a -> a.memory() == buffer)
            .allMatch(a -> isWhole(a, bytes / target.storage().bytes()));
  }

  private static Operand.Memory only(List<Operand.Memory> stores, int buffer) {
    List<Operand.Memory> mine = stores.stream().filter(s -> s.buffer() == buffer).toList();
    return mine.size() == 1 ? mine.get(0) : null;
  }

  /** Whether these are all of so many elements, each once. */
  private static boolean isWhole(Trace.Access a, long elements) {
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
