package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import ristretto.kernels.device.Device;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.KernelNames;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;

/**
 * Fuses products with element-wise kernels as prologue (producers of operands) or epilogue (readers
 * of the result), if the device supports the fused kernel; the temporaries in between are not
 * written.
 *
 * <p>Assumes kernels; schedules with host steps stay as they are. Guarantees kernels that the
 * device supports, with the same results.
 */
final class FuseProducts implements Pass {
  /** Maximal number of operations of a prologue that is recomputed for each read of an operand. */
  private static final int CHEAP = 4;

  /** Maximal number of memory operands of such a prologue. */
  private static final int FEW = 2;

  @Override
  public Schedule apply(Schedule schedule) {
    return areKernels(schedule.steps())
        ? schedule.with(fused(schedule, schedule.steps(), Set.of()))
        : schedule;
  }

  private static boolean areKernels(List<Step> steps) {
    return steps.stream()
        .allMatch(s ->
            switch (s) {
              case Step.KernelStep _, Step.Materialize _ -> true;
              case Step.Loop loop -> areKernels(loop.body());
              case Step.HostStep _, Step.Assign _, Step.Elementwise _, Step.Columns _ -> false;
            });
  }

  /**
   * Fuses products with kernels of the same list of steps.
   *
   * @param outside buffers that other steps access
   */
  private static List<Step> fused(Schedule schedule, List<Step> steps, Set<Integer> outside) {
    var all = new ArrayList<Step>();
    for (Step step : steps) {
      if (step instanceof Step.Loop loop) {
        var others = new HashSet<>(outside);
        steps.stream().filter(s -> s != loop).forEach(s -> others.addAll(Step.buffers(s)));
        all.add(loop.with(fused(schedule, loop.body(), others)));
      } else {
        all.add(step);
      }
    }
    return new Run(schedule, all, outside).result();
  }

  private static final class Run {
    private final PlanBuilder plan;
    private final Device device;
    private final List<Step> steps;
    private final Set<Integer> outside;

    /** Temporaries that are not written to memory any more. */
    private final Set<Integer> unwritten = new HashSet<>();

    /** Buffers by step, cached for repeated queries. */
    private final Map<Step, Set<Integer>> buffers = new IdentityHashMap<>();

    private final Map<Step, Set<Integer>> written = new IdentityHashMap<>();

    Run(Schedule schedule, List<Step> steps, Set<Integer> outside) {
      this.plan = schedule.plan();
      this.device = schedule.device();
      this.steps = steps;
      this.outside = outside;
    }

    List<Step> result() {
      for (Step step : List.copyOf(steps)) {
        if (step instanceof Step.KernelStep k && k.kernel() instanceof Kernel.Product g) {
          fuse(g, place(step));
        }
      }
      steps.removeIf(s ->
          s instanceof Step.Materialize m
              && unwritten.contains(plan.number(m.temporary().storage())));
      return steps;
    }

    private Set<Integer> buffers(int at) {
      return buffers.computeIfAbsent(steps.get(at), Step::buffers);
    }

    private Set<Integer> written(int at) {
      return written.computeIfAbsent(steps.get(at), Step::written);
    }

    private int place(Step step) {
      int at = 0;
      while (steps.get(at) != step) {
        at++;
      }
      return at;
    }

    private void fuse(Kernel.Product g, int at) {
      var alone = new Kernel.FusedGemm(g);
      int place = after(alone, at);
      boolean dense = g instanceof Kernel.Gemm;
      for (boolean left : dense ? new boolean[] {true, false} : new boolean[] {true}) {
        place -= operand(kernel(place) instanceof Kernel.FusedGemm f ? f : alone, place, left);
      }
    }

    /** Kernel of a step; null for others. */
    private Kernel kernel(int at) {
      return steps.get(at) instanceof Step.KernelStep k ? k.kernel() : null;
    }

    // Epilogues

