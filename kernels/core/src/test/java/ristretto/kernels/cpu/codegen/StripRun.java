package ristretto.kernels.cpu.codegen;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.cpu.strip.GatheredLines;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.cpu.strip.StripSpec.Access;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeInterpreter;

/**
 * Memory for one strip and what it should hold afterwards: runs scalar or vector code over random
 * operands, and the tape interpreter element by element over the same.
 */
final class StripRun implements AutoCloseable {
  /** Bytes of 0x5A around every operand, checked after each run. */
  private static final int GUARD = 64;

  private static final long[] SPECIAL_BITS = {
    0,
    1,
    -1,
    2,
    3,
    7,
    31,
    33,
    64,
    Integer.MIN_VALUE,
    Integer.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MAX_VALUE,
    1L << 32
  };

  private static final double[] SPECIAL = {
    0.0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Float.MIN_VALUE,
    Float.MAX_VALUE,
    -Float.MAX_VALUE,
    Float.MIN_NORMAL,
    1e30,
    -1e30,
    2147483648.0,
    -2147483649.0,
    9.3e18,
    -9.3e18,
    0x1p23,
    0x1p24 + 2,
    8388607.5,
    Math.PI,
    1e-20
  };

  final StripSpec spec;
  final int rows;
  final int n;
  private final Arena arena = Arena.ofConfined();
  private final List<MemorySegment> operands = new ArrayList<>();
  private final List<MemorySegment> guarded = new ArrayList<>();
  private final long[] pointers;
  private final long[] strides;

  StripRun(StripSpec spec, int rows, int n, long seed) {
    this.spec = spec;
    this.rows = rows;
    this.n = n;
    var random = new Random(seed);
    int inputs = spec.inputs().size();
    pointers = new long[inputs + spec.stores().size()];
    strides = new long[pointers.length];
    for (int k = 0; k < pointers.length; k++) {
      ScalarType type = k < inputs ? used(k) : spec.tape().outputType(k - inputs);
      Access access = k < inputs ? spec.inputs().get(k) : Access.UNIT;
      int gap = random.nextInt(3);
      long elements =
          switch (access) {
            case UNIT, GATHERED -> (long) rows * (n + gap);
            case SCALAR -> 1 + rows;
            case INDEX -> 3;
            case ACCUMULATE -> spec.lanes();
          };
      int bytes = access == Access.INDEX ? 8 : type.bytes();
      MemorySegment all = arena.allocate(elements * bytes + 2 * GUARD, 64);
      all.fill((byte) 0x5A);
      guarded.add(all);
      MemorySegment operand = all.asSlice(GUARD, elements * bytes);
      operands.add(operand);
      pointers[k] = operand.address();
      strides[k] =
          switch (access) {
            case UNIT -> (long) (n + gap) * bytes;
            case GATHERED -> 0;
            case SCALAR -> random.nextBoolean() ? bytes : 0;
            case INDEX, ACCUMULATE -> 0;
          };
      if (access == Access.GATHERED) {
        pointers[k] = gathered(operand.address(), (long) (n + gap) * bytes, random);
      }
      for (long i = 0; i < elements; i++) {
        if (access == Access.INDEX) {
          operand.set(RawMemory.I64, 8 * i, random.nextInt(2000) - 1000);
        } else {
          put(type, operand, i, random(type, random));
        }
      }
    }
  }

  /** Returns the form of lines that random indices choose, half of them counted from the end. */
  private long gathered(long base, long distance, Random random) {
    boolean wide = random.nextBoolean();
    int size = wide ? 8 : 4;
    long step = random.nextBoolean() ? size : 3L * size;
    MemorySegment indices = arena.allocate(Math.max(1, rows * step), 64);
    for (int r = 0; r < rows; r++) {
      int i = random.nextInt(2 * rows) - rows;
      if (wide) {
        indices.set(RawMemory.I64, r * step, i);
      } else {
        indices.set(RawMemory.I32, r * step, i);
      }
    }
    long cell = arena.allocate(GatheredLines.BYTES, 8).address();
    GatheredLines.set(cell, base, rows, distance, indices.address(), step, size);
    return cell;
  }

