package ristretto.tornado;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.driver.DriverProvider.Found;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;
import uk.ac.manchester.tornado.api.GridScheduler;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.TaskGraph;
import uk.ac.manchester.tornado.api.TornadoExecutionPlan;
import uk.ac.manchester.tornado.api.WorkerGrid1D;
import uk.ac.manchester.tornado.api.enums.DataTransferMode;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/**
 * Times of our kernels beside task graphs written by hand that do the same. Not a test: run it with
 * {@code -Dtest=TaskGraphComparison}, and with {@code -Dristretto.test.hand=true} for the task
 * graphs alone, compiled as TornadoVM compiles by default.
 */
class TaskGraphComparison {
  private static final int RUNS = Integer.getInteger("ristretto.test.runs", 15);
  private static final boolean ALONE = Boolean.getBoolean("ristretto.test.hand");
  private static final ScalarType F32 = ScalarType.F32;

  /** One measurement: nanoseconds of a run, the smallest of some. */
  private interface Work {
    void run() throws Exception;
  }

  private static TornadoDevice device;
  private static final List<TornadoExecutionPlan> PLANS = new ArrayList<>();

  @Test
  void compare() throws Exception {
    if (!ALONE) {
      Found<Accelerator> found = Sdk.find();
      Assumptions.assumeFalse(found.devices().isEmpty(), found.reason());
      device = new TornadoDevice(found.devices().getFirst(), 0);
    }
    System.out.printf(Locale.ROOT, "%-24s %12s %12s %8s%n", "", "by hand", "ours", "ratio");
    for (int n : new int[] {1 << 22, 1 << 24}) {
      row("sigmoid(x) + y/2, " + n, graph("scaledSigmoid", n), sigmoid(n));
      row("chain of 8, " + n, graph("chain", n), chain(n));
    }
    row("softmax, 4096 x 1024", softmaxGraph(4096, 1024), softmax(4096, 1024));
    row("softmax, 65536 x 64", softmaxGraph(65536, 64), softmax(65536, 64));
    overhead();
  }

  /** By turns, the smallest time each, in milliseconds. */
  private static void row(String name, Work hand, Work ours) throws Exception {
    double byHand = Double.MAX_VALUE;
    double own = Double.MAX_VALUE;
    for (int k = 0; k < RUNS; k++) {
      byHand = Math.min(byHand, millis(hand));
      if (ours != null) {
        own = Math.min(own, millis(ours));
      }
    }
    System.out.printf(
        Locale.ROOT, "%-24s %9.3f ms %9.3f ms %8.2f%n", name, byHand, own, byHand / own);
  }

  private static double millis(Work work) throws Exception {
    long start = System.nanoTime();
    work.run();
    return (System.nanoTime() - start) / 1e6;
  }

  /**
   * Overhead of tiny kernels: a task graph's execution, and a launch, with and without waiting for
   * it.
   */
  private static void overhead() throws Exception {
    int many = 2000;
    Work hand = graph("chain", ByHand.GROUP);
    Work ours = chain(ByHand.GROUP);
    Launch launch = ours == null ? null : lastLaunch;
    Buffer[] buffers = lastBuffers;
    double byHand = Double.MAX_VALUE;
    double waited = Double.MAX_VALUE;
    double queued = Double.MAX_VALUE;
    for (int k = 0; k < 5; k++) {
      byHand = Math.min(byHand, repeated(many, hand));
      if (ours != null) {
        waited = Math.min(waited, repeated(many, ours));
        queued =
            Math.min(
                queued,
                millis(() -> {
                  for (int i = 0; i < many; i++) {
                    launch.run(buffers, new long[0]);
                  }
                  device.synchronize();
                })
                    * 1000
                    / many);
      }
    }
    System.out.printf(
        Locale.ROOT,
        "launch of a tiny kernel: by hand %.1f us, ours %.1f us, ours and waited for %.1f us%n",
        byHand,
        queued,
        waited);
  }

  private static double repeated(int many, Work work) throws Exception {
    return millis(() -> {
      for (int i = 0; i < many; i++) {
        work.run();
      }
    })
        * 1000
        / many;
  }

  private static FloatArray data(int n, int seed) {
    var array = new FloatArray(n);
    for (int i = 0; i < n; i++) {
      array.set(i, ((i * 31 + seed) % 997) * 0.004f - 2f);
    }
    return array;
  }

  private static Work graph(String name, int n) {
    FloatArray x = data(n, 1);
    FloatArray y = data(n, 2);
    var out = new FloatArray(n);
    var grid = new WorkerGrid1D(n);
    grid.setLocalWork(Math.min(n, 1024), 1, 1);
    String id = name + n;
    TaskGraph graph = new TaskGraph(id).transferToDevice(DataTransferMode.FIRST_EXECUTION, x, y);
    graph =
        name.equals("chain")
            ? graph.task("t", ByHand::chain, new KernelContext(), x, y, out)
            : graph.task("t", ByHand::scaledSigmoid, new KernelContext(), x, y, out);
    return plan(graph.transferToHost(DataTransferMode.UNDER_DEMAND, out), id, grid);
  }