    /** Fuses a reader of the result; returns the new index of the product. */
    private int after(Kernel.FusedGemm fused, int at) {
      Kernel.Product g = fused.gemm();
      int reader = at + 1;
      while (reader < steps.size() && !buffers(reader).contains(g.c().buffer())) {
        reader++;
      }
      if (reader == steps.size()
          || !(kernel(reader) instanceof Kernel.Map own)
          || overwritten(operands(fused), at + 1, reader + 1)) {
        return at;
      }
      Kernel.Map map = overResult(own, g);
      if (map == null || !readsOnlyAsWritten(map, g.c())) {
        return at;
      }
      boolean stored = map.stores().contains(g.c());
      if (!stored && isNeeded(g.c().buffer(), reader)) {
        map = storingToo(map, g.c());
      }
      if (!replace(at, reader, with(fused, fused.left(), fused.right(), Optional.of(map)))) {
        return at;
      }
      if (!map.stores().contains(g.c())) {
        stays(g.c().buffer());
      }
      return reader - 1;
    }

    /**
     * Rewrites the map over the product's iteration space, which may be transposed; null if the
     * spaces differ.
     */
    private static Kernel.Map overResult(Kernel.Map map, Kernel.Product g) {
      for (Operand operand : map.inputs()) {
        if (operand instanceof Operand.Memory m && m.buffer() == g.c().buffer()) {
          Kernel.Map moved = onto(map, m.map(), g.c().map(), g.space(g.m(), g.n()));
          return moved == null ? null : naming(moved, g.c());
        }
      }
      return null;
    }

    /**
     * Replaces operands that denote the elements of {@code c} by {@code c}: strides of axes with
     * one element may differ.
     */
    private static Kernel.Map naming(Kernel.Map map, Operand.Memory c) {
      List<Operand> inputs =
          map.inputs().stream().map(o -> isSame(o, c, map.extents()) ? c : o).toList();
      List<Operand.Memory> stores =
          map.stores().stream().map(o -> isSame(o, c, map.extents()) ? c : o).toList();
      return new Kernel.Map(map.name(), map.extents(), map.tape(), inputs, stores);
    }

    private static boolean isSame(Operand operand, Operand.Memory c, Longs extents) {
      if (!(operand instanceof Operand.Memory m)
          || m.buffer() != c.buffer()
          || m.storage() != c.storage()
          || m.map().offset() != c.map().offset()
          || m.gather().isPresent()
          || !m.bounds().isEmpty()) {
        return false;
      }
      for (int d = 0; d < extents.size(); d++) {
        if (extents.get(d) != 1 && m.map().strides().get(d) != c.map().strides().get(d)) {
          return false;
        }
      }
      return true;
    }

    private static boolean readsOnlyAsWritten(Kernel.Map map, Operand.Memory c) {
      boolean reads = false;
      for (Operand operand : map.inputs()) {
        if (operand instanceof Operand.Memory m) {
          reads |= m.equals(c);
          boolean other = m.buffer() == c.buffer() && !m.equals(c);
          if (other || m.gather().isPresent() && m.gather().get().buffer() == c.buffer()) {
            return false;
          }
        }
      }
      return reads && map.stores().stream().allMatch(s -> s.buffer() != c.buffer() || s.equals(c));
    }

    /** Returns true if the content of a buffer is read after step {@code at}. */
    private boolean isNeeded(int buffer, int at) {
      if (!plan.isTemporary(buffer) || outside.contains(buffer)) {
        return true;
      }
      for (int k = at + 1; k < steps.size(); k++) {
        if (buffers(k).contains(buffer)) {
          return true;
        }
      }
      return false;
    }

    private static Kernel.Map storingToo(Kernel.Map map, Operand.Memory c) {
      int row = 0;
      while (!(map.tape().node(row) instanceof Node.Input in
          && map.inputs().get(in.slot()).equals(c))) {
        row++;
      }
      var outputs = new ArrayList<Integer>(map.tape().outputs());
      outputs.add(row);
      var stores = new ArrayList<>(map.stores());
      stores.add(c);
      return new Kernel.Map(
          map.name(), map.extents(), new Tape(map.tape().nodes(), outputs), map.inputs(), stores);
    }

    // Prologues

