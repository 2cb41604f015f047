package ristretto.kernels.lift;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.scalar.ScalarOps;
import ristretto.kernels.scalar.ScalarType;

/** Compares what kernels of lifted lambdas give on a device with what the lambdas give. */
public final class LambdasOnDevice {
  private LambdasOnDevice() {}

  /** Names of lambdas of all forms. */
  public static Stream<String> names() {
    return Corpus.all().lambdas().keySet().stream();
  }

  /** Names of those with loops. */
  public static Stream<String> loops() {
    return LoopCorpus.corpus().lambdas().keySet().stream();
  }

  /** Throws an {@link AssertionError} for the first result that differs. */
  public static void check(Device device, String name) throws Exception {
    Lambda lambda = Corpus.all().lambdas().get(name);
    LiftedLambda lifted = Lifter.lift(lambda);
    Method method = LambdaCalls.method(lambda);
    List<List<Object>> cases = LambdaCalls.arguments(lifted.parameters());
    List<Object> results = run(device, lifted, lambda, cases);
    double tolerance = LiftingCorpusTest.transcendental(lifted.tape()) ? 1 : 0;
    for (int k = 0; k < cases.size(); k++) {
      Object expected;
      try {
        expected = method.invoke(lambda, cases.get(k).toArray());
      } catch (InvocationTargetException e) {
        assertThat(e.getCause()).isInstanceOf(ArithmeticException.class);
        continue;
      }
      Object actual = results.get(k);
      assertThat(close(expected, actual, tolerance))
          .as(name + cases.get(k) + ": expected " + expected + ", got " + actual)
          .isTrue();
    }
  }

  /** Sums of functions of several ulp each may lose more than that. */
  private static boolean close(Object expected, Object actual, double tolerance) {
    if (expected.equals(actual)) {
      return true;
    }
    if (expected instanceof Float e && actual instanceof Float a) {
      return Math.abs(e - a) <= tolerance * 1e-5 * Math.max(1, Math.abs(e));
    }
    return expected instanceof Double d
        && actual instanceof Double b
        && Math.abs(d - b) <= tolerance * 1e-13 * Math.max(1, Math.abs(d));
  }

  private static List<Object> run(
      Device device, LiftedLambda lifted, Lambda lambda, List<List<Object>> cases) {
    int n = cases.size();
    Affine flat = new Affine(0, Longs.of(1));
    var operands = new ArrayList<Operand>();
    var buffers = new ArrayList<Buffer>();
    for (int k = 0; k < lifted.parameters().size(); k++) {
      ScalarType type = lifted.parameters().get(k);
      operands.add(new Operand.Memory(type, k, flat));
      Buffer buffer = device.allocate((long) n * type.bytes());
      buffers.add(buffer);
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment memory = arena.allocate((long) n * type.bytes(), 8);
        for (int i = 0; i < n; i++) {
          put(memory, type, i, cases.get(i).get(k));
        }
        device.write(buffer, 0, memory);
      }
    }
    for (int k = 0; k < lifted.captured().size(); k++) {
      operands.add(new Operand.Value(lifted.captured().get(k), k));
    }
    ScalarType type = lifted.result();
    var target = new Operand.Memory(type, buffers.size(), flat);
    buffers.add(device.allocate((long) n * type.bytes()));
    var kernel = new Kernel.Map("lifted", Longs.of(n), lifted.tape(), operands, List.of(target));
    device.prepare(kernel).run(buffers.toArray(Buffer[]::new), lifted.capturedBits(lambda));
    var results = new ArrayList<Object>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate((long) n * type.bytes(), 8);
      device.read(buffers.getLast(), 0, memory);
      for (int i = 0; i < n; i++) {
        results.add(get(memory, type, i));
      }
    }
    buffers.forEach(Buffer::close);
    return results;
  }

  private static void put(MemorySegment memory, ScalarType type, int i, Object value) {
    switch (type) {
      case BOOL -> memory.set(ValueLayout.JAVA_BYTE, i, (byte) ScalarOps.bits(value));
      case I32 -> memory.setAtIndex(ValueLayout.JAVA_INT, i, (Integer) value);
      case I64 -> memory.setAtIndex(ValueLayout.JAVA_LONG, i, (Long) value);
      case F32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (Float) value);
      case F64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, (Double) value);
      default -> throw new AssertionError(type);
    }
  }

  private static Object get(MemorySegment memory, ScalarType type, int i) {
    return switch (type) {
      case BOOL -> memory.get(ValueLayout.JAVA_BYTE, i) != 0;
      case I32 -> memory.getAtIndex(ValueLayout.JAVA_INT, i);
      case I64 -> memory.getAtIndex(ValueLayout.JAVA_LONG, i);
      case F32 -> memory.getAtIndex(ValueLayout.JAVA_FLOAT, i);
      case F64 -> memory.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
      default -> throw new AssertionError(type);
    };
  }
}
