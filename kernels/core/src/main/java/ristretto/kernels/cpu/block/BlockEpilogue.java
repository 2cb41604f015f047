package ristretto.kernels.cpu.block;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.launch.MapLaunch;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;

/**
 * Element-wise kernel after a product, in parts: each thread runs the part for the columns that it
 * has multiplied, which are in its cache.
 */
final class BlockEpilogue {
  private final boolean stored;
  private final int buffer;
  private final MapLaunch[] parts;

  /**
   * Creates the parts.
   *
   * @param ends columns at which the parts end, ascending
   */
  BlockEpilogue(LaunchServices services, Kernel.BlockGemm product, Kernel.Map map, long[] ends) {
    stored = map.stores().contains(product.c());
    buffer = product.c().buffer();
    parts = new MapLaunch[ends.length];
    for (int p = 0; p < parts.length; p++) {
      long from = p == 0 ? 0 : ends[p - 1];
      parts[p] = new MapLaunch(services, part(product, map, from, ends[p]));
    }
  }

  /** Returns true if the parts of a kernel are kernels like it. */
  static boolean suits(Kernel.Map map) {
    return map.inputs().stream()
        .allMatch(
            o -> !(o instanceof Operand.Memory m) || m.gather().isEmpty() && m.bounds().isEmpty());
  }

  /** Returns true if the product itself is stored too. */
  boolean stored() {
    return stored;
  }

  /**
   * Runs a part.
   *
   * @param products address of the products, row-major, if they are not stored
   */
  void run(int part, Job job, long products, ThreadContext context) {
    if (!stored) {
      // All threads set the same address.
      job.buffers[buffer] = products;
    }
    parts[part].chunk(job, 0, 1, context);
  }

  private Kernel.Map part(Kernel.BlockGemm product, Kernel.Map map, long from, long to) {
    var inputs = new ArrayList<Operand>();
    for (Operand operand : map.inputs()) {
      boolean made = !stored && operand.equals(product.c());
      var rows = new Affine(0, Longs.of(product.n(), 1));
      inputs.add(shifted(made ? new Operand.Memory(product.type(), buffer, rows) : operand, from));
    }
    List<Operand.Memory> stores =
        map.stores().stream().map(m -> (Operand.Memory) shifted(m, from)).toList();
    Longs extents = Longs.of(product.m(), to - from);
    return new Kernel.Map(map.name(), extents, map.tape(), inputs, stores);
  }

  private static Operand shifted(Operand operand, long columns) {
    return switch (operand) {
      case Operand.Value v -> v;
      case Operand.Index i -> new Operand.Index(i.type(), shifted(i.map(), columns));
      case Operand.Memory m ->
          new Operand.Memory(
              m.storage(), m.buffer(), shifted(m.map(), columns), Optional.empty(), List.of());
    };
  }

  private static Affine shifted(Affine map, long columns) {
    return new Affine(map.offset() + columns * map.strides().get(1), map.strides());
  }
}
