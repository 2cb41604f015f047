package ristretto.nnet3.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import ristretto.expr.Context;
import ristretto.kernels.RistrettoException;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.ObjectiveTotals;

/** Runs jobs in threads of this process. */
public final class ThreadJobs implements JobRunner {
  private final ExecutorService threads;
  private final CacheSettings cache;

  /** The task of all jobs, once there was one. */
  private PreparedTask task;

  /**
   * Starts threads.
   *
   * @param cache settings of the cache of computations of each job
   */
  public ThreadJobs(int threads, CacheSettings cache) {
    this.threads = Executors.newFixedThreadPool(threads);
    this.cache = cache;
  }

  @Override
  public TrainedNetworks run(List<TrainingJob> jobs, Nnet before) {
    if (task == null) {
      task = PreparedTask.of(jobs.get(0).options(), JobFiles.HERE);
    }
    PreparedTask prepared = task;
    List<Future<TrainedNetwork>> open = new ArrayList<>();
    for (TrainingJob job : jobs) {
      open.add(threads.submit(() -> run(job, prepared, before)));
    }
    return new Trained(open.stream().map(ThreadJobs::result).toList());
  }

  private TrainedNetwork run(TrainingJob job, PreparedTask prepared, Nnet before) {
    try (Context device = job.options().settings().open()) {
      return job.run(device, prepared, before, JobFiles.HERE, cache);
    }
  }

  private static TrainedNetwork result(Future<TrainedNetwork> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RistrettoException known) {
        throw known;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public boolean isRemote() {
    return false;
  }

  @Override
  public void close() {
    threads.close();
  }

  private record Trained(List<TrainedNetwork> all) implements TrainedNetworks {
    @Override
    public List<ObjectiveTotals.Value> objectives() {
      return all.stream().map(TrainedNetwork::objective).toList();
    }

    @Override
    public Nnet network(int job) {
      return all.get(job).nnet();
    }

    @Override
    public Nnet average(List<Integer> jobs) {
      Nnet average = network(jobs.get(0));
      if (jobs.size() > 1) {
        average.scale(1f / jobs.size());
        jobs.stream().skip(1).forEach(job -> average.add(1f / jobs.size(), network(job)));
      }
      return average;
    }

    @Override
    public void close() {}
  }
}