  private ScalarType used(int slot) {
    return spec.tape().nodes().stream()
            .anyMatch(
                node -> node instanceof ristretto.kernels.scalar.Node.Input in && in.slot() == slot)
        ? spec.inputType(slot)
        : ScalarType.F32;
  }

  static Object random(ScalarType type, Random random) {
    return switch (type) {
      case F32 ->
          switch (random.nextInt(8)) {
            case 0 -> (float) SPECIAL[random.nextInt(SPECIAL.length)];
            case 1 -> Float.intBitsToFloat(random.nextInt());
            case 2 -> (float) random.nextInt(20);
            default -> (float) random.nextGaussian();
          };
      case F64 ->
          switch (random.nextInt(8)) {
            case 0 -> SPECIAL[random.nextInt(SPECIAL.length)];
            case 1 -> Double.longBitsToDouble(random.nextLong());
            case 2 -> (double) random.nextInt(20);
            default -> random.nextGaussian();
          };
      case I32 ->
          switch (random.nextInt(3)) {
            case 0 -> (int) SPECIAL_BITS[random.nextInt(SPECIAL_BITS.length)];
            case 1 -> random.nextInt();
            default -> random.nextInt(40) - 20;
          };
      case I64 ->
          switch (random.nextInt(3)) {
            case 0 -> SPECIAL_BITS[random.nextInt(SPECIAL_BITS.length)];
            case 1 -> random.nextLong();
            default -> (long) random.nextInt(40) - 20;
          };
      default -> throw new AssertionError(type);
    };
  }

  private static void put(ScalarType type, MemorySegment memory, long i, Object value) {
    switch (type) {
      case F32 -> memory.set(RawMemory.F32, 4 * i, (Float) value);
      case F64 -> memory.set(RawMemory.F64, 8 * i, (Double) value);
      case I32 -> memory.set(RawMemory.I32, 4 * i, (Integer) value);
      case I64 -> memory.set(RawMemory.I64, 8 * i, (Long) value);
      default -> throw new AssertionError(type);
    }
  }

  private static Object get(ScalarType type, MemorySegment memory, long offset) {
    return switch (type) {
      case F32 -> memory.get(RawMemory.F32, offset);
      case F64 -> memory.get(RawMemory.F64, offset);
      case I32 -> memory.get(RawMemory.I32, offset);
      case I64 -> memory.get(RawMemory.I64, offset);
      default -> throw new AssertionError(type);
    };
  }

