package ristretto.jmh.twin;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import ristretto.jmh.run.Competitor;

/** All competitors of this package, with shared threads and data. */
public final class Twins implements AutoCloseable {
  private final Team team;
  private final List<Competitor> competitors = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();

  public Twins(int threads) {
    team = new Team(threads);
    var worksets = new Worksets();
    competitors.add(new HandWritten("twin", new JavaKernels(), team, worksets));
    try {
      competitors.add(new HandWritten("C", new CKernels(Gcc.compile()), team, worksets));
    } catch (Gcc.Unavailable e) {
      remarks.add("C: skipped, " + e.getMessage());
    }
    competitors.add(new Bandwidth(team, worksets));
    try {
      competitors.add(OpenBlas.load(threads, worksets));
    } catch (IOException e) {
      remarks.add("blas: skipped, " + e.getMessage());
    }
  }

  public List<Competitor> competitors() {
    return List.copyOf(competitors);
  }

  /** Reasons why competitors are missing. */
  public List<String> remarks() {
    return List.copyOf(remarks);
  }

  @Override
  public void close() {
    team.close();
  }
}
