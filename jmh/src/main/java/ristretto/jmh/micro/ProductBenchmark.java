package ristretto.jmh.micro;

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

/** Matrix products with and without epilogue, and the bare call of OpenBLAS. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 2,
    jvmArgsAppend = {
      "--add-modules=jdk.incubator.vector",
      "--enable-native-access=ALL-UNNAMED",
      "-Dristretto.cpu.threads=1"
    })
public class ProductBenchmark {
  @Param({"dot", "dense"})
  public String line;

  @Param({"64x64x64", "256x256x256", "1024x1024x1024", "8192x1024x1024"})
  public String size;

  @Param({"ours", "blas"})
  public String competitor;

  private LineState state;

  @Setup(Level.Trial)
  public void prepare() {
    state = new LineState();
    state.prepare(line, size, competitor);
  }

  @Benchmark
  public void run() {
    state.run();
  }

  @TearDown(Level.Trial)
  public void close() {
    state.close();
  }
}
