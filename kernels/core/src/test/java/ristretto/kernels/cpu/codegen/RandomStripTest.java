package ristretto.kernels.cpu.codegen;

import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.cpu.strip.StripSpec.Access;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Random tapes of exact operations on mixed types: scalar code, vector code and the interpreter
 * agree.
 */
class RandomStripTest {
  private static final List<ScalarType> TYPES = List.of(F32, F32, F32, I32, I32, F64, I64);
  private static final int[] LENGTHS = {1, 7, 8, 15, 16, 17, 31, 33, 61, 127, 1023, 1025, 1100};

  private final List<Op> operations =
      java.util.Arrays.stream(Op.values())
          .filter(op -> StripCompilerTest.exact(op) && op != Op.BITCAST && op != Op.CONVERT)
          .toList();

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void maps(@ForAll long seed) {
    var random = new Random(seed);
    var t = new TapeBuilder();
    var access = new ArrayList<Access>();
    var types = new ArrayList<ScalarType>();
    int narrowest = random.nextInt(3);
    for (int slot = 0; slot < 2 + random.nextInt(5); slot++) {
      // Some tapes have 4-byte types only, others any.
      ScalarType type = TYPES.get(random.nextInt(narrowest == 0 ? 5 : TYPES.size()));
      boolean index = !type.isFloat() && random.nextInt(4) == 0;
      Access plain = random.nextInt(4) == 0 ? Access.SCALAR : Access.UNIT;
      Access read = random.nextInt(4) == 0 ? Access.GATHERED : plain;
      access.add(index ? Access.INDEX : read);
      types.add(type);
    }
    grow(t, random, types, 1 + random.nextInt(random.nextBoolean() ? 20 : 150));
    var outputs = new ArrayList<Integer>();
    for (int k = 0; k < 1 + random.nextInt(3); k++) {
      int row = t.size() - 1 - random.nextInt(Math.min(t.size(), 10));
      outputs.add(t.type(row) == BOOL ? t.convert(row, I32) : row);
    }
    var tape = t.build(outputs.stream().mapToInt(row -> row).toArray());
    int n = LENGTHS[random.nextInt(LENGTHS.length)];
    // Enough rows for several fillings of a table, if they are short.
    int rows = 1 + random.nextInt(n <= 33 ? 200 : 3);
    StripRun.check(StripRun.map(tape, access.toArray(Access[]::new)), rows, n, seed);
  }

  private void grow(TapeBuilder t, Random random, List<ScalarType> inputs, int rows) {
    var known = new ArrayList<Integer>();
    for (int slot = 0; slot < inputs.size(); slot++) {
      known.add(t.input(slot, inputs.get(slot)));
      known.add(t.constant(inputs.get(slot), random.nextInt(7) - 3));
    }
    for (int k = 0; k < rows; k++) {
      int a = known.get(Math.max(0, known.size() - 1 - random.nextInt(12)));
      Op op = operations.get(random.nextInt(operations.size()));
      if (random.nextInt(6) == 0) {
        known.add(t.convert(a, inputs.get(random.nextInt(inputs.size()))));
      } else if (op == Op.SELECT) {
        int c = t.convert(a, BOOL);
        int b = other(t, random, known, t.type(a));
        known.add(t.apply(op, c, a, b));
      } else if (op.accepts(t.type(a))) {
        int b = other(t, random, known, t.type(a));
        known.add(
            switch (op.arity()) {
              case 1 -> t.apply(op, a);
              case 2 -> t.apply(op, a, op == Op.COPYSIGN ? number(t, b) : b);
              default -> t.apply(op, a, b, other(t, random, known, t.type(a)));
            });
      }
    }
  }

  /** Returns 1 for NaN, whose sign after arithmetic differs between kinds of code. */
  private static int number(TapeBuilder t, int row) {
    return t.apply(Op.SELECT, t.apply(Op.EQ, row, row), row, t.constant(t.type(row), 1));
  }

  private static int other(TapeBuilder t, Random random, List<Integer> known, ScalarType type) {
    int row = known.get(random.nextInt(known.size()));
    return t.convert(row, type);
  }

  /** An output may be the memory of an input, also where the input is read by a later segment. */
  @Property(tries = 20, shrinking = ShrinkingMode.OFF)
  void inPlace(@ForAll long seed) {
    var random = new Random(seed);
    var t = new TapeBuilder();
    grow(t, random, List.of(F32, F32, I32), 30 + random.nextInt(100));
    int early = t.apply(Op.ADD, t.input(0, F32), t.input(1, F32));
    int late = t.convert(t.size() - 1 - random.nextInt(3), F32);
    late = t.apply(Op.ADD, late, t.apply(Op.MUL, t.input(0, F32), t.input(1, F32)));
    var spec = StripRun.map(t.build(early, late), Access.UNIT, Access.UNIT, Access.UNIT);
    try (var run = new StripRun(spec, 1, 1 + random.nextInt(1100), seed)) {
      var expected = run.expected();
      run.overwriteInputs();
      StripRun.assertSame("scalar", run.run(StripCompiler.compile(spec, "place", false)), expected);
      if (VectorHardware.PRESENT) {
        StripRun.assertSame(
            "vector", run.run(StripCompiler.compile(spec, "place", true)), expected);
      }
    }
  }
}
