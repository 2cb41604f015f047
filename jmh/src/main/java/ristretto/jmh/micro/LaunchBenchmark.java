package ristretto.jmh.micro;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.type.F32;
import ristretto.jmh.engine.TenNodes;
import ristretto.jmh.twin.TenNodesTwin;

/** Launch of a ten-node expression: built per call, prebuilt, recorded, and as a bare loop. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 2,
    jvmArgsAppend = {
      "--add-modules=jdk.incubator.vector",
      "--enable-native-access=ALL-UNNAMED",
      "-Dristretto.cpu.threads=1"
    })
public class LaunchBenchmark {
  @Param("1000")
  public int size;

  private Context context;
  private Arena arena;
  private TenNodes ten;
  private TenNodesTwin twin;
  private Expr<F32> expression;
  private Program program;

  @Setup(Level.Trial)
  public void prepare() {
    context = Context.open();
    arena = Arena.ofShared();
    ten = new TenNodes(context, size);
    twin = new TenNodesTwin(arena, size);
    expression = ten.build();
    program = context.record(() -> ten.assign(expression));
  }

  @Benchmark
  public void bare() {
    twin.run();
  }

  @Benchmark
  public void built() {
    ten.assign(ten.build());
  }

  @Benchmark
  public void prebuilt() {
    ten.assign(expression);
  }

  @Benchmark
  public void recorded() {
    program.run();
  }

  @TearDown(Level.Trial)
  public void close() {
    context.close();
    arena.close();
  }
}
