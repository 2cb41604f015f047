package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/** Renders sorts of rows with {@link SortPasses}. */
final class SortSource {
  private SortSource() {}

  static void render(Build build, Kernel.Sort k) {
    long[] extents = k.extents().toArray();
    var operands = new ArrayList<Operand>();
    operands.add(k.input());
    k.values().ifPresent(operands::add);
    k.indices().ifPresent(operands::add);
    BitSet alone = Space.bounded(extents, List.of(k.input()));
    alone.set(extents.length - 1);
    Space space = Space.of(extents, Space.maps(operands), alone, -1);
    long[] kept = Arrays.copyOf(space.extents, space.extents.length - 1);
    long rows = Build.product(kept);
    if (rows * k.keep() == 0) {
      return;
    }
    // BOOL keys are sorted as the integers 0 and 1.
    boolean flags = k.input().type() == ScalarType.BOOL;
    ScalarType type = flags ? ScalarType.I32 : k.input().type();
    var passes = new SortPasses(build, type, k.descending(), rows, space.extents[kept.length]);
    passes.render((entry, p) -> {
      String key = reader(entry, space, extents, kept, p).input(k.input());
      return flags ? "(" + key + " ? 1 : 0)" : key;
    });
    Entry entry = build.entry("ristretto_sort_results");
    long[] results = {rows, k.keep()};
    List<String> p = build.points(entry, results, "p");
    Reader reader = reader(entry, space, extents, kept, p);
    String at =
        p.get(0)
            + " * "
            + entry.constant(space.extents[kept.length])
            + " + "
            + p.get(1)
            + (k.from() == 0 ? "" : " + " + entry.constant(k.from()));
    k.values()
        .ifPresent(m -> {
          String key = passes.sortedKeys(entry) + "[" + at + "]";
          entry.body.line(reader.store(m, flags ? "(" + key + " != 0)" : key));
        });
    k.indices()
        .ifPresent(
            m -> entry.body.line(reader.store(m, passes.sortedPositions(entry) + "[" + at + "]")));
    entry.body.close();
    build.launchPoints(entry, results);
  }

  private static Reader reader(
      Entry entry, Space space, long[] extents, long[] kept, List<String> p) {
    var variables = new ArrayList<>(Reader.unravel(entry, entry.body, "i", p.get(0), kept));
    variables.add(p.get(1));
    return new Reader(entry, space, extents, variables);
  }
}
