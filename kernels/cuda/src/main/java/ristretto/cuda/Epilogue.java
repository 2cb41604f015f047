package ristretto.cuda;

import java.util.Optional;
import java.util.function.IntPredicate;
import ristretto.kernels.driver.BlasMatrix;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Epilogue of a matrix product that cuBLASLt can fuse.
 *
 * @param bias row vector that is added to each row of the product
 * @param target memory of the result
 */
record Epilogue(Function function, Optional<Operand.Memory> bias, Operand.Memory target) {
  /** Activation after the bias. */
  enum Function {
    NONE(0),
    /** max(x, 0). */
    RELU(2),
    /** GELU in its tanh form. NVIDIA does not document the precision. */
    GELU(32);

    final int code;

    Function(int code) {
      this.code = code;
    }
  }

  private static final int DEFAULT = 1;
  private static final int BIAS = 4;

  /** Code of the epilogue in cuBLASLt's numbering. */
  int code() {
    int code = function.code | (bias.isPresent() ? BIAS : 0);
    return code == 0 ? DEFAULT : code;
  }

  /** Returns the epilogue of a fused product; empty if cuBLASLt does not support it. */
  static Optional<Epilogue> of(Kernel.FusedGemm k) {
    return !(k.gemm() instanceof Kernel.Gemm g)
            || k.left().isPresent()
            || k.right().isPresent()
            || k.after().isEmpty()
            || g.type() != ScalarType.F32
            || g.beta() != 0
        ? Optional.empty()
        : new Match(g, k.after().get()).find();
  }

  /** Matches the tape of a product's epilogue against the supported formulas. */
  private static final class Match {
    private final Kernel.Gemm gemm;
    private final Kernel.Map map;
    private final Tape tape;
    private Operand.Memory bias;

    Match(Kernel.Gemm gemm, Kernel.Map map) {
      this.gemm = gemm;
      this.map = map;
      this.tape = map.tape();
    }

    Optional<Epilogue> find() {
      if (map.stores().size() != 1) {
        return Optional.empty();
      }
      Operand.Memory target = map.stores().getFirst();
      if (!isPlain(target)
          || !BlasMatrix.fits(target, gemm.m(), gemm.n())
          || BlasMatrix.of(target, gemm.m(), gemm.n()).transposed()) {
        return Optional.empty();
      }
      int row = tape.outputs().getFirst();
      Function function =
          isSum(row)
              ? Function.NONE
              : is(row, Op.MAX, this::isSum, r -> isConstant(r, 0))
                  ? Function.RELU
                  : isGelu(row) ? Function.GELU : null;
      return function == null || bias != null && bias.buffer() == target.buffer()
          ? Optional.empty()
          : Optional.of(new Epilogue(function, Optional.ofNullable(bias), target));
    }

    private static boolean isPlain(Operand.Memory m) {
      return m.storage() == ScalarType.F32 && m.gather().isEmpty() && m.bounds().isEmpty();
    }

    /** Returns true if the row is the product's element, with or without a bias. */
    private boolean isSum(int row) {
      return isProduct(row) || is(row, Op.ADD, this::isProduct, this::isBias);
    }

    private boolean isProduct(int row) {
      return tape.node(row) instanceof Node.Input in
          && map.inputs().get(in.slot()).equals(gemm.c());
    }

    private boolean isBias(int row) {
      if (!(tape.node(row) instanceof Node.Input in)
          || !(map.inputs().get(in.slot()) instanceof Operand.Memory m)
          || !isPlain(m)) {
        return false;
      }
      Longs strides = m.map().strides();
      long[] extents = map.extents().toArray();
      for (int d = 0; d < extents.length; d++) {
        if (extents[d] > 1 && strides.get(d) != (d == extents.length - 1 ? 1 : 0)) {
          return false;
        }
      }
      bias = m;
      return true;
    }

    /** Returns true if the row is 0.5 a (1 + tanh(sqrt(2 / pi) (a + 0.044715 a^3))). */
    private boolean isGelu(int row) {
      return is(row, Op.MUL, this::isHalf, this::isOnePlusTanh);
    }

    private boolean isHalf(int row) {
      return is(row, Op.MUL, this::isSum, r -> isConstant(r, 0.5));
    }

    private boolean isOnePlusTanh(int row) {
      return is(row, Op.ADD, this::isTanh, r -> isConstant(r, 1));
    }

    private boolean isTanh(int row) {
      return tape.node(row) instanceof Node.Apply a
          && a.op() == Op.TANH
          && is(a.a(), Op.MUL, this::isInner, r -> isConstant(r, Math.sqrt(2 / Math.PI)));
    }

    private boolean isInner(int row) {
      return is(row, Op.ADD, this::isSum, this::isCubic);
    }

    private boolean isCubic(int row) {
      return is(row, Op.MUL, this::isCube, r -> isConstant(r, 0.044715));
    }

    private boolean isCube(int row) {
      return is(row, Op.MUL, r -> is(r, Op.MUL, this::isSum, this::isSum), this::isSum);
    }

    private boolean isConstant(int row, double value) {
      return tape.node(row) instanceof Node.Const c
          && c.equals(Node.Const.of(ScalarType.F32, value));
    }

    /** Returns true if the row applies {@code op} to both operands, in either order. */
    private boolean is(int row, Op op, IntPredicate one, IntPredicate other) {
      return tape.node(row) instanceof Node.Apply a
          && a.op() == op
          && (one.test(a.a()) && other.test(a.b()) || one.test(a.b()) && other.test(a.a()));
    }
  }
}
