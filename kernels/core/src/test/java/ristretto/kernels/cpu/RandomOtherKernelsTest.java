package ristretto.kernels.cpu;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/** Scans, scatters, sorts and products over random layouts, against the oracle. */
class RandomOtherKernelsTest {
  private static final CpuDevice DEVICE =
      new CpuDevice(new CpuSettings(3, MemoryLimit.none("cpu")));

  private static final long[] SCALARS = {Float.floatToIntBits(2.5f)};

  @AfterAll
  static void close() {
    DEVICE.close();
  }

  @Test
  void scans() {
    for (long seed = 0; seed < 200; seed++) {
      scan(seed);
    }
  }

  @Test
  void scatters() {
    for (long seed = 0; seed < 200; seed++) {
      scatter(seed);
    }
  }

  @Test
  void sorts() {
    for (long seed = 0; seed < 200; seed++) {
      sort(seed);
    }
  }

  @Test
  void products() {
    for (long seed = 0; seed < 200; seed++) {
      gemm(seed);
    }
  }

  /** Sizes that are computed in parts, and some beside them. */
  @Test
  void productsInParts() {
    long[][] sizes = {
      {20, 150, 200}, {90, 80, 80}, {16, 80, 700}, {300, 10, 200}, {6, 300, 300}, {70, 20, 400}
    };
    for (long seed = 0; seed < sizes.length; seed++) {
      long[] size = sizes[(int) seed];
      gemm(new Random(seed), "part" + seed, size[0], size[1], size[2], new long[0]);
    }
  }

  private static RandomOperands atLeastOneDimension(Random random, long points) {
    RandomOperands operands;
    do {
      operands = new RandomOperands(random, 4, points);
    } while (operands.extents.length == 0);
    return operands;
  }

  static void scan(long seed) {
    var random = new Random(seed);
    var operands = atLeastOneDimension(random, 3000);
    var tape = new TapeBuilder();
    var inputs = new ArrayList<Operand>();
    var op = Kernel.Scan.Operator.values()[random.nextInt(4)];
    int value = operands.body(tape, inputs, 1 + random.nextInt(2));
    ScalarType type =
        new ScalarType[] {ScalarType.F32, ScalarType.F64, ScalarType.I32, ScalarType.I64}
            [random.nextInt(4)];
    value = op == Kernel.Scan.Operator.MUL ? tape.apply(Op.SIGN, value) : value;
    var kernel =
        new Kernel.Scan(
            "scan" + seed,
            Longs.of(operands.extents),
            op,
            random.nextBoolean(),
            random.nextBoolean(),
            tape.build(tape.convert(value, type)),
            inputs,
            operands.memory(type, operands.all(), true));
    operands.pair.compare(DEVICE, kernel, 1e-5, SCALARS);
  }

  static void scatter(long seed) {
    var random = new Random(seed);
    var operands = atLeastOneDimension(random, 3000);
    int rank = operands.extents.length;
    int from = random.nextInt(rank);
    int to = from + 1 + random.nextInt(rank - from);
    long[] index = new long[rank];
    long[] place = new long[rank];
    long next = 1;
    for (int d = to - 1; d >= from; d--) {
      index[d] = next;
      next *= operands.extents[d];
    }
    long indices = next;
    next = 1;
    for (int d = rank - 1; d >= to; d--) {
      place[d] = next;
      next *= operands.extents[d];
    }
    int extent = 1 + random.nextInt(10);
    long stride = Math.max(1, next);
    next *= extent;
    for (int d = from - 1; d >= 0; d--) {
      place[d] = next;
      next *= operands.extents[d];
    }
    ScalarType width = random.nextBoolean() ? ScalarType.I32 : ScalarType.I64;
    int indexBuffer = operands.pair.indices(width, indices, extent);
    ScalarType type =
        new ScalarType[] {ScalarType.F32, ScalarType.F64, ScalarType.I32, ScalarType.I64}
            [random.nextInt(4)];
    var gather =
        new Operand.Gather(width, indexBuffer, new Affine(0, Longs.of(index)), stride, extent);
    var target =
        new Operand.Memory(
            type,
            operands.pair.argument(type, Math.max(1, next)),
            new Affine(0, Longs.of(place)),
            Optional.of(gather),
            List.of());
    var tape = new TapeBuilder();
    var inputs = new ArrayList<Operand>();
    int value = tape.convert(operands.body(tape, inputs, 1 + random.nextInt(2)), type);
    var kernel =
        new Kernel.Scatter(
            "scatter" + seed, Longs.of(operands.extents), tape.build(value), inputs, target);
    operands.pair.compare(DEVICE, kernel, 1e-4, SCALARS);
  }

