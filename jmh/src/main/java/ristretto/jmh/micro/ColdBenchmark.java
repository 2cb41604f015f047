package ristretto.jmh.micro;

import java.util.List;
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
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.jmh.engine.ColdLine;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Lines;

/** First evaluation in a new process: every fork measures one call. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(
    value = 20,
    jvmArgsAppend = {"--add-modules=jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"})
public class ColdBenchmark {
  @Param({"sigmoid", "blackscholes"})
  public String line;

  @Param("1000000")
  public String size;

  private Context context;
  private List<Tensor<F32>> inputs;
  private Tensor<F32> result;

  @Setup(Level.Trial)
  public void prepare() {
    context = Context.open();
    inputs = ColdLine.inputs(context, Lines.named(line), Dims.parse(size));
    result = context.empty(inputs.getFirst().dtype(), inputs.getFirst().shape());
  }

  @Benchmark
  public void first() {
    context.assign(result, ColdLine.of(line, inputs));
  }

  @TearDown(Level.Trial)
  public void close() {
    context.close();
  }
}
