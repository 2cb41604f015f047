package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import ristretto.kernels.DeviceException;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/** Renders kernels of all kinds as source text. */
public final class KernelSource {
  private KernelSource() {}

  public static Routine render(Kernel kernel, Target target, Reach reach) {
    if (!target.wide() && usesF64(kernel)) {
      throw new DeviceException(
          "["
              + kernel.name()
              + "] f64 needs a device that computes in it; this one does not; use f32, or another"
              + " device such as cpu");
    }
    var build = new Build(target, reach.far());
    var targets = new ArrayList<Integer>();
    switch (kernel) {
      case Kernel.Map k -> {
        MapSource.render(build, k);
        k.stores().forEach(m -> targets.add(m.buffer()));
      }
      case Kernel.Row k -> {
        RowSource.render(build, k);
        k.stores().forEach(s -> targets.add(s.target().buffer()));
      }
      case Kernel.Scan k -> {
        new ScanSource(build, k).render();
        targets.add(k.target().buffer());
      }
      case Kernel.Recurrence k -> {
        RecurrenceSource.render(build, k);
        k.targets().forEach(m -> targets.add(m.buffer()));
      }
      case Kernel.Scatter k -> {
        new ScatterSource(build, k).render();
        targets.add(k.target().buffer());
      }
      case Kernel.Product k -> {
        product(build, new Kernel.FusedGemm(k));
        targets.add(k.c().buffer());
      }
      case Kernel.FusedGemm k -> {
        product(build, k);
        k.after()
            .ifPresentOrElse(
                map -> map.stores().forEach(m -> targets.add(m.buffer())),
                () -> targets.add(k.gemm().c().buffer()));
      }
      case Kernel.Sort k -> {
        SortSource.render(build, k);
        Stream.of(k.values(), k.indices())
            .flatMap(Optional::stream)
            .forEach(m -> targets.add(m.buffer()));
      }
      case Kernel.Convolution k ->
          throw new IllegalStateException("[" + k.name() + "] convolutions are left to libraries");
      case Kernel.Fourier k ->
          throw new IllegalStateException("[" + k.name() + "] transforms are made of maps");
    }
    return build.routine(targets);
  }

  private static void product(Build build, Kernel.FusedGemm k) {
    if (k.gemm() instanceof Kernel.BlockGemm blocks && BlockGemmSource.suits(build, blocks)) {
      new BlockGemmSource(build, blocks, k.left(), k.after()).render();
    } else {
      new GemmSource(build, k).render();
    }
  }

  private static boolean usesF64(Kernel kernel) {
    return switch (kernel) {
      case Kernel.Map k -> usesF64(k.tape(), k.inputs());
      case Kernel.Row k -> usesF64(k.tape(), k.inputs());
      case Kernel.Scan k -> usesF64(k.tape(), k.inputs());
      case Kernel.Recurrence k -> usesF64(k.tape(), k.reads());
      case Kernel.Scatter k -> usesF64(k.tape(), k.inputs());
      case Kernel.Product k -> k.type() == ScalarType.F64;
      case Kernel.FusedGemm k ->
          usesF64(k.gemm())
              || Stream.of(k.left(), k.right(), k.after())
                  .flatMap(Optional::stream)
                  .anyMatch(KernelSource::usesF64);
      case Kernel.Sort k -> k.input().type() == ScalarType.F64;
      case Kernel.Convolution k -> k.type() == ScalarType.F64;
      case Kernel.Fourier k -> k.type() == ScalarType.F64;
    };
  }

  private static boolean usesF64(Tape tape, List<Operand> inputs) {
    return tape.nodes().stream().anyMatch(n -> n.type() == ScalarType.F64)
        || inputs.stream().anyMatch(o -> o.type() == ScalarType.F64);
  }
}