  static void sort(long seed) {
    var random = new Random(seed);
    var operands = atLeastOneDimension(random, 3000);
    int last = operands.extents.length - 1;
    ScalarType type = operands.anyType();
    long keep =
        random.nextBoolean()
            ? operands.extents[last]
            : random.nextInt((int) operands.extents[last] + 1);
    var input = operands.memory(type, operands.all(), true);
    var values = operands.memory(type, operands.all(), true);
    var indices = operands.memory(ScalarType.I64, operands.all(), true);
    var kernel =
        new Kernel.Sort(
            "sort" + seed,
            Longs.of(operands.extents),
            random.nextBoolean(),
            random.nextBoolean() ? 0 : operands.extents[last] - keep,
            keep,
            input,
            random.nextInt(3) == 0 ? Optional.empty() : Optional.of(values),
            random.nextInt(3) == 0 ? Optional.empty() : Optional.of(indices));
    operands.pair.compare(DEVICE, kernel, 0, SCALARS);
  }

  static void gemm(long seed) {
    var random = new Random(seed);
    long[] sizes = {1, 1, 2, 3, 5, 8, 13, 31, 64, 70};
    long m = sizes[random.nextInt(sizes.length)];
    long n = sizes[random.nextInt(sizes.length)];
    long k = random.nextInt(12) == 0 ? 0 : sizes[random.nextInt(sizes.length)];
    long[] batch = new long[random.nextInt(3)];
    for (int d = 0; d < batch.length; d++) {
      batch[d] = random.nextInt(3) + (random.nextInt(8) == 0 ? 0 : 1);
    }
    gemm(random, "gemm" + seed, m, n, k, batch);
  }

  private static void gemm(Random random, String name, long m, long n, long k, long[] batch) {
    var pair = new KernelPair(random);
    ScalarType type = random.nextBoolean() ? ScalarType.F32 : ScalarType.F64;
    var kernel =
        new Kernel.Gemm(
            name,
            type,
            Longs.of(batch),
            m,
            n,
            k,
            matrix(random, pair, type, batch, m, k, false),
            matrix(random, pair, type, batch, k, n, false),
            matrix(random, pair, type, batch, m, n, true),
            random.nextBoolean() ? 1 : 0.5,
            random.nextInt(3) * 0.5);
    pair.compare(DEVICE, kernel, 1e-4, SCALARS);
  }

  private static Operand.Memory matrix(
      Random random,
      KernelPair pair,
      ScalarType type,
      long[] batch,
      long rows,
      long cols,
      boolean result) {
    long[] strides = new long[batch.length + 2];
    long next;
    long offset = 0;
    long pad = random.nextInt(3) == 0 ? 3 : 0;
    if (!result && random.nextBoolean()) {
      strides[batch.length] = 1;
      strides[batch.length + 1] = rows + pad;
      next = (rows + pad) * Math.max(1, cols);
    } else {
      strides[batch.length] = cols + pad;
      strides[batch.length + 1] = 1;
      next = (cols + pad) * Math.max(1, rows);
      if (!result && random.nextInt(8) == 0) {
        strides[batch.length] = 0;
      } else if (random.nextInt(8) == 0) {
        strides[batch.length] = -strides[batch.length];
        offset = (cols + pad) * (rows - 1);
      }
    }
    offset = Math.max(0, offset);
    for (int d = batch.length - 1; d >= 0; d--) {
      boolean broadcast = !result && random.nextInt(4) == 0;
      strides[d] = broadcast ? 0 : next;
      next *= broadcast ? 1 : Math.max(1, batch[d]);
    }
    return new Operand.Memory(
        type, pair.argument(type, next + 1), new Affine(offset, Longs.of(strides)));
  }
}
