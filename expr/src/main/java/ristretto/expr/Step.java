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
   * @param from numbers of the recorded assignments that it executes, or a part of them; none
   *     outside of programs
   */
  record KernelStep(Kernel kernel, String what, List<Integer> from) implements Step {}

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

  private static List<Operand> operands(Kernel kernel) {
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
