package ristretto.kernels.scalar;

import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

/**
 * Rewrites {@link Node.Random} rows to integer arithmetic, so that every device draws the same
 * bits: Philox4x32-10 (Salmon et al., 2011) with the counter (low, high, stream, 0) and the key
 * (seed low, seed high). Element k of a random expression has counter k. The stream separates
 * distributions: 0 for uniform numbers and bits, 1 for normal numbers, 2 for random integers. F32
 * takes word 0, 64-bit types words 0 (high) and 1 (low), the normal distribution of F32 words 0 and
 * 1, of F64 all four. Users rely on the generated numbers: the algorithm must not change.
 *
 * <p>Has no preconditions; guarantees that no Random row remains; runs before code generation.
 */
public final class ExpandRandom {
  private static final int ROUNDS = 10;

  private ExpandRandom() {}

  public static Tape apply(Tape tape) {
    if (tape.nodes().stream().noneMatch(n -> n instanceof Node.Random)) {
      return tape;
    }
    var out = new TapeBuilder();
    int[] map = new int[tape.size()];
    for (int row = 0; row < map.length; row++) {
      map[row] =
          switch (tape.node(row)) {
            case Node.Random n -> draw(out, n, map[n.seed()], map[n.counter()]);
            case Node n -> out.intern(TapeBuilder.renumber(n, map));
          };
    }
    return out.build(tape.outputs().stream().mapToInt(row -> map[row]).toArray());
  }

  private static int draw(TapeBuilder t, Node.Random n, int seed, int counter) {
    int[] w = philox(t, seed, counter, stream(n.distribution()));
    return switch (n.distribution()) {
      case BITS -> n.type() == I32 ? w[0] : join(t, w[0], w[1]);
      case UNIFORM, FRACTION -> n.type() == F32 ? unitF32(t, w[0], 0) : unitF64(t, w[0], w[1], 0);
      case NORMAL -> {
        // u is in (0, 1], so that its logarithm is finite.
        int u = n.type() == F32 ? unitF32(t, w[0], 1) : unitF64(t, w[0], w[1], 1);
        int v = n.type() == F32 ? unitF32(t, w[1], 0) : unitF64(t, w[2], w[3], 0);
        int radius =
            t.apply(Op.SQRT, t.apply(Op.MUL, t.apply(Op.LOG, u), t.constant(n.type(), -2)));
        yield t.apply(
            Op.MUL, radius, t.apply(Op.COS, t.apply(Op.MUL, v, t.constant(n.type(), 2 * Math.PI))));
      }
    };
  }

  private static int stream(Node.Distribution distribution) {
    return switch (distribution) {
      case UNIFORM, BITS -> 0;
      case NORMAL -> 1;
      case FRACTION -> 2;
    };
  }

  /** Returns the top 24 bits of {@code word} plus {@code offset}, times 2^-24. */
  private static int unitF32(TapeBuilder t, int word, int offset) {
    int top = t.apply(Op.ADD, t.apply(Op.USHR, word, t.constant(I32, 8)), t.constant(I32, offset));
    return t.apply(Op.MUL, t.convert(top, F32), t.constant(F32, 0x1p-24));
  }

  private static int unitF64(TapeBuilder t, int high, int low, int offset) {
    int top = t.apply(Op.USHR, join(t, high, low), t.constant(I64, 11));
    top = t.apply(Op.ADD, top, t.constant(I64, offset));
    return t.apply(Op.MUL, t.convert(top, F64), t.constant(F64, 0x1p-53));
  }

  private static int join(TapeBuilder t, int high, int low) {
    int up = t.apply(Op.SHL, t.convert(high, I64), t.constant(I64, 32));
    return t.apply(
        Op.OR, up, t.apply(Op.AND, t.convert(low, I64), t.constantBits(I64, 0xFFFFFFFFL)));
  }

  private static int[] philox(TapeBuilder t, int seed, int counter, int stream) {
    int[] c = {low(t, counter), high(t, counter), t.constant(I32, stream), t.constant(I32, 0)};
    int[] key = {low(t, seed), high(t, seed)};
    int m0 = t.constant(I32, 0xD2511F53);
    int m1 = t.constant(I32, 0xCD9E8D57);
    for (int round = 0; round < ROUNDS; round++) {
      int hi0 = t.apply(Op.MULHI, c[0], m0);
      int lo0 = t.apply(Op.MUL, c[0], m0);
      int hi1 = t.apply(Op.MULHI, c[2], m1);
      int lo1 = t.apply(Op.MUL, c[2], m1);
      c =
          new int[] {
            t.apply(Op.XOR, t.apply(Op.XOR, hi1, c[1]), key[0]), lo1,
            t.apply(Op.XOR, t.apply(Op.XOR, hi0, c[3]), key[1]), lo0
          };
      key[0] = t.apply(Op.ADD, key[0], t.constant(I32, 0x9E3779B9));
      key[1] = t.apply(Op.ADD, key[1], t.constant(I32, 0xBB67AE85));
    }
    return c;
  }

  private static int low(TapeBuilder t, int row) {
    // An I64 that is a converted I32 needs no 64-bit lanes.
    if (t.node(row) instanceof Node.Apply n && n.op() == Op.CONVERT && t.type(n.a()) == I32) {
      return n.a();
    }
    return t.convert(row, I32);
  }

  private static int high(TapeBuilder t, int row) {
    if (t.node(row) instanceof Node.Apply n && n.op() == Op.CONVERT && t.type(n.a()) == I32) {
      return t.apply(Op.SHR, n.a(), t.constant(I32, 31));
    }
    return t.convert(t.apply(Op.SHR, row, t.constant(I64, 32)), I32);
  }
}
