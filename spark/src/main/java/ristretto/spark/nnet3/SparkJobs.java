package ristretto.spark.nnet3;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.storage.StorageLevel;
import ristretto.kernels.FileException;
import ristretto.nnet3.fit.JobRunner;
import ristretto.nnet3.fit.TrainedNetworks;
import ristretto.nnet3.fit.TrainingJob;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.ObjectiveTotals;
import scala.Tuple2;

/** Runs the jobs of iterations as tasks of a cluster. */
final class SparkJobs implements JobRunner {
  private final Connection cluster;
  private final JavaSparkContext spark;
  private final String training = UUID.randomUUID().toString();
  private final Map<String, Broadcast<byte[]>> files = new HashMap<>();

  SparkJobs(Connection cluster) {
    this.cluster = cluster;
    this.spark = cluster.spark();
  }

  @Override
  public TrainedNetworks run(List<TrainingJob> jobs, Nnet before) {
    Broadcast<byte[]> network = spark.broadcast(Networks.bytes(before));
    List<JobTask> tasks = new ArrayList<>();
    for (TrainingJob job : jobs) {
      tasks.add(new JobTask(training, tasks.size(), job, network, sent(job.files())));
    }
    int iteration = jobs.get(0).iteration() + 1;
    spark.setCallSite("Ristretto: train networks of iteration " + iteration);
    JavaRDD<JobResult> results =
        spark
            .parallelize(tasks, tasks.size())
            .map(JobTask::run)
            .setName("networks of iteration " + iteration)
            .persist(StorageLevel.MEMORY_AND_DISK());
    return new Results(iteration, network, results);
  }

  private BroadcastFiles sent(List<String> names) {
    Map<String, Broadcast<byte[]>> contents = new HashMap<>();
    names.forEach(name ->
        contents.put(name, files.computeIfAbsent(name, file -> spark.broadcast(read(file)))));
    return new BroadcastFiles(contents);
  }

  private static byte[] read(String file) {
    try {
      return Files.readAllBytes(Path.of(file));
    } catch (IOException | OutOfMemoryError e) {
      throw new FileException(
          "[spark] a file for the jobs must be readable and smaller than 2 GiB; got %s (%s); make smaller archives with --samples-per-iter."
              .formatted(file, e.getMessage()),
          e);
    }
  }

  @Override
  public boolean isRemote() {
    return true;
  }

  @Override
  public void close() {
    files.values().forEach(Broadcast::unpersist);
    cluster.close();
  }

  private final class Results implements TrainedNetworks {
    private final int iteration;
    private final Broadcast<byte[]> before;
    private final JavaRDD<JobResult> results;
    private List<ObjectiveTotals.Value> objectives;

    Results(int iteration, Broadcast<byte[]> before, JavaRDD<JobResult> results) {
      this.iteration = iteration;
      this.before = before;
      this.results = results;
    }

    /** Runs the jobs, at the first call. */
    @Override
    public List<ObjectiveTotals.Value> objectives() {
      if (objectives == null) {
        objectives =
            cluster
                .run(() -> results.map(r -> new Tuple2<>(r.job(), r.objective())).collect())
                .stream()
                .sorted(Comparator.comparing(Tuple2::_1))
                .map(Tuple2::_2)
                .toList();
      }
      return objectives;
    }

    @Override
    public Nnet network(int job) {
      return cluster
          .run(() -> results.filter(r -> r.job() == job).map(JobResult::network).collect())
          .get(0)
          .open(Networks.parameters(before));
    }

    @Override
    public Nnet average(List<Integer> jobs) {
      if (jobs.size() == 1) {
        return network(jobs.get(0));
      }
      spark.setCallSite("Ristretto: average networks of iteration " + iteration);
      List<Integer> chosen = List.copyOf(jobs);
      return cluster.run(() ->
          Networks.average(
              results
                  .filter(r -> chosen.contains(r.job()))
                  .mapToPair(r -> new Tuple2<>(chosen.indexOf(r.job()), r.network())),
              chosen.size(),
              before));
    }

    @Override
    public void close() {
      spark.clearCallSite();
      results.unpersist(false);
      before.destroy();
    }
  }
}