  /** Values of outputs by k, then row-major element; for accumulators their lanes. */
  List<List<Object>> run(Strip strip) {
    var before =
        operands.stream().map(s -> s.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)).toList();
    MemorySegment scratch = arena.allocate(strip.scratchBytes() + 64L, 64);
    strip.run(pointers, strides, rows, n, scratch.address());
    var result = collect();
    for (MemorySegment all : guarded) {
      for (long i = 0; i < GUARD; i++) {
        if (all.get(java.lang.foreign.ValueLayout.JAVA_BYTE, i) != 0x5A
            || all.get(java.lang.foreign.ValueLayout.JAVA_BYTE, all.byteSize() - 1 - i) != 0x5A) {
          throw new AssertionError(
              "memory next to operand " + guarded.indexOf(all) + " was written");
        }
      }
    }
    for (int k = 0; k < before.size(); k++) {
      operands.get(k).copyFrom(MemorySegment.ofArray(before.get(k)));
    }
    return result;
  }

  private List<List<Object>> collect() {
    var result = new ArrayList<List<Object>>();
    for (int k = 0; k < spec.stores().size(); k++) {
      ScalarType type = spec.tape().outputType(k);
      int slot = spec.stores().get(k);
      var values = new ArrayList<Object>();
      if (slot == StripSpec.STORE) {
        int pointer = spec.inputs().size() + k;
        for (int row = 0; row < rows; row++) {
          for (int j = 0; j < n; j++) {
            values.add(
                get(type, operands.get(pointer), row * strides[pointer] + (long) j * type.bytes()));
          }
        }
      } else {
        for (int lane = 0; lane < spec.lanes(); lane++) {
          values.add(get(type, operands.get(slot), (long) lane * type.bytes()));
        }
      }
      result.add(values);
    }
    return result;
  }

  /**
   * Lets output k be stored into input k, whose type it has; outputs of {@link #expected} stay
   * apart.
   */
  void overwriteInputs() {
    for (int k = 0; k < spec.stores().size(); k++) {
      int pointer = spec.inputs().size() + k;
      pointers[pointer] = pointers[k];
      strides[pointer] = strides[k];
      operands.set(pointer, operands.get(k));
    }
  }

  /** Results of the tape interpreter for the operands. */
  List<List<Object>> expected() {
    var interpreter = new TapeInterpreter(spec.tape(), TapeInterpreter.Arithmetic.TYPED);
    var before =
        operands.stream().map(s -> s.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)).toList();
    for (int row = 0; row < rows; row++) {
      for (int j = 0; j < n; j++) {
        int r = row;
        int i = j;
        Object[] values = interpreter.outputs(slot -> input(slot, r, i));
        for (int k = 0; k < values.length; k++) {
          ScalarType type = spec.tape().outputType(k);
          int slot = spec.stores().get(k);
          if (slot == StripSpec.STORE) {
            int pointer = spec.inputs().size() + k;
            put(type, operands.get(pointer).asSlice(row * strides[pointer]), j, values[k]);
          } else {
            put(type, operands.get(slot), j % spec.lanes(), values[k]);
          }
        }
      }
    }
    var result = collect();
    for (int k = 0; k < before.size(); k++) {
      operands.get(k).copyFrom(MemorySegment.ofArray(before.get(k)));
    }
    return result;
  }

  private Object input(int slot, int row, int j) {
    ScalarType type = spec.inputType(slot);
    MemorySegment operand = operands.get(slot);
    return switch (spec.inputs().get(slot)) {
      case UNIT -> get(type, operand, row * strides[slot] + (long) j * type.bytes());
      case GATHERED -> {
        long line = GatheredLines.address(pointers, strides, slot, row) - operand.address();
        yield get(type, operand, line + (long) j * type.bytes());
      }
      case SCALAR -> get(type, operand, row * strides[slot]);
      case ACCUMULATE -> get(type, operand, (long) (j % spec.lanes()) * type.bytes());
      case INDEX -> {
        long value =
            operand.get(RawMemory.I64, 0)
                + row * operand.get(RawMemory.I64, 16)
                + j * operand.get(RawMemory.I64, 8);
        yield type == ScalarType.I32 ? (Object) (int) value : (Object) value;
      }
    };
  }

  /** Compares bits; every NaN equals every other. */
  static void assertSame(String what, List<List<Object>> actual, List<List<Object>> expected) {
    for (int k = 0; k < expected.size(); k++) {
      for (int i = 0; i < expected.get(k).size(); i++) {
        if (!actual.get(k).get(i).equals(expected.get(k).get(i))) {
          throw new AssertionError(
              what
                  + ": output "
                  + k
                  + " at "
                  + i
                  + " is "
                  + actual.get(k).get(i)
                  + ", not "
                  + expected.get(k).get(i));
        }
      }
    }
  }

  /** Scalar code, vector code and the interpreter agree. */
  static void check(StripSpec spec, int rows, int n, long seed) {
    try (var run = new StripRun(spec, rows, n, seed)) {
      String what = rows + "x" + n + ", seed " + seed + ", " + spec;
      var expected = run.expected();
      assertSame("scalar " + what, run.run(StripCompiler.compile(spec, "test", false)), expected);
      if (VectorHardware.PRESENT) {
        assertSame("vector " + what, run.run(StripCompiler.compile(spec, "test", true)), expected);
      }
    }
  }

  static StripSpec map(ristretto.kernels.scalar.Tape tape, Access... inputs) {
    Integer[] stores = new Integer[tape.outputs().size()];
    Arrays.fill(stores, StripSpec.STORE);
    return new StripSpec(tape, List.of(inputs), List.of(stores));
  }

  @Override
  public void close() {
    arena.close();
  }
}
