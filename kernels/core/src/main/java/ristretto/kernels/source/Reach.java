package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import ristretto.kernels.KernelException;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;

/** Memory accesses of a kernel: required buffer sizes, gathered indices, traffic. */
public final class Reach {
  private final String name;
  private final List<IndexRead> gathers = new ArrayList<>();
  private long[] required = {};
  private long bytes;
  private long elements;

  /**
   * Indices that a launch reads.
   *
   * @param gather index buffer, index map and extent
   * @param from first point, by dimension, of the part of the space where indices are read
   * @param to end of that part, by dimension, exclusive
   * @param scatter true if the indices select where to write
   */
  public record IndexRead(Operand.Gather gather, List<Long> from, List<Long> to, boolean scatter) {}

  private Reach(String name) {
    this.name = name;
  }

  public static Reach of(Kernel kernel) {
    var reach = new Reach(kernel.name());
    long[] space = kernel.space().toArray();
    reach.elements = kernel.space().product();
    switch (kernel) {
      case Kernel.Map k -> {
        k.inputs().forEach(o -> reach.add(o, space, false));
        k.stores().forEach(m -> reach.add(m, space, false));
      }
      case Kernel.Row k -> {
        k.inputs().forEach(o -> reach.add(o, space, false));
        for (Kernel.Store s : k.stores()) {
          long[] extents = space.clone();
          if (s.perRow()) {
            Arrays.fill(extents, k.kept(), extents.length, 1);
          }
          reach.add(s.target(), extents, false);
        }
      }
      case Kernel.Scan k -> {
        k.inputs().forEach(o -> reach.add(o, space, false));
        reach.add(k.target(), space, false);
      }
      case Kernel.Recurrence k -> {
        k.reads().forEach(o -> reach.add(o, space, false));
        k.targets().forEach(m -> reach.add(m, space, false));
      }
      case Kernel.Scatter k -> {
        k.inputs().forEach(o -> reach.add(o, space, false));
        reach.add(k.target(), space, true);
      }
      case Kernel.Product k -> {
        reach.add(k.a(), k.space(k.m(), k.k()).toArray(), false);
        reach.add(k.right(), k.rightSpace().toArray(), false);
        reach.add(k.c(), k.space(k.m(), k.n()).toArray(), false);
      }
      case Kernel.FusedGemm k -> {
        Kernel.Product g = k.gemm();
        reach.operands(g.a(), g.space(g.m(), g.k()), k.left());
        reach.operands(g.right(), g.rightSpace(), k.right());
        reach.operands(g.c(), g.space(g.m(), g.n()), k.after());
        if (g.beta() != 0) {
          reach.operands(g.c(), g.space(g.m(), g.n()), Optional.empty());
        }
      }
      case Kernel.Sort k -> {
        reach.add(k.input(), space, false);
        long[] kept = space.clone();
        kept[kept.length - 1] = k.keep();
        k.values().ifPresent(m -> reach.add(m, kept, false));
        k.indices().ifPresent(m -> reach.add(m, kept, false));
      }
      case Kernel.Convolution k -> {
        reach.add(k.image(), k.images().toArray(), false);
        reach.add(k.filter(), k.filters().toArray(), false);
        reach.add(k.result(), k.results().toArray(), false);
      }
      case Kernel.Fourier k -> {
        reach.add(k.re(), space, false);
        k.im().ifPresent(m -> reach.add(m, space, false));
        reach.add(k.toRe(), k.results().toArray(), false);
        reach.add(k.toIm(), k.results().toArray(), false);
      }
    }
    return reach;
  }

  /**
   * Adds the accesses for one operand of a product: the operand itself, or the operands of its
   * prologue or epilogue.
   */
  private void operands(Operand.Memory operand, Longs space, Optional<Kernel.Map> map) {
    long[] all = space.toArray();
    if (map.isEmpty()) {
      add(operand, all, false);
      return;
    }
    Stream.concat(map.get().inputs().stream(), map.get().stores().stream())
        .filter(o -> !o.equals(operand))
        .forEach(o -> add(o, all, false));
    if (map.get().stores().contains(operand) && map.get().inputs().contains(operand)) {
      add(operand, all, false);
    }
  }

  private void add(Operand operand, long[] extents, boolean scatter) {
    if (!(operand instanceof Operand.Memory m)) {
      return;
    }
    // A buffer is passed, and therefore counted, even if no element is accessed.
    require(m.buffer(), 0);
    m.gather().ifPresent(g -> require(g.buffer(), 0));
    long[] from = new long[extents.length];
    long[] to = extents.clone();
    for (Operand.Bound b : m.bounds()) {
      from[b.dim()] = Math.max(from[b.dim()], b.from());
      to[b.dim()] = Math.min(to[b.dim()], b.to());
    }
    for (int d = 0; d < to.length; d++) {
      if (from[d] >= to[d]) {
        return;
      }
    }
    long low = m.map().offset();
    long high = low;
    if (m.gather().isPresent()) {
      Operand.Gather g = m.gather().get();
      long last = g.stride() * Math.max(0, g.extent() - 1);
      low += Math.min(0, last);
      high += Math.max(0, last);
      gathers.add(new IndexRead(g, list(from), list(to), scatter));
      need(g.buffer(), g.map(), g.map().offset(), g.map().offset(), from, to, g.storage().bytes());
    }
    need(m.buffer(), m.map(), low, high, from, to, m.storage().bytes());
  }

  private static List<Long> list(long[] values) {
    return Arrays.stream(values).boxed().toList();
  }

  private void need(int buffer, Affine map, long low, long high, long[] from, long[] to, int size) {
    long distinct = 1;
    for (int d = 0; d < from.length; d++) {
      long stride = map.strides().get(d);
      low += Math.min(stride * from[d], stride * (to[d] - 1));
      high += Math.max(stride * from[d], stride * (to[d] - 1));
      distinct *= stride == 0 ? 1 : to[d] - from[d];
    }
    if (low < 0) {
      throw new KernelException(
          ("[%s] an index map must stay within its buffer; got element %s of argument %s; this"
                  + " is a bug of Ristretto, please report it")
              .formatted(name, low, buffer));
    }
    require(buffer, (high + 1) * size);
    elements = Math.max(elements, high + 1);
    bytes += distinct * size;
  }

  private void require(int buffer, long size) {
    if (buffer >= required.length) {
      required = Arrays.copyOf(required, buffer + 1);
    }
    required[buffer] = Math.max(required[buffer], size);
  }

  /** Required size in bytes of buffer argument {@code k}. */
  public long required(int k) {
    return required[k];
  }

  /** Number of buffer arguments: the largest argument number plus one. */
  public int buffers() {
    return required.length;
  }

  public List<IndexRead> gathers() {
    return gathers;
  }

  /** Bytes read and written by one launch. */
  public long bytes() {
    return bytes;
  }

  /**
   * Returns true if an element or point index may exceed 32 bits, with room for the last increment
   * of loops by all work items of a launch.
   */
  boolean far() {
    return elements > Integer.MAX_VALUE - (1 << 27);
  }
}
