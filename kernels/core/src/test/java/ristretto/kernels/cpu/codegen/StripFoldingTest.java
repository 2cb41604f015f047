package ristretto.kernels.cpu.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.rows.Fold;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.cpu.strip.AccumulatorFolds;
import ristretto.kernels.cpu.strip.LaneFold;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.cpu.strip.StripSpec.Access;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/** Strips that start and fold their accumulators: scalar and vector code leave the same bits. */
class StripFoldingTest {
  private static final int ROWS = 3;
  private static final int[] LENGTHS = {1, 7, 16, 31, 32, 33, 64, 100, 1023, 1024, 1025, 2100};

  @ParameterizedTest
  @EnumSource(names = {"F32", "F64", "I32", "I64"})
  void scalarAndVectorCodeFoldAlike(ScalarType type) {
    for (var kind :
        List.of(
            Reduction.Kind.SUM,
            Reduction.Kind.ROW_SUM,
            Reduction.Kind.PROD,
            Reduction.Kind.MAX,
            Reduction.Kind.MIN)) {
      for (int n : LENGTHS) {
        for (boolean perCall : new boolean[] {false, true}) {
          for (boolean wide : new boolean[] {false, true}) {
            ScalarType lanes = Fold.accumulated(new Reduction(kind, type, 0));
            var fold = new LaneFold(0, kind, lanes, wide || type.bytes() == 8);
            check(type, kind, n, new AccumulatorFolds(List.of(fold), perCall, false));
            if (kind == Reduction.Kind.MAX || kind == Reduction.Kind.MIN) {
              check(type, kind, n, new AccumulatorFolds(List.of(fold), perCall, true));
            }
          }
        }
      }
    }
  }

  private static void check(ScalarType type, Reduction.Kind kind, int n, AccumulatorFolds folding) {
    var t = new TapeBuilder();
    Op op =
        switch (kind) {
          case SUM, ROW_SUM -> Op.ADD;
          case PROD -> Op.MUL;
          case MAX -> Op.MAX;
          default -> Op.MIN;
        };
    ScalarType lane = folding.folds().getFirst().type();
    int next = t.apply(op, t.input(1, lane), t.convert(t.input(0, type), lane));
    var spec =
        new StripSpec(t.build(next), List.of(Access.UNIT, Access.ACCUMULATE), List.of(1), folding);
    var random = new Random(n);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment x = arena.allocate(8L * ROWS * n, 64);
      double[] values = new double[ROWS * n];
      for (int i = 0; i < values.length; i++) {
        values[i] = kind == Reduction.Kind.PROD ? random.nextInt(2) * 2 - 1 : random.nextInt(99);
        put(type, x, i, values[i]);
      }
      var results = new ArrayList<long[]>();
      for (boolean vector : new boolean[] {false, VectorHardware.PRESENT}) {
        MemorySegment lanes = arena.allocate(256, 64);
        lanes.fill((byte) 0x5A);
        MemorySegment to = arena.allocate(16 * ROWS, 64);
        Strip strip = StripCompiler.compile(spec, "test", vector);
        long[] pointers = {x.address(), lanes.address(), to.address()};
        long[] strides = {(long) n * type.bytes(), 0, 16};
        long scratch = arena.allocate(strip.scratchBytes() + 64L, 64).address();
        strip.run(pointers, strides, ROWS, n, scratch);
        results.add(to.toArray(java.lang.foreign.ValueLayout.JAVA_LONG));
        for (int row = 0; row < (folding.perCall() ? 1 : ROWS); row++) {
          int from = row * n;
          int end = folding.perCall() ? ROWS * n : from + n;
          assertThat(get(type, folding.folds().getFirst().wide(), to, 16 * row))
              .as("%s of %s, row %d of %d, %s", kind, type, row, n, folding)
              .isEqualTo(plain(kind, values, from, end));
        }
      }
      assertThat(results.get(1)).isEqualTo(results.get(0));
    }
  }

  /** All values are small integers: exact in any order. */
  private static double plain(Reduction.Kind kind, double[] values, int from, int to) {
    double result = values[from];
    for (int i = from + 1; i < to; i++) {
      result =
          switch (kind) {
            case SUM, ROW_SUM -> result + values[i];
            case PROD -> result * values[i];
            case MAX -> Math.max(result, values[i]);
            default -> Math.min(result, values[i]);
          };
    }
    return result;
  }

  private static void put(ScalarType type, MemorySegment memory, int i, double value) {
    switch (type) {
      case F32 -> memory.set(RawMemory.F32, 4L * i, (float) value);
      case F64 -> memory.set(RawMemory.F64, 8L * i, value);
      case I32 -> memory.set(RawMemory.I32, 4L * i, (int) value);
      default -> memory.set(RawMemory.I64, 8L * i, (long) value);
    }
  }

  private static double get(ScalarType type, boolean wide, MemorySegment memory, long offset) {
    if (type.isFloat()) {
      return type == ScalarType.F32 && !wide
          ? memory.get(RawMemory.F32, offset)
          : memory.get(RawMemory.F64, offset);
    }
    return type == ScalarType.I32 && !wide
        ? memory.get(RawMemory.I32, offset)
        : memory.get(RawMemory.I64, offset);
  }
}
