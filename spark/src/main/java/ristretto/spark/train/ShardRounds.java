package ristretto.spark.train;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.storage.StorageLevel;
import ristretto.spark.slot.ClusterSettings;
import ristretto.spark.slot.Slot;
import ristretto.spark.slot.Slots;
import scala.Tuple2;

/** Rounds of training: each shard trains from the same tensors, which are then averaged. */
public final class ShardRounds {
  /** Number of states that a task adds. */
  private static final int GROUP = 8;

  private final JavaSparkContext spark;
  private final JavaRDD<Shard> shards;
  private final Broadcast<Work> work;
  private final Wire wire;

  /** Creates rounds over shards, which should be persisted. */
  public ShardRounds(
      JavaSparkContext spark, JavaRDD<Shard> shards, Broadcast<Work> work, Wire wire) {
    this.spark = spark;
    this.shards = shards;
    this.work = work;
    this.wire = wire;
  }

  /**
   * Result of a round.
   *
   * @param loss sum of the losses of the examples
   * @param average tensors after the round
   */
  public record Result(long examples, double loss, State average) {}

  /** Examples and losses of a shard in a round. */
  private record Told(int shard, long examples, double loss, long[] counters)
      implements Serializable {}

  /** Trains a round. */
  public Result run(State start, Round round) {
    Broadcast<State> sent = spark.broadcast(start);
    Broadcast<Work> trained = work;
    Wire encoding = wire;
    String name = "epoch " + (round.epoch() + 1) + ", batches " + (round.from() + 1) + " to ";
    spark.setCallSite("Ristretto: train " + name + round.to());
    JavaRDD<RoundResult> results =
        shards
            .map(shard -> train(trained.value(), shard, sent.value(), round, encoding))
            .setName(name + round.to())
            .persist(StorageLevel.MEMORY_AND_DISK());
    try {
      return ClusterSettings.run("train", () -> average(results, sent, start));
    } finally {
      spark.clearCallSite();
      results.unpersist(false);
      sent.destroy();
    }
  }

  private static RoundResult train(Work work, Shard shard, State start, Round round, Wire wire) {
    Slot slot = Slots.ofTask();
    Trainee trainee = slot.model(work.key(), work.opening()::open);
    return slot.run(_ -> trainee.train(shard, start, round, wire));
  }

  private Result average(JavaRDD<RoundResult> results, Broadcast<State> sent, State start) {
    List<Told> told =
        results
            .map(r -> new Told(r.shard(), r.examples(), r.loss(), r.counters()))
            .collect()
            .stream()
            .sorted(Comparator.comparing(Told::shard))
            .toList();
    long examples = told.stream().mapToLong(Told::examples).sum();
    double loss = 0;
    long[] counters = start.counters().clone();
    for (Told one : told) {
      loss += one.loss;
      for (int k = 0; k < counters.length; k++) {
        counters[k] = Math.max(counters[k], one.counters[k]);
      }
    }
    if (examples == 0) {
      return new Result(0, 0, start);
    }
    Wire encoding = wire;
    JavaPairRDD<Integer, double[]> level =
        results
            .filter(r -> r.examples() > 0)
            .mapToPair(r -> new Tuple2<>(r.shard() / GROUP, r))
            .groupByKey((told.size() + GROUP - 1) / GROUP)
            .mapValues(group -> sum(group, sent.value(), examples, encoding));
    for (int n = (told.size() + GROUP - 1) / GROUP; n > GROUP; n = (n + GROUP - 1) / GROUP) {
      level =
          level
              .mapToPair(entry -> new Tuple2<>(entry._1 / GROUP, entry))
              .groupByKey((n + GROUP - 1) / GROUP)
              .mapValues(ShardRounds::sum);
    }
    double[] sum = sum(level.collect());
    var floats = new float[sum.length];
    for (int k = 0; k < sum.length; k++) {
      floats[k] = (float) sum[k];
    }
    return new Result(examples, loss, new State(floats, counters));
  }

  private static double[] sum(
      Iterable<RoundResult> group, State start, double examples, Wire wire) {
    List<RoundResult> sorted = new ArrayList<>();
    group.forEach(sorted::add);
    sorted.sort(Comparator.comparing(RoundResult::shard));
    var sum = new double[start.floats().length];
    for (RoundResult r : sorted) {
      wire.add(r.floats(), start.floats(), r.examples() / examples, sum);
    }
    return sum;
  }

  private static double[] sum(Iterable<Tuple2<Integer, double[]>> group) {
    List<Tuple2<Integer, double[]>> sorted = new ArrayList<>();
    group.forEach(sorted::add);
    sorted.sort(Comparator.comparing(Tuple2::_1));
    double[] sum = sorted.get(0)._2.clone();
    for (Tuple2<Integer, double[]> entry : sorted.subList(1, sorted.size())) {
      for (int k = 0; k < sum.length; k++) {
        sum[k] += entry._2[k];
      }
    }
    return sum;
  }
}
