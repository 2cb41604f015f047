package ristretto.kernels.cpu.rows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.launch.MapLaunch;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/** Per-row stores, as a map kernel over the rows that reads results from shared memory. */
final class RowEpilogue {
  private final MapLaunch map;
  private final int firstBuffer;
  private final int results;

  /**
   * Prepares the map kernel.
   *
   * @param firstBuffer number of the buffer with the results of the first reduction
   * @param stores stores of {@code kernel} that the epilogue makes
   */
  RowEpilogue(
      LaunchServices services,
      String name,
      Kernel.Row kernel,
      RowStages cut,
      Fold[] folds,
      int firstBuffer,
      List<Integer> stores) {
    this.firstBuffer = firstBuffer;
    results = folds.length;
    int kept = kernel.kept();
    Longs extents = Longs.of(Arrays.copyOf(kernel.extents().toArray(), kept));
    var inputs = new ArrayList<Operand>();
    var used = new HashSet<Integer>();
    for (Node node : cut.epilogue.nodes()) {
      if (node instanceof Node.Input in) {
        used.add(in.slot());
      }
    }
    for (Operand operand : kernel.inputs()) {
      if (!used.contains(inputs.size())) {
        // Unused here: at a row's first element, the map of such an operand may lead outside the
        // buffer.
        inputs.add(new Operand.Index(ScalarType.I64, new Affine(0, Longs.filled(kept, 0))));
        continue;
      }
      inputs.add(
          switch (operand) {
            case Operand.Memory m -> truncated(m, kept);
            case Operand.Value v -> v;
            case Operand.Index i -> new Operand.Index(i.type(), truncated(i.map(), kept));
          });
    }
    for (int k = 0; k < folds.length; k++) {
      inputs.add(new Operand.Memory(folds[k].resultType(), firstBuffer + k, rowMajor(extents)));
    }
    var targets = new ArrayList<Operand.Memory>();
    var outputs = new ArrayList<Integer>();
    int perRow = 0;
    for (int s = 0; s < kernel.stores().size(); s++) {
      if (kernel.stores().get(s).perRow()) {
        if (stores.contains(s)) {
          targets.add(truncated(kernel.stores().get(s).target(), kept));
          outputs.add(cut.epilogue.outputs().get(perRow));
        }
        perRow++;
      }
    }
    map =
        new MapLaunch(
            services,
            new Kernel.Map(
                name, extents, new Tape(cut.epilogue.nodes(), outputs), inputs, targets));
  }

  void run(Job job, RowResults from) {
    job.reserve(firstBuffer + results);
    for (int k = 0; k < results; k++) {
      job.buffers[firstBuffer + k] = job.shared + from.shared[k];
    }
    map.execute(job);
  }

  private static Operand.Memory truncated(Operand.Memory m, int kept) {
    return new Operand.Memory(
        m.storage(),
        m.buffer(),
        truncated(m.map(), kept),
        m.gather()
            .map(g ->
                new Operand.Gather(
                    g.storage(), g.buffer(), truncated(g.map(), kept), g.stride(), g.extent())),
        m.bounds().stream().filter(b -> b.dim() < kept).toList());
  }

  private static Affine truncated(Affine map, int kept) {
    return new Affine(map.offset(), Longs.of(Arrays.copyOf(map.strides().toArray(), kept)));
  }

  private static Affine rowMajor(Longs extents) {
    long[] strides = new long[extents.size()];
    long next = 1;
    for (int d = strides.length - 1; d >= 0; d--) {
      strides[d] = next;
      next *= extents.get(d);
    }
    return new Affine(0, Longs.of(strides));
  }
}
