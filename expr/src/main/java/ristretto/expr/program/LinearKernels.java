package ristretto.expr.program;

import java.util.List;
import java.util.Set;
import ristretto.expr.index.Size;
import ristretto.expr.plan.KernelSizes;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;

/**
 * Check that a kernel depends on the unknown number n of its sizes ({@link Size}) by sizes only.
 */
public final class LinearKernels {
  /** Arguments whose memory grows with n. */
  private final Set<Integer> growing;

  private final LinearScalars scalars;

  /**
   * Creates the check of a plan's kernels.
   *
   * @param growing arguments whose memory may grow with n
   * @param scalars launch scalars
   */
  public LinearKernels(Set<Integer> growing, LinearScalars scalars) {
    this.growing = growing;
    this.scalars = scalars;
  }

  /** Returns true if the kernel of each n differs from this one by its sizes only. */
  public boolean holds(Kernel kernel) {
    boolean[] linear = {true};
    new KernelSizes(
            v -> {
              linear[0] &= Size.isValid(v);
              return v;
            })
        .of(kernel);
    return linear[0] && knows(kernel);
  }

  private boolean knows(Kernel kernel) {
    return switch (kernel) {
      case Kernel.Map k ->
          constant(k.tape()) && all(k.inputs(), k.extents()) && all(k.stores(), k.extents());
      case Kernel.Row k ->
          constant(k.tape())
              && all(k.inputs(), k.extents())
              && k.stores().stream().allMatch(s -> fits(s.target(), k.extents()));
      case Kernel.Scan k ->
          constant(k.tape())
              && constantFrom(k.extents(), k.extents().size() - 1)
              && all(k.inputs(), k.extents())
              && fits(k.target(), k.extents());
      case Kernel.Product k -> product(k);
      case Kernel.FusedGemm k ->
          product(k.gemm())
              && k.left().stream().allMatch(this::knows)
              && k.right().stream().allMatch(this::knows)
              && k.after().stream().allMatch(this::knows);
      case Kernel.Convolution k ->
          k.made() != Kernel.Convolution.Made.FILTERS && constantFrom(k.filters(), 0);
      case Kernel.Scatter k ->
          constant(k.tape()) && all(k.inputs(), k.extents()) && fits(k.target(), k.extents());
      case Kernel.Sort _, Kernel.Fourier _, Kernel.Recurrence _ -> false;
    };
  }

  private boolean product(Kernel.Product product) {
    boolean right =
        switch (product) {
          case Kernel.Gemm k ->
              k.scale().stream().allMatch(v -> fits(v, Longs.EMPTY)) && fits(k.b(), k.rightSpace());
          case Kernel.BlockGemm k -> stays(k.blocks().map(), k.rightSpace());
        };
    return right
        && fits(product.a(), product.space(product.m(), product.k()))
        && fits(product.c(), product.space(product.m(), product.n()));
  }

  private static boolean constantFrom(Longs extents, int from) {
    for (int d = from; d < extents.size(); d++) {
      if (!Size.isKnown(extents.get(d))) {
        return false;
      }
    }
    return true;
  }

  private boolean all(List<? extends Operand> operands, Longs extents) {
    return operands.stream().allMatch(o -> fits(o, extents));
  }

  /** Returns true if memory whose size does not depend on n is accessed at constant places. */
  private boolean fits(Operand operand, Longs extents) {
    if (operand instanceof Operand.Value v) {
      return scalars.knows(v);
    }
    return !(operand instanceof Operand.Memory m)
        || (growing.contains(m.buffer()) || stays(m.map(), extents))
            && m.gather()
                .map(g -> growing.contains(g.buffer()) || stays(g.map(), extents))
                .orElse(true);
  }

  private static boolean stays(Affine map, Longs extents) {
    boolean stays = Size.isKnown(map.offset());
    for (int d = 0; d < extents.size(); d++) {
      long stride = map.strides().get(d);
      stays &= Size.isKnown(stride) && (stride == 0 || Size.isKnown(extents.get(d)));
    }
    return stays;
  }

  /** Returns true if no constant of the code may depend on n. */
  private static boolean constant(Tape tape) {
    for (Node node : tape.nodes()) {
      if (node instanceof Node.Const c && Size.isLarge(c.asDouble())) {
        return false;
      }
    }
    return true;
  }
}
