package ristretto.jmh.micro;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import ristretto.jmh.engine.Engine;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Lines;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.Job;
import ristretto.jmh.twin.Twins;

/** Benchmark of a line with one thread; subclasses have the lines, sizes and competitors. */
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
public abstract class LineBenchmark {
  private Engine engine;
  private Twins twins;
  private Job job;

  LineBenchmark() {}

  abstract String line();

  abstract String size();

  abstract String competitor();

  /** Prepares the line; throws with the competitor's reason if it cannot. */
  @Setup(Level.Trial)
  public void prepare() {
    engine = new Engine("cpu");
    twins = new Twins(Integer.getInteger("ristretto.cpu.threads", 1));
    List<Competitor> all =
        Stream.concat(engine.competitors().stream(), twins.competitors().stream()).toList();
    Competitor chosen =
        all.stream()
            .filter(c -> c.name().equals(competitor()))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException(competitor() + " is not here"));
    job =
        switch (chosen.prepare(Lines.named(line()), Dims.parse(size()))) {
          case Competitor.Ready(var ready) -> ready;
          case Competitor.NotOffered() ->
              throw new IllegalStateException(competitor() + " does not do " + line());
          case Competitor.Skipped(var reason) -> throw new IllegalStateException(reason);
        };
  }

  @Benchmark
  public void run() {
    job.time(1);
  }

  @TearDown(Level.Trial)
  public void close() {
    if (job != null) {
      job.close();
    }
    twins.close();
    engine.close();
  }
}
