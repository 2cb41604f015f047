package ristretto.expr;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/** One thing a plan does. */
sealed interface Step {
  /** For people: the target and what is computed. */
  String what();

  /**
   * A kernel, and the numbers of the recorded assignments that it executes, or a part of them; none
   * outside of programs.
   */
  final class KernelStep implements Step {
    private final String what;
    private final Motion motion;
    private Kernel kernel;
    private List<Integer> from;
    private Set<Integer> buffers;

    KernelStep(Kernel kernel, String what, List<Integer> from) {
      this.kernel = kernel;
      this.what = what;
      this.from = from;
      this.motion = null;
    }

    /** The kernel of another step, with operands further on; made if it is asked for. */
    KernelStep(Motion motion) {
      this.motion = motion;
      this.what = motion.like.what;
    }

    Kernel kernel() {
      if (kernel == null) {
        kernel = motion.moved().kernel();
      }
      return kernel;
    }

    String name() {
      return motion == null ? kernel.name() : motion.like.name();
    }

    @Override
    public String what() {
      return what;
    }

    List<Integer> from() {
      if (from == null) {
        from = motion.like.from.stream().map(k -> k + motion.later).toList();
      }
      return from;
    }

    /** Arguments that it touches, of a later round but for those that are the round's own. */
    Set<Integer> buffers() {
      if (buffers == null) {
        buffers = motion == null ? Step.buffers(kernel) : motion.shared();
      }
      return buffers;
    }

    /** How it is made of another step, or null. */
    Motion motion() {
      return motion;
    }
  }

  /**
   * A step of a later round.
   *
   * @param like the step of a round that was recorded
   * @param form of its kernel
   * @param further how many elements further on each operand is in each round
   * @param by how many rounds later it is
   * @param later how many assignments later
   * @param shared arguments that it touches and that other steps than those of that round touch too
   */
  record Motion(
      KernelStep like, KernelForm form, long[] further, int by, int later, Set<Integer> shared) {
    KernelForm moved() {
      return form.moved(further, by);
    }
  }

  /** Work of a user's operator on the host. */
  record HostStep(Runnable work, String what) implements Step {}

  /** Argument numbers of the buffers a kernel reads or writes. */
  static Set<Integer> buffers(Kernel kernel) {
    var all = new LinkedHashSet<Integer>();
    read(operands(kernel), all);
    return all;
  }

  /** Adds the argument numbers of these operands' buffers. */
  static void read(List<Operand> operands, Set<Integer> all) {
    for (Operand operand : operands) {
      if (operand instanceof Operand.Memory m) {
        all.add(m.buffer());
        m.gather().ifPresent(g -> all.add(g.buffer()));
      }
    }
  }

  /** Argument numbers of the buffers a kernel writes. */
  static Set<Integer> written(Kernel kernel) {
    var all = new LinkedHashSet<Integer>();
    switch (kernel) {
      case Kernel.Map k -> k.stores().forEach(s -> all.add(s.buffer()));
      case Kernel.Row k -> k.stores().forEach(s -> all.add(s.target().buffer()));
      case Kernel.Scan k -> all.add(k.target().buffer());
      case Kernel.Scatter k -> all.add(k.target().buffer());
      case Kernel.Gemm k -> all.add(k.c().buffer());
      case Kernel.FusedGemm k ->
          k.after()
              .ifPresentOrElse(
                  map -> map.stores().forEach(s -> all.add(s.buffer())),
                  () -> all.add(k.gemm().c().buffer()));
      case Kernel.Sort k -> {
        k.values().ifPresent(m -> all.add(m.buffer()));
        k.indices().ifPresent(m -> all.add(m.buffer()));
      }
      case Kernel.Convolution k -> all.add(k.target().buffer());
    }
    return all;
  }

  /** Buffers that a kernel reads and writes. */
  static List<Operand> operands(Kernel kernel) {
    var all = new java.util.ArrayList<Operand>();
    switch (kernel) {
      case Kernel.Map k -> {
        all.addAll(k.inputs());
        all.addAll(k.stores());
      }
      case Kernel.Row k -> {
        all.addAll(k.inputs());
        k.stores().forEach(s -> all.add(s.target()));
      }
      case Kernel.Scan k -> {
        all.addAll(k.inputs());
        all.add(k.target());
      }
      case Kernel.Scatter k -> {
        all.addAll(k.inputs());
        all.add(k.target());
      }
      case Kernel.Gemm k -> all.addAll(List.of(k.a(), k.b(), k.c()));
      case Kernel.FusedGemm k -> {
        all.addAll(k.left().map(Kernel.Map::inputs).orElse(List.of(k.gemm().a())));
        all.addAll(k.right().map(Kernel.Map::inputs).orElse(List.of(k.gemm().b())));
        k.after()
            .ifPresent(map -> {
              map.inputs().stream().filter(o -> !o.equals(k.gemm().c())).forEach(all::add);
              all.addAll(map.stores());
            });
        if (k.after().isEmpty() || k.gemm().beta() != 0) {
          all.add(k.gemm().c());
        }
      }
      case Kernel.Sort k -> {
        all.add(k.input());
        k.values().ifPresent(all::add);
        k.indices().ifPresent(all::add);
      }
      case Kernel.Convolution k -> all.addAll(k.operands());
    }
    return all;
  }
}
