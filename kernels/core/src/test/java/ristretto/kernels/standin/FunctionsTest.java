package ristretto.kernels.standin;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.kernels.scalar.ScalarType.I32;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.Function.Block;
import ristretto.kernels.scalar.Function.End;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.TapeBuilder;

/** Functions that no loops of Java would make. */
class FunctionsTest {
  /**
   * Function of (a, b): adds 1 or doubles by turns until 100, beginning in the middle if b is
   * positive.
   */
  private static Function twoEntries() {
    var blocks = new ArrayList<Block>();
    var t = new TapeBuilder();
    int middle = t.apply(Op.GT, t.input(1, I32), t.constant(I32, 0));
    blocks.add(new Block(t.build(middle), List.of(), new End.Branch(0, 2, 1)));
    t = new TapeBuilder();
    int more = t.apply(Op.ADD, t.input(0, I32), t.constant(I32, 1));
    blocks.add(new Block(t.build(more), List.of(0), new End.Jump(2)));
    t = new TapeBuilder();
    int twice = t.apply(Op.MUL, t.input(0, I32), t.constant(I32, 2));
    int enough = t.apply(Op.GE, twice, t.constant(I32, 100));
    blocks.add(new Block(t.build(twice, enough), List.of(0), new End.Branch(1, 3, 1)));
    t = new TapeBuilder();
    blocks.add(new Block(t.build(t.input(0, I32)), List.of(), new End.Return(0)));
    return new Function("turns", List.of(I32, I32), List.of(I32, I32), I32, blocks);
  }

  private static int expected(int a, int b) {
    int value = b > 0 ? a : a + 1;
    value *= 2;
    while (value < 100) {
      value = (value + 1) * 2;
    }
    return value;
  }

  @Test
  void loopsThatAreEnteredAtTwoPlaces() {
    var t = new TapeBuilder();
    int row = t.call(twoEntries(), List.of(t.input(0, I32), t.input(1, I32)));
    Affine flat = new Affine(0, Longs.of(1));
    var kernel =
        new Kernel.Map(
            "turns",
            Longs.of(4),
            t.build(row),
            List.of(new Operand.Memory(I32, 0, flat), new Operand.Memory(I32, 1, flat)),
            List.of(new Operand.Memory(I32, 2, flat)));
    try (var device = new StandInDevice(1)) {
      Buffer[] buffers = {device.allocate(16), device.allocate(16), device.allocate(16)};
      int[][] values = {{3, 3, 70, 1}, {0, 1, 0, 5}};
      for (int b = 0; b < 2; b++) {
        device.write(buffers[b], 0, MemorySegment.ofArray(values[b]));
      }
      Launch launch = device.prepare(kernel);
      launch.run(buffers, new long[0]);
      int[] results = new int[4];
      device.read(buffers[2], 0, MemorySegment.ofArray(results));
      for (int k = 0; k < 4; k++) {
        assertThat(results[k]).isEqualTo(expected(values[0][k], values[1][k]));
      }
    }
  }
}
