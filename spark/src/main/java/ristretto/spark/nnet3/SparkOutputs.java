package ristretto.spark.nnet3;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.spark.broadcast.Broadcast;
import ristretto.nnet3.cluster.ClusterOutputs;
import ristretto.nnet3.decode.Utterance;
import ristretto.nnet3.decode.UtteranceComputer;
import ristretto.nnet3.decode.UtteranceJob;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;

/**
 * Computes the outputs of utterances on a cluster: blocks of utterances are tasks, and a wave of
 * tasks is a job. The driver reads the next waves meanwhile, and gets the outputs in input order.
 */
final class SparkOutputs implements ClusterOutputs {
  /** Number of input frames of a block. */
  private static final int BLOCK = 1 << 14;

  /** Maximum number of waves that run at the same time. */
  private static final int MOST_WAVES = 2;

  private final Connection cluster;
  private final UtteranceJob job;
  private final Broadcast<byte[]> network;
  private final String key = UUID.randomUUID().toString();
  private final Deque<UtteranceComputer.Result> done = new ArrayDeque<>();
  private final Deque<Wave> running = new ArrayDeque<>();
  private List<Utterance> block = new ArrayList<>();
  private List<UtteranceBlock> wave = new ArrayList<>();
  private int frames;
  private int waves;

  /** Blocks that run, and their outputs. */
  private record Wave(List<UtteranceBlock> blocks, Future<List<List<Matrix>>> outputs) {}

  SparkOutputs(Connection cluster, UtteranceJob job, Nnet nnet) {
    this.cluster = cluster;
    this.job = job;
    this.network = cluster.spark().broadcast(Networks.bytes(nnet));
  }

  @Override
  public void accept(Utterance utterance) {
    block.add(utterance);
    frames += utterance.features().rows();
    if (frames >= BLOCK) {
      endBlock();
      if (wave.size() >= cluster.spark().defaultParallelism()) {
        start();
      }
    }
  }

  private void endBlock() {
    if (!block.isEmpty()) {
      wave.add(new UtteranceBlock(key, job, network, block));
    }
    block = new ArrayList<>();
    frames = 0;
  }

  private void start() {
    if (wave.isEmpty()) {
      return;
    }
    while (running.size() >= MOST_WAVES) {
      await();
    }
    List<UtteranceBlock> blocks = wave;
    wave = new ArrayList<>();
    cluster.spark().setCallSite("Ristretto: compute outputs, wave " + ++waves);
    running.add(
        new Wave(
            blocks,
            cluster.run(() ->
                cluster
                    .spark()
                    .parallelize(blocks, blocks.size())
                    .map(UtteranceBlock::outputs)
                    .collectAsync())));
  }

  private void await() {
    Wave first = running.remove();
    List<List<Matrix>> outputs = cluster.run(() -> result(first.outputs));
    for (int b = 0; b < outputs.size(); b++) {
      List<Utterance> utterances = first.blocks.get(b).utterances();
      for (int k = 0; k < utterances.size(); k++) {
        done.add(new UtteranceComputer.Result(utterances.get(k), outputs.get(b).get(k)));
      }
    }
  }

  private static <R> R result(Future<R> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public UtteranceComputer.Result poll() {
    return done.poll();
  }

  @Override
  public void finish() {
    endBlock();
    start();
    while (!running.isEmpty()) {
      await();
    }
  }

  @Override
  public void close() {
    running.forEach(w -> w.outputs.cancel(true));
    network.unpersist();
    cluster.close();
  }
}