    /**
     * Fuses the producer of an operand; returns by how many steps the product moved to the front.
     */
    private int operand(Kernel.FusedGemm fused, int at, boolean left) {
      Kernel.Product g = fused.gemm();
      Operand.Memory made = left ? g.a() : g.right();
      int maker = at - 1;
      while (maker >= 0 && !written(maker).contains(made.buffer())) {
        maker--;
      }
      if (maker < 0
          || readsElsewhere(fused, made.buffer(), left)
          || made.buffer() == g.c().buffer()
          || !(kernel(maker) instanceof Kernel.Map map)
          || map.stores().size() != 1
          || map.stores().get(0).storage() != made.storage()
          || !isCheap(map)
          || !isReadOnlyBy(made.buffer(), maker, at)) {
        return 0;
      }
      Longs extents = left ? g.space(g.m(), g.k()) : g.rightSpace();
      Kernel.Map over = onto(map, map.stores().get(0).map(), made.map(), extents);
      if (over == null) {
        return 0;
      }
      var moved =
          Optional.of(
              new Kernel.Map(map.name(), extents, map.tape(), over.inputs(), List.of(made)));
      Kernel.FusedGemm joined =
          left
              ? with(fused, moved, fused.right(), fused.after())
              : with(fused, fused.left(), moved, fused.after());
      var reads = new HashSet<Integer>();
      Step.read(map.inputs(), reads);
      boolean clobbered = writesAny(joined, operands(joined));
      if (clobbered || overwritten(reads, maker + 1, at) || !replace(maker, at, joined)) {
        return 0;
      }
      stays(made.buffer());
      return 1;
    }

    /**
     * Returns true if a fused product reads a buffer by more than one operand: by its other
     * operand, the prologue of that or the epilogue.
     */
    private static boolean readsElsewhere(Kernel.FusedGemm fused, int buffer, boolean left) {
      var reads = new HashSet<Integer>();
      (left ? fused.right() : fused.left())
          .ifPresentOrElse(
              map -> Step.read(map.inputs(), reads),
              () -> reads.add((left ? fused.gemm().right() : fused.gemm().a()).buffer()));
      fused.after().ifPresent(map -> Step.read(map.inputs(), reads));
      return reads.contains(buffer);
    }

    private static boolean isCheap(Kernel.Map map) {
      long memory = map.inputs().stream().filter(o -> o instanceof Operand.Memory).count();
      return map.tape().operations() <= CHEAP
          && memory >= 1
          && memory <= FEW
          && map.tape().nodes().stream().allMatch(Run::isCheap);
    }

    private static boolean isCheap(Node node) {
      return switch (node) {
        case Node.Const _, Node.Input _ -> true;
        case Node.Random _, Node.Call _ -> false;
        case Node.Apply a ->
            switch (a.op().cost()) {
              case SIMPLE, MULTIPLY, EXTREME, BLEND -> true;
              case FREE, SHIFT, MULTIPLY_HIGH, SEQUENCE, DIVIDE, FUNCTION -> false;
            };
      };
    }

    /**
     * Returns true if step {@code reader} alone reads the temporary that step {@code maker} writes.
     */
    private boolean isReadOnlyBy(int buffer, int maker, int reader) {
      if (!plan.isTemporary(buffer) || outside.contains(buffer)) {
        return false;
      }
      for (int k = 0; k < steps.size(); k++) {
        if (k != maker && k != reader && buffers(k).contains(buffer)) {
          return false;
        }
      }
      return true;
    }

    /**
     * Rewrites a map over another iteration space; null if the axes do not correspond.
     *
     * @param place index map of some memory in the map's space
     * @param wanted index map of the same memory in the other space
     */
    private static Kernel.Map onto(Kernel.Map map, Affine place, Affine wanted, Longs extents) {
      if (place.offset() != wanted.offset()) {
        return null;
      }
      // Axis of the map for each axis of the other space, or -1.
      int[] axes = new int[extents.size()];
      var taken = new HashSet<Integer>();
      for (int d = 0; d < axes.length; d++) {
        long stride = wanted.strides().get(d);
        axes[d] = -1;
        if (extents.get(d) == 1 || stride == 0) {
          continue;
        }
        for (int e = 0; e < map.extents().size() && axes[d] < 0; e++) {
          boolean same = map.extents().get(e) == extents.get(d);
          if (same && place.strides().get(e) == stride && taken.add(e)) {
            axes[d] = e;
          }
        }
        if (axes[d] < 0) {
          return null;
        }
      }
      for (int e = 0; e < map.extents().size(); e++) {
        if (map.extents().get(e) > 1 && !taken.contains(e)) {
          return null;
        }
      }
      var inputs = new ArrayList<Operand>();
      for (Operand operand : map.inputs()) {
        switch (operand) {
          case Operand.Value v -> inputs.add(v);
          case Operand.Index i -> inputs.add(new Operand.Index(i.type(), permuted(i.map(), axes)));
          case Operand.Memory m -> {
            if (m.bounds().stream().anyMatch(b -> !taken.contains(b.dim()))) {
              return null;
            }
            inputs.add(permuted(m, axes));
          }
        }
      }
      List<Operand.Memory> stores = map.stores().stream().map(m -> permuted(m, axes)).toList();
      return new Kernel.Map(map.name(), extents, map.tape(), inputs, stores);
    }

