package ristretto.kernels.cpu.launch;

import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/** Rough execution times, for the choices of parallelism and of recomputing or keeping values. */
public final class Cost {
  /** Nanoseconds below which a second thread gains less than its wake-up costs. */
  public static final double PARALLEL_NANOS = 9_000;

  private static final double SIMPLE = 0.03;
  private static final double DIVISION = 0.12;
  private static final double TRANSCENDENTAL = 0.35;
  private static final double LOOP = 20;
  private static final double BYTE = 0.012;

  private Cost() {}

  /** Nanoseconds per element of a node. */
  public static double of(Node node) {
    double width = node.type().bytes() == 8 ? 2 : 1;
    return width
        * switch (node) {
          case Node.Const _, Node.Input _ -> 0;
          case Node.Apply n -> of(n.op());
          case Node.Random n ->
              100 * SIMPLE
                  + (n.distribution() == Node.Distribution.NORMAL ? 2 * TRANSCENDENTAL : 0);
          case Node.Call _ -> LOOP;
        };
  }

  private static double of(Op op) {
    return switch (op.cost()) {
      case FREE, SIMPLE, SHIFT, MULTIPLY, MULTIPLY_HIGH, EXTREME, BLEND, SEQUENCE -> SIMPLE;
      case DIVIDE -> DIVISION;
      case FUNCTION -> TRANSCENDENTAL;
    };
  }

  /** Nanoseconds per element of the whole tape. */
  public static double of(Tape tape) {
    double sum = 0;
    for (int row = 0; row < tape.size(); row++) {
      sum += of(tape.node(row));
    }
    return sum;
  }

  /** Nanoseconds of memory traffic. */
  public static double ofBytes(double bytes) {
    return BYTE * bytes;
  }

  /** Floating-point operations per element of the kernel's tape and its reductions. */
  public static long flops(Kernel.Row kernel) {
    long n = flops(kernel.tape());
    for (Reduction r : kernel.reductions()) {
      n += r.type().isFloat() ? 1 : 0;
    }
    return n;
  }

  /** Floating-point operations per element of a tape, as profiles count them. */
  public static long flops(Tape tape) {
    long n = 0;
    for (int row = 0; row < tape.size(); row++) {
      Node node = tape.node(row);
      boolean counted = node instanceof Node.Apply || node instanceof Node.Call;
      n += counted && (node.type() == ScalarType.F32 || node.type() == ScalarType.F64) ? 1 : 0;
    }
    return n;
  }
}
