package ristretto.kernels.cpu;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/** Map kernels over random layouts, against the oracle. */
class RandomMapTest {
  private static final CpuDevice DEVICE =
      new CpuDevice(new CpuSettings(3, MemoryLimit.none("cpu")));

  @AfterAll
  static void close() {
    DEVICE.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void anyLayoutsAndTypes(int part) {
    for (int seed = 0; seed < 150; seed++) {
      check(1000L * part + seed);
    }
  }

  @Test
  void onePoint() {
    var pair = new KernelPair(new Random(1));
    var t = new TapeBuilder();
    int x = t.input(0, ScalarType.F32);
    var from = new Operand.Memory(ScalarType.F32, pair.argument(ScalarType.F32, 1), affine());
    var to = new Operand.Memory(ScalarType.F32, pair.argument(ScalarType.F32, 1), affine());
    pair.compare(
        DEVICE,
        new Kernel.Map(
            "one", Longs.EMPTY, t.build(t.apply(Op.ADD, x, x)), List.of(from), List.of(to)),
        0);
  }

  private static ristretto.kernels.ir.Affine affine() {
    return new ristretto.kernels.ir.Affine(0, Longs.EMPTY);
  }

  static void check(long seed) {
    var random = new Random(seed);
    var operands = new RandomOperands(random, 4, 3000);
    var tape = new TapeBuilder();
    var inputs = new ArrayList<Operand>();
    var stores = new ArrayList<Operand.Memory>();
    int[] outputs = new int[1 + random.nextInt(2)];
    for (int k = 0; k < outputs.length; k++) {
      int value = operands.body(tape, inputs, 1 + random.nextInt(3));
      ScalarType type = operands.anyType();
      value = type == ScalarType.U8 ? tape.apply(Op.ABS, value) : value;
      outputs[k] = tape.convert(value, type.compute());
      stores.add(operands.memory(type, operands.all(), true));
    }
    var kernel =
        new Kernel.Map(
            "seed" + seed, Longs.of(operands.extents), tape.build(outputs), inputs, stores);
    operands.pair.compare(DEVICE, kernel, 0, Float.floatToIntBits(2.5f));
  }
}
