package ristretto.kernels.cpu;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Random layouts over a space: permuted, sliced with steps, flipped, broadcast, gathered, bounded.
 */
final class RandomOperands {
  private static final long[] LENGTHS = {1, 2, 3, 5, 7, 15, 16, 17, 31, 33, 64, 67, 129};

  final Random random;
  final KernelPair pair;
  final long[] extents;

  RandomOperands(Random random, int maxRank, long points) {
    this.random = random;
    this.pair = new KernelPair(random);
    long[] some = new long[random.nextInt(maxRank + 1)];
    long left = points;
    for (int d = 0; d < some.length; d++) {
      long n = LENGTHS[random.nextInt(LENGTHS.length)];
      some[d] = Math.min(n, left);
      if (random.nextInt(60) == 0) {
        some[d] = 0;
      }
      left = Math.max(1, left / Math.max(1, some[d]));
    }
    for (int d = some.length - 1; d > 0; d--) {
      int k = random.nextInt(d + 1);
      long t = some[d];
      some[d] = some[k];
      some[k] = t;
    }
    extents = some;
  }

  /**
   * @param varies by dimension: false for zero strides
   */
  Operand.Memory memory(ScalarType type, boolean[] varies, boolean plain) {
    int rank = extents.length;
    long[] strides = new long[rank];
    long next = random.nextInt(6) == 0 && !plain ? 2 : 1;
    long offset = random.nextInt(3);
    long high = offset;
    for (int d : order(rank)) {
      if (!varies[d]) {
        continue;
      }
      boolean backward = random.nextInt(5) == 0;
      strides[d] = backward ? -next : next;
      long reach = next * Math.max(0, extents[d] - 1);
      if (backward) {
        offset += reach;
      }
      high += reach;
      next *= Math.max(1, extents[d]) * (random.nextInt(6) == 0 ? 2 : 1);
      if (random.nextInt(8) == 0) {
        next += 3;
      }
    }
    Optional<Operand.Gather> gather = Optional.empty();
    if (!plain && random.nextInt(5) == 0) {
      int extent = 1 + random.nextInt(6);
      ScalarType width = random.nextBoolean() ? ScalarType.I32 : ScalarType.I64;
      boolean[] along = new boolean[rank];
      for (int d = 0; d < rank; d++) {
        along[d] = random.nextBoolean();
      }
      long[] steps = new long[rank];
      long n = 1;
      for (int d : order(rank)) {
        if (along[d]) {
          steps[d] = n;
          n *= Math.max(1, extents[d]);
        }
      }
      int buffer = pair.indices(width, n, extent);
      long stride = 1 + random.nextInt(9);
      high += stride * (extent - 1);
      gather =
          Optional.of(
              new Operand.Gather(width, buffer, new Affine(0, Longs.of(steps)), stride, extent));
    }
    var bounds = new ArrayList<Operand.Bound>();
    if (!plain && rank > 0 && random.nextInt(5) == 0) {
      int d = random.nextInt(rank);
      long from = random.nextInt((int) extents[d] + 1);
      long to = from + random.nextInt((int) extents[d] + 2);
      bounds.add(new Operand.Bound(d, from, to));
    }
    int buffer = pair.argument(type, high + 1);
    return new Operand.Memory(type, buffer, new Affine(offset, Longs.of(strides)), gather, bounds);
  }

  boolean[] some() {
    boolean[] varies = new boolean[extents.length];
    int keep = random.nextInt(3);
    for (int d = 0; d < varies.length; d++) {
      varies[d] = keep > 0 || random.nextBoolean();
    }
    return varies;
  }

  boolean[] all() {
    boolean[] varies = new boolean[extents.length];
    java.util.Arrays.fill(varies, true);
    return varies;
  }

  /** Mostly row-major. */
  private List<Integer> order(int rank) {
    var order = new ArrayList<Integer>();
    for (int d = rank - 1; d >= 0; d--) {
      order.add(d);
    }
    if (random.nextInt(3) == 0) {
      java.util.Collections.shuffle(order, random);
    }
    return order;
  }

  ScalarType anyType() {
    return random.nextInt(2) == 0
        ? ScalarType.F32
        : ScalarType.values()[random.nextInt(ScalarType.values().length)];
  }

  /** An input of any kind converted to F32, which keeps small values exact. */
  int input(TapeBuilder tape, List<Operand> inputs) {
    int slot = inputs.size();
    int kind = random.nextInt(8);
    if (kind == 0) {
      inputs.add(new Operand.Value(ScalarType.F32, 0));
    } else if (kind == 1) {
      long[] strides = new long[extents.length];
      for (int d = 0; d < strides.length; d++) {
        strides[d] = random.nextInt(5) - 1;
      }
      ScalarType type = random.nextBoolean() ? ScalarType.I64 : ScalarType.I32;
      inputs.add(new Operand.Index(type, new Affine(random.nextInt(5), Longs.of(strides))));
    } else {
      inputs.add(memory(anyType(), some(), false));
    }
    return tape.convert(tape.input(slot, inputs.get(slot).type()), ScalarType.F32);
  }

  /** A sum of inputs, exact in F32. */
  int body(TapeBuilder tape, List<Operand> inputs, int count) {
    int sum = input(tape, inputs);
    for (int k = 1; k < count; k++) {
      Op op = new Op[] {Op.ADD, Op.SUB, Op.MAX, Op.MIN}[random.nextInt(4)];
      sum = tape.apply(op, sum, input(tape, inputs));
    }
    return sum;
  }
}
