package ristretto.expr.program;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;

/** Elements that a kernel reads and writes. */
public record KernelAccesses(List<Access> reads, List<Access> writes) {
  /**
   * Accessed elements of an argument: {@code offset + sum of strides[d] * i[d]} for i within the
   * extents.
   *
   * @param memory number of the argument
   * @param gathered true if indices read at run time select among the elements
   */
  public record Access(
      int memory, long offset, List<Long> extents, List<Long> strides, boolean gathered) {}

  public static KernelAccesses of(Kernel kernel) {
    var all = new KernelAccesses(new ArrayList<>(), new ArrayList<>());
    all.add(kernel);
    return all;
  }

  public static List<Long> list(long[] values) {
    return Arrays.stream(values).boxed().toList();
  }

  private void add(Kernel kernel) {
    switch (kernel) {
      case Kernel.Map k -> {
        k.inputs().forEach(o -> read(o, k.extents()));
        k.stores().forEach(o -> write(o, k.extents()));
      }
      case Kernel.Row k -> {
        k.inputs().forEach(o -> read(o, k.extents()));
        k.stores().forEach(s -> write(s.target(), k.extents()));
      }
      case Kernel.Scan k -> {
        k.inputs().forEach(o -> read(o, k.extents()));
        write(k.target(), k.extents());
      }
      case Kernel.Recurrence k -> {
        k.reads().forEach(o -> read(o, k.extents()));
        k.targets().forEach(o -> write(o, k.extents()));
      }
      case Kernel.Scatter k -> {
        k.inputs().forEach(o -> read(o, k.extents()));
        read(k.target(), k.extents());
        write(k.target(), k.extents());
      }
      case Kernel.Product k -> {
        read(k.a(), k.space(k.m(), k.k()));
        read(k.right(), k.rightSpace());
        product(k);
      }
      case Kernel.FusedGemm k -> fused(k);
      case Kernel.Sort k -> {
        read(k.input(), k.extents());
        long[] kept = k.extents().toArray();
        kept[kept.length - 1] = k.keep();
        k.values().ifPresent(m -> write(m, Longs.of(kept)));
        k.indices().ifPresent(m -> write(m, Longs.of(kept)));
      }
      case Kernel.Convolution k -> {
        convolution(k, k.image(), k.images());
        convolution(k, k.filter(), k.filters());
        convolution(k, k.result(), k.results());
      }
      case Kernel.Fourier k -> {
        read(k.re(), k.extents());
        k.im().ifPresent(m -> read(m, k.extents()));
        write(k.toRe(), k.results());
        write(k.toIm(), k.results());
      }
    }
  }

  private void convolution(Kernel.Convolution k, Operand.Memory operand, Longs extents) {
    if (operand.equals(k.target())) {
      write(operand, extents);
    } else {
      read(operand, extents);
    }
  }

  private void product(Kernel.Product k) {
    Longs extents = k.space(k.m(), k.n());
    if (k.beta() != 0) {
      read(k.c(), extents);
    }
    write(k.c(), extents);
  }

  private void fused(Kernel.FusedGemm k) {
    Kernel.Product g = k.gemm();
    operand(k.left(), g.a(), g.space(g.m(), g.k()));
    operand(k.right(), g.right(), g.rightSpace());
    if (k.after().isEmpty()) {
      product(g);
      return;
    }
    Longs extents = g.space(g.m(), g.n());
    if (g.beta() != 0) {
      read(g.c(), extents);
    }
    Kernel.Map after = k.after().get();
    after.inputs().stream().filter(o -> !o.equals(g.c())).forEach(o -> read(o, after.extents()));
    after.stores().forEach(o -> write(o, after.extents()));
  }

  private void operand(Optional<Kernel.Map> made, Operand.Memory memory, Longs extents) {
    made.ifPresentOrElse(
        map -> map.inputs().forEach(o -> read(o, map.extents())), () -> read(memory, extents));
  }

  private void read(Operand operand, Longs extents) {
    if (operand instanceof Operand.Memory m) {
      add(m, extents, reads);
      // the index tensor is read over the same extents and bounds
      m.gather()
          .map(g ->
              new Operand.Memory(g.storage(), g.buffer(), g.map(), Optional.empty(), m.bounds()))
          .ifPresent(index -> add(index, extents, reads));
    }
  }

  private void write(Operand.Memory m, Longs extents) {
    add(m, extents, writes);
  }

  /**
   * Adds an access clipped to its bounds; a gathered access covers all elements that an index may
   * select.
   */
  private static void add(Operand.Memory m, Longs extents, List<Access> to) {
    Affine map = m.map();
    long offset = map.offset();
    long[] dims = extents.toArray();
    for (Operand.Bound b : m.bounds()) {
      long from = Math.max(0, b.from());
      offset += from * map.strides().get(b.dim());
      dims[b.dim()] = Math.max(0, Math.min(dims[b.dim()], b.to()) - from);
    }
    long[] strides = map.strides().toArray();
    if (m.gather().isPresent()) {
      dims = Arrays.copyOf(dims, dims.length + 1);
      strides = Arrays.copyOf(strides, dims.length);
      dims[dims.length - 1] = m.gather().get().extent();
      strides[dims.length - 1] = m.gather().get().stride();
    }
    if (Arrays.stream(dims).allMatch(d -> d > 0)) {
      boolean gathered = m.gather().isPresent();
      to.add(new Access(m.buffer(), offset, list(dims), list(strides), gathered));
    }
  }
}
