package ristretto.expr;

import java.util.List;
import java.util.Set;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;

/**
 * Numbers {@code a + b n}, where n is not known: a stand-in of n, so large that a and b can be told
 * from the sum. Says which kernels compute for each n alike.
 */
final class LinearSizes {
  /** A prime number near 2 to the power of 30. */
  static final long STAND_IN = 1_073_741_789;

  /** Of a, so that it can be told from b n. */
  private static final long MOST = 1 << 28;

  /** Of b. */
  private static final long MOST_TIMES = 1L << 32;

  /** Arguments whose memory grows with n. */
  private final Set<Integer> growing;

  private final LinearScalars scalars;

  /**
   * @param growing arguments whose memory may grow with n
   * @param scalars of launches
   */
  LinearSizes(Set<Integer> growing, LinearScalars scalars) {
    this.growing = growing;
    this.scalars = scalars;
  }

  /** How often n is in a number. */
  static long times(long value) {
    return Math.floorDiv(value + STAND_IN / 2, STAND_IN);
  }

  /** The number for an n. */
  static long at(long value, long n) {
    if (Math.abs(value) < STAND_IN / 2) {
      return value;
    }
    long times = times(value);
    return value - times * STAND_IN + times * n;
  }

  /** Whether a number says what a and b are. */
  static boolean isLinear(long value) {
    long times = times(value);
    return Math.abs(times) <= MOST_TIMES && Math.abs(value - times * STAND_IN) <= MOST;
  }

  /** Whether the kernel does the same for each n. */
  boolean holds(Kernel kernel) {
    boolean[] linear = {true};
    new KernelSizes(
            v -> {
              linear[0] &= isLinear(v);
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
      case Kernel.Gemm k -> gemm(k);
      case Kernel.FusedGemm k ->
          gemm(k.gemm())
              && k.left().stream().allMatch(this::knows)
              && k.right().stream().allMatch(this::knows)
              && k.after().stream().allMatch(this::knows);
      case Kernel.Convolution k ->
          k.made() != Kernel.Convolution.Made.FILTERS && constantFrom(k.filters(), 0);
      case Kernel.Scatter k ->
          constant(k.tape()) && all(k.inputs(), k.extents()) && fits(k.target(), k.extents());
      case Kernel.Sort _ -> false;
    };
  }

  private boolean gemm(Kernel.Gemm k) {
    return k.scale().stream().allMatch(v -> fits(v, Longs.EMPTY))
        && fits(k.a(), with(k.batch(), k.m(), k.k()))
        && fits(k.b(), with(k.batch(), k.k(), k.n()))
        && fits(k.c(), with(k.batch(), k.m(), k.n()));
  }

  private static Longs with(Longs batch, long rows, long cols) {
    long[] all = java.util.Arrays.copyOf(batch.toArray(), batch.size() + 2);
    all[all.length - 2] = rows;
    all[all.length - 1] = cols;
    return Longs.of(all);
  }

  private static boolean constantFrom(Longs extents, int from) {
    for (int d = from; d < extents.size(); d++) {
      if (times(extents.get(d)) != 0) {
        return false;
      }
    }
    return true;
  }

  private boolean all(List<? extends Operand> operands, Longs extents) {
    return operands.stream().allMatch(o -> fits(o, extents));
  }

  /** Memory that does not grow is read at places that n is no part of. */
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
    boolean stays = times(map.offset()) == 0;
    for (int d = 0; d < extents.size(); d++) {
      long stride = map.strides().get(d);
      stays &= times(stride) == 0 && (stride == 0 || times(extents.get(d)) == 0);
    }
    return stays;
  }

  /** Whether no number in the code is as large as those that n is part of. */
  private static boolean constant(Tape tape) {
    for (Node node : tape.nodes()) {
      if (node instanceof Node.Const c && isLarge(c.asDouble())) {
        return false;
      }
    }
    return true;
  }

  static boolean isLarge(double value) {
    return Math.abs(value) > MOST && Math.abs(value) < MOST_TIMES * (double) STAND_IN;
  }
}
