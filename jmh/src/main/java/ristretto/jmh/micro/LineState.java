package ristretto.jmh.micro;

import java.util.List;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import ristretto.jmh.engine.Engine;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Lines;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.Job;
import ristretto.jmh.twin.Twins;

/** State of this package's benchmarks: a line that one competitor prepared. */
@State(Scope.Benchmark)
public class LineState {
  private Engine engine;
  private Twins twins;
  private Job job;

  /** Prepares {@code line}; throws with the competitor's reason if it cannot. */
  void prepare(String line, String dims, String competitor) {
    engine = new Engine("cpu");
    twins = new Twins(Integer.getInteger("ristretto.cpu.threads", 1));
    List<Competitor> all =
        java.util.stream.Stream.concat(engine.competitors().stream(), twins.competitors().stream())
            .toList();
    Competitor chosen =
        all.stream()
            .filter(c -> c.name().equals(competitor))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException(competitor + " is not here"));
    job =
        switch (chosen.prepare(Lines.named(line), Dims.parse(dims))) {
          case Competitor.Ready(var ready) -> ready;
          case Competitor.NotOffered() ->
              throw new IllegalStateException(competitor + " does not do " + line);
          case Competitor.Skipped(var reason) -> throw new IllegalStateException(reason);
        };
  }

  void run() {
    job.time(1);
  }

  void close() {
    if (job != null) {
      job.close();
    }
    twins.close();
    engine.close();
  }
}