    private static Operand.Memory permuted(Operand.Memory m, int[] axes) {
      var bounds = new ArrayList<Operand.Bound>();
      for (int d = 0; d < axes.length; d++) {
        for (Operand.Bound b : m.bounds()) {
          if (b.dim() == axes[d]) {
            bounds.add(new Operand.Bound(d, b.from(), b.to()));
          }
        }
      }
      return new Operand.Memory(
          m.storage(),
          m.buffer(),
          permuted(m.map(), axes),
          m.gather()
              .map(g ->
                  new Operand.Gather(
                      g.storage(), g.buffer(), permuted(g.map(), axes), g.stride(), g.extent())),
          bounds);
    }

    private static Affine permuted(Affine map, int[] axes) {
      long[] strides = new long[axes.length];
      for (int d = 0; d < axes.length; d++) {
        strides[d] = axes[d] < 0 ? 0 : map.strides().get(axes[d]);
      }
      return new Affine(map.offset(), Longs.of(strides));
    }

    // Prologues and epilogues

    /** Buffers read by the product and its prologues. */
    private static Set<Integer> operands(Kernel.FusedGemm fused) {
      var all = new HashSet<Integer>();
      fused
          .left()
          .ifPresentOrElse(
              map -> Step.read(map.inputs(), all), () -> all.add(fused.gemm().a().buffer()));
      fused
          .right()
          .ifPresentOrElse(
              map -> Step.read(map.inputs(), all), () -> all.add(fused.gemm().right().buffer()));
      return all;
    }

    private boolean overwritten(Set<Integer> buffers, int from, int to) {
      for (int k = from; k < to; k++) {
        if (written(k).stream().anyMatch(buffers::contains)) {
          return true;
        }
      }
      return false;
    }

    private boolean writesAny(Kernel kernel, Set<Integer> buffers) {
      return Step.written(kernel).stream().anyMatch(buffers::contains);
    }

    private static Kernel.FusedGemm with(
        Kernel.FusedGemm fused,
        Optional<Kernel.Map> left,
        Optional<Kernel.Map> right,
        Optional<Kernel.Map> after) {
      Kernel.Product g = fused.gemm();
      Tape tape = after.or(() -> left).or(() -> right).orElseThrow().tape();
      int hash = java.util.Objects.hash(left, right, after);
      String name = KernelNames.of("gemm", tape, g.type(), "fused", hash);
      return new Kernel.FusedGemm(name, g, left, right, after);
    }

    /**
     * Replaces two steps by {@code fused} at the position of the later one, if the device supports
     * the kernel.
     */
    private boolean replace(int earlier, int later, Kernel.FusedGemm fused) {
      if (plan.part(steps.get(earlier)) != plan.part(steps.get(later)) || !device.fuses(fused)) {
        return false;
      }
      String what = steps.get(later).what() + ", with " + steps.get(earlier).what();
      var from = new ArrayList<Integer>(((Step.KernelStep) steps.get(earlier)).from());
      from.addAll(((Step.KernelStep) steps.get(later)).from());
      steps.set(
          later, new Step.KernelStep(fused, what, from.stream().distinct().sorted().toList()));
      steps.remove(earlier);
      return true;
    }

    /** Notes that a temporary is no longer written to memory. */
    private void stays(int buffer) {
      String name = plan.name(buffer);
      unwritten.add(buffer);
      plan.note(name + " stays in registers: this device computes it inside the product's kernel");
    }
  }
}
