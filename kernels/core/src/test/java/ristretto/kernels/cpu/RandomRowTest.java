package ristretto.kernels.cpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/** Row kernels over random layouts, against the oracle. */
class RandomRowTest {
  private static final CpuDevice DEVICE =
      new CpuDevice(new CpuSettings(3, MemoryLimit.none("cpu")));

  @AfterAll
  static void close() {
    DEVICE.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void anyLayoutsAndReductions(int part) {
    for (int seed = 0; seed < 150; seed++) {
      check(1000L * part + seed);
    }
  }

  static void check(long seed) {
    var random = new Random(seed);
    var operands = new RandomOperands(random, 4, random.nextInt(4) == 0 ? 20_000 : 3000);
    int rank = operands.extents.length;
    int kept = random.nextInt(rank + 1);
    boolean empty = false;
    for (int d = kept; d < rank; d++) {
      empty |= operands.extents[d] == 0;
    }
    var tape = new TapeBuilder();
    var inputs = new ArrayList<Operand>();
    int body = operands.body(tape, inputs, 1 + random.nextInt(3));
    int rowOnly = inputs.size();
    boolean[] byRow = operands.all();
    Arrays.fill(byRow, kept, rank, false);
    inputs.add(operands.memory(ScalarType.F32, byRow, true));
    int count = 1 + random.nextInt(3);
    var reductions = new ArrayList<Reduction>();
    var outputs = new ArrayList<Integer>();
    int last = body;
    int mixed = body;
    for (int k = 0; k < count; k++) {
      Reduction.Kind kind = Reduction.Kind.values()[random.nextInt(9)];
      if (empty && (kind == Reduction.Kind.ARGMAX || kind == Reduction.Kind.ARGMIN)) {
        kind = Reduction.Kind.SUM;
      }
      ScalarType type =
          random.nextInt(3) > 0
              ? ScalarType.F32
              : ScalarType.values()[random.nextInt(13)].compute();
      type = kind == Reduction.Kind.ANY || kind == Reduction.Kind.ALL ? ScalarType.BOOL : type;
      if (type == ScalarType.BOOL && kind.ordinal() < Reduction.Kind.ANY.ordinal()) {
        type = ScalarType.I32;
      }
      boolean sum = kind == Reduction.Kind.SUM;
      if (sum && seed % 2 == 0) {
        kind = Reduction.Kind.ROW_SUM;
      }
      int value = last;
      if (kind == Reduction.Kind.PROD) {
        // One factor is not 1 or -1, so that products stay small.
        value = tape.apply(Op.SIGN, value);
      }
      value = tape.convert(value, type);
      outputs.add(value);
      Optional<Tape> combine =
          kind == Reduction.Kind.LAMBDA ? Optional.of(lambda(type, random)) : Optional.empty();
      var reduction = new Reduction(kind, type, k, combine, 0);
      reductions.add(reduction);
      int result = tape.input(inputs.size() + k, reduction.resultType());
      last = tape.apply(Op.SUB, body, tape.convert(result, ScalarType.F32));
      if (type == ScalarType.F32 && sum) {
        // Large: later stages compare small differences of it with the oracle's.
        last = tape.apply(Op.MIN, last, tape.constant(ScalarType.F32, 50));
      }
      mixed = last;
    }
    var stores = new ArrayList<Kernel.Store>();
    for (int k = 0; k < count; k++) {
      int result = tape.input(inputs.size() + k, reductions.get(k).resultType());
      outputs.add(result);
      stores.add(store(operands, outputs, reductions.get(k).resultType(), byRow, true));
    }
    if (random.nextBoolean()) {
      int first =
          tape.convert(tape.input(inputs.size(), reductions.get(0).resultType()), ScalarType.F32);
      outputs.add(tape.apply(Op.MAX, first, tape.input(rowOnly, ScalarType.F32)));
      stores.add(store(operands, outputs, ScalarType.F32, byRow, true));
    }
    if (random.nextBoolean()) {
      ScalarType type = operands.anyType();
      type = type == ScalarType.U8 || type == ScalarType.I8 ? ScalarType.I32 : type;
      outputs.add(tape.convert(mixed, type.compute()));
      stores.add(store(operands, outputs, type, operands.all(), false));
    }
    var kernel =
        new Kernel.Row(
            "seed" + seed,
            Longs.of(operands.extents),
            kept,
            tape.build(outputs.stream().mapToInt(i -> i).toArray()),
            inputs,
            reductions,
            stores);
    operands.pair.compare(DEVICE, kernel, 2e-3, Float.floatToIntBits(2.5f));
  }

  private static Kernel.Store store(
      RandomOperands operands,
      List<Integer> outputs,
      ScalarType type,
      boolean[] varies,
      boolean perRow) {
    return new Kernel.Store(outputs.size() - 1, operands.memory(type, varies, true), perRow);
  }

  /** The last value that is not zero (not commutative), or the sum. */
  private static Tape lambda(ScalarType type, Random random) {
    var t = new TapeBuilder();
    int a = t.input(0, type);
    int b = t.input(1, type);
    if (type != ScalarType.BOOL && random.nextBoolean()) {
      return t.build(t.apply(Op.ADD, a, b));
    }
    return t.build(
        t.apply(
            Op.SELECT, t.apply(Op.NE, b, t.convert(t.constant(ScalarType.I32, 0), type)), b, a));
  }
}
