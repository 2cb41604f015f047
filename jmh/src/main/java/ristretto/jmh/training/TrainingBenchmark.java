package ristretto.jmh.training;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Training steps, ours and PyTorch's, each in its own process that runs several steps per call. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class TrainingBenchmark {
  /** Number of steps per call, such that the communication with the process is negligible. */
  private static final int STEPS = 10;

  @Param({
    "mlp-1000",
    "mlp-64",
    "lstm-20x20",
    "lenet-100",
    "attention-8x4x256x64",
    "block-2048x256",
    "adam-10000000",
    "resnet18-cifar-64x32",
    "gpt-psalms-6x256x128x16",
    "vae-128",
    "gru-tagger-40x64"
  })
  public String line;

  @Param({"ours", "torch", "copy"})
  public String competitor;

  @Param({"1", "2"})
  public int threads;

  private Racer racer;

  @Setup(Level.Trial)
  public void prepare() throws IOException {
    TrainingLine known = TrainingLine.named(line);
    Racer.Side side = Racer.Side.named(competitor);
    if (!known.sides().contains(side)) {
      throw new IllegalStateException(competitor + " does not do " + line);
    }
    racer = new Racer(side, threads, known, TrainingEffort.QUICK);
  }

  @Benchmark
  @OperationsPerInvocation(STEPS)
  public void steps() {
    racer.run(STEPS);
  }

  @TearDown(Level.Trial)
  public void close() {
    if (racer != null) {
      racer.close();
    }
  }
}
