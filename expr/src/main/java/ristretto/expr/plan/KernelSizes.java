package ristretto.expr.plan;

import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;

/**
 * Rewriting of the sizes and index maps of kernels.
 *
 * @param size maps extents, bounds and strides
 * @param map maps index maps
 */
public record KernelSizes(LongUnaryOperator size, UnaryOperator<Affine> map) {
  /** Rewriting of all numbers of index maps as sizes. */
  public KernelSizes(LongUnaryOperator size) {
    this(
        size,
        map ->
            new Affine(
                size.applyAsLong(map.offset()),
                of(size, map.strides()),
                size.applyAsLong(map.motion())));
  }

  public Kernel of(Kernel kernel) {
    return switch (kernel) {
      case Kernel.Map k -> map(k);
      case Kernel.Row k ->
          new Kernel.Row(
              k.name(),
              of(k.extents()),
              k.kept(),
              k.tape(),
              operands(k.inputs()),
              k.reductions(),
              stores(k.stores()));
      case Kernel.Scan k ->
          new Kernel.Scan(
              k.name(),
              of(k.extents()),
              k.op(),
              k.reverse(),
              k.exclusive(),
              k.tape(),
              operands(k.inputs()),
              of(k.target()));
      case Kernel.Recurrence k ->
          new Kernel.Recurrence(
              k.name(),
              of(k.steps()),
              of(k.lanes()),
              k.reverse(),
              k.tape(),
              operands(k.inputs()),
              operands(k.initial()),
              memories(k.targets()));
      case Kernel.Scatter k ->
          new Kernel.Scatter(
              k.name(), of(k.extents()), k.op(), k.tape(), operands(k.inputs()), of(k.target()));
      case Kernel.Product k -> product(k);
      case Kernel.FusedGemm k ->
          new Kernel.FusedGemm(
              k.name(),
              product(k.gemm()),
              k.left().map(this::map),
              k.right().map(this::map),
              k.after().map(this::map));
      case Kernel.Sort k ->
          new Kernel.Sort(
              k.name(),
              of(k.extents()),
              k.descending(),
              of(k.from()),
              of(k.keep()),
              of(k.input()),
              k.values().map(this::of),
              k.indices().map(this::of));
      case Kernel.Fourier k ->
          new Kernel.Fourier(
              k.name(),
              k.type(),
              of(k.extents()),
              k.inverse(),
              k.periodic(),
              k.scale(),
              of(k.re()),
              k.im().map(this::of),
              of(k.toRe()),
              of(k.toIm()));
      case Kernel.Convolution k ->
          new Kernel.Convolution(
              k.name(),
              k.type(),
              k.made(),
              k.windows(),
              of(k.images()),
              of(k.filters()),
              of(k.results()),
              of(k.image()),
              of(k.filter()),
              of(k.result()));
    };
  }

  private Kernel.Map map(Kernel.Map k) {
    return new Kernel.Map(
        k.name(), of(k.extents()), k.tape(), operands(k.inputs()), memories(k.stores()));
  }

  private Kernel.Product product(Kernel.Product product) {
    return switch (product) {
      case Kernel.Gemm k -> gemm(k);
      case Kernel.BlockGemm k ->
          new Kernel.BlockGemm(
              k.name(),
              k.format(),
              of(k.m()),
              of(k.n()),
              of(k.k()),
              of(k.a()),
              of(k.blocks()),
              of(k.c()));
    };
  }

  private Kernel.Gemm gemm(Kernel.Gemm k) {
    return new Kernel.Gemm(
        k.name(),
        k.type(),
        of(k.batch()),
        of(k.m()),
        of(k.n()),
        of(k.k()),
        of(k.a()),
        of(k.b()),
        of(k.c()),
        k.alpha(),
        k.scale(),
        k.beta());
  }

  // Loops: for each run of a program there may be thousands of kernels.

  private List<Operand> operands(List<Operand> all) {
    var result = new Operand[all.size()];
    for (int k = 0; k < result.length; k++) {
      result[k] = of(all.get(k));
    }
    return List.of(result);
  }

  private List<Operand.Memory> memories(List<Operand.Memory> all) {
    var result = new Operand.Memory[all.size()];
    for (int k = 0; k < result.length; k++) {
      result[k] = of(all.get(k));
    }
    return List.of(result);
  }

  private List<Kernel.Store> stores(List<Kernel.Store> all) {
    var result = new Kernel.Store[all.size()];
    for (int k = 0; k < result.length; k++) {
      Kernel.Store s = all.get(k);
      result[k] = new Kernel.Store(s.output(), of(s.target()), s.perRow());
    }
    return List.of(result);
  }

  private Operand of(Operand operand) {
    return switch (operand) {
      case Operand.Memory m -> of(m);
      case Operand.Value v -> v;
      case Operand.Index i -> new Operand.Index(i.type(), of(i.map()));
    };
  }

  private Operand.Memory of(Operand.Memory m) {
    return new Operand.Memory(
        m.storage(),
        m.buffer(),
        of(m.map()),
        m.gather()
            .map(g ->
                new Operand.Gather(
                    g.storage(), g.buffer(), of(g.map()), of(g.stride()), of(g.extent()))),
        bounds(m.bounds()));
  }

  private List<Operand.Bound> bounds(List<Operand.Bound> all) {
    if (all.isEmpty()) {
      return all;
    }
    var result = new Operand.Bound[all.size()];
    for (int k = 0; k < result.length; k++) {
      Operand.Bound b = all.get(k);
      result[k] = new Operand.Bound(b.dim(), of(b.from()), of(b.to()));
    }
    return List.of(result);
  }

  private Affine of(Affine from) {
    return map.apply(from);
  }

  private Longs of(Longs all) {
    return of(size, all);
  }

  private static Longs of(LongUnaryOperator size, Longs all) {
    return all.map(size);
  }

  private long of(long value) {
    return size.applyAsLong(value);
  }
}