  private static Work softmaxGraph(int rows, int length) {
    FloatArray x = data(rows * length, 1);
    var out = new FloatArray(rows * length);
    var grid = new WorkerGrid1D(rows);
    grid.setLocalWork(ByHand.GROUP, 1, 1);
    String id = "softmax" + rows;
    TaskGraph graph =
        new TaskGraph(id)
            .transferToDevice(DataTransferMode.FIRST_EXECUTION, x)
            .task("t", ByHand::softmax, new KernelContext(), x, out, length)
            .transferToHost(DataTransferMode.UNDER_DEMAND, out);
    return plan(graph, id, grid);
  }

  private static Work plan(TaskGraph graph, String id, WorkerGrid1D grid) {
    var plan = new TornadoExecutionPlan(graph.snapshot());
    plan.withGridScheduler(new GridScheduler(id + ".t", grid));
    PLANS.add(plan);
    return plan::execute;
  }

  private static Launch lastLaunch;
  private static Buffer[] lastBuffers;

  private static Work ours(Kernel kernel, int... sizes) {
    Buffer[] buffers = new Buffer[sizes.length];
    for (int k = 0; k < sizes.length; k++) {
      buffers[k] = device.allocate(4L * sizes[k]);
      device.write(buffers[k], 0, data(sizes[k], k + 1).getSegment());
    }
    Launch launch = device.prepare(kernel);
    lastLaunch = launch;
    lastBuffers = buffers;
    return () -> {
      launch.run(buffers, new long[0]);
      device.synchronize();
    };
  }

  private static Operand.Memory memory(int buffer, long... strides) {
    return new Operand.Memory(F32, buffer, new Affine(0, Longs.of(strides)));
  }

  private static Work sigmoid(int n) {
    if (ALONE) {
      return null;
    }
    var t = new TapeBuilder();
    int x = t.input(0, F32);
    int y = t.input(1, F32);
    int one = t.constant(F32, 1);
    int e = t.apply(Op.EXP, t.apply(Op.NEG, x));
    int s = t.apply(Op.DIV, one, t.apply(Op.ADD, one, e));
    int out = t.apply(Op.ADD, s, t.apply(Op.MUL, t.constant(F32, 0.5), y));
    return map("map_scaledSigmoid", n, t, out);
  }

  private static Work chain(int n) {
    if (ALONE) {
      return null;
    }
    var t = new TapeBuilder();
    int x = t.input(0, F32);
    int y = t.input(1, F32);
    int a =
        t.apply(
            Op.ADD,
            t.apply(Op.MUL, x, t.constant(F32, 0.9)),
            t.apply(Op.MUL, y, t.constant(F32, 0.1)));
    int b = t.apply(Op.SUB, t.apply(Op.MUL, a, a), y);
    int out =
        t.apply(
            Op.SELECT,
            t.apply(Op.GT, b, t.constant(F32, 0)),
            t.apply(Op.MUL, b, t.constant(F32, 0.5)),
            t.apply(Op.ADD, a, t.constant(F32, 1)));
    return map("map_chain", n, t, out);
  }

  private static Work map(String name, int n, TapeBuilder t, int out) {
    Kernel kernel =
        new Kernel.Map(
            name,
            Longs.of(n),
            t.build(out),
            List.of(memory(0, 1), memory(1, 1)),
            List.of(memory(2, 1)));
    return ours(kernel, n, n, n);
  }

  private static Work softmax(int rows, int length) {
    if (ALONE) {
      return null;
    }
    var t = new TapeBuilder();
    int x = t.input(0, F32);
    int max = t.input(1, F32);
    int sum = t.input(2, F32);
    int e = t.apply(Op.EXP, t.apply(Op.SUB, x, max));
    int out = t.apply(Op.DIV, e, sum);
    Kernel kernel =
        new Kernel.Row(
            "row_softmax",
            Longs.of(rows, length),
            1,
            t.build(x, e, out),
            List.of(memory(0, length, 1)),
            List.of(
                new Reduction(Reduction.Kind.MAX, F32, 0),
                new Reduction(Reduction.Kind.SUM, F32, 1)),
            List.of(new Kernel.Store(2, memory(1, length, 1), false)));
    return ours(kernel, rows * length, rows * length);
  }

  /** Content of a buffer, for a look at it. */
  static float[] read(Buffer buffer) {
    float[] values = new float[(int) (buffer.bytes() / 4)];
    device.read(buffer, 0, MemorySegment.ofArray(values));
    return values;
  }
}
