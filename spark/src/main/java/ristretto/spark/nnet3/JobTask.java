package ristretto.spark.nnet3;

import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.broadcast.Broadcast;
import ristretto.expr.Context;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.fit.FlatParameters;
import ristretto.nnet3.fit.PreparedTask;
import ristretto.nnet3.fit.TrainedNetwork;
import ristretto.nnet3.fit.TrainingJob;
import ristretto.nnet3.network.Nnet;
import ristretto.spark.slot.Slots;

/**
 * Job of an iteration, as it is sent to an executor.
 *
 * @param training name of the training, which is one for all its jobs
 * @param before the network before the iteration
 */
record JobTask(
    String training, int number, TrainingJob job, Broadcast<byte[]> before, BroadcastFiles files)
    implements Serializable {
  /** Tasks by training, one at a time: a process works for one training. */
  private static final Map<String, PreparedTask> TASKS = new ConcurrentHashMap<>();

  JobResult run() {
    PreparedTask task = TASKS.get(training);
    if (task == null) {
      TASKS.clear();
      task = PreparedTask.of(job.options(), files);
      TASKS.put(training, task);
    }
    Nnet start = Networks.of(before.value());
    TrainedNetwork trained;
    try (Context device = Slots.openForTask()) {
      device.without(job.options().settings().without());
      trained = job.run(device, task, start, files, CacheSettings.DEFAULT);
    }
    SentNetwork sent =
        job.options().averages().halved()
            ? SentNetwork.ofChanges(trained.nnet(), FlatParameters.of(start))
            : SentNetwork.of(trained.nnet());
    return new JobResult(number, trained.objective(), sent);
  }
}
