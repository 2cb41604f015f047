package ristretto.spark.train;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
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
  private static final int GROUP = 4;

  private static final long MOST_COLLECTED = 64L << 20;

  private final JavaSparkContext spark;
  private final JavaRDD<Shard> shards;
  private final Broadcast<Work> work;
  private final Wire wire;
  private final long mostCollected;

  /** Creates rounds over shards, which should be persisted. */
  public ShardRounds(
      JavaSparkContext spark, JavaRDD<Shard> shards, Broadcast<Work> work, Wire wire) {
    this(spark, shards, work, wire, MOST_COLLECTED);
  }

  /**
   * Creates rounds.
   *
   * @param mostCollected maximum number of bytes of all states for which the driver averages
   */
  ShardRounds(
      JavaSparkContext spark,
      JavaRDD<Shard> shards,
      Broadcast<Work> work,
      Wire wire,
      long mostCollected) {
    this.mostCollected = mostCollected;
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

  /** Sums over the shards of a round. */
  private record Totals(long examples, double loss, long[] counters) {
    static Totals of(List<RoundResult.Told> shards, State start) {
      long[] counters = start.counters().clone();
      long examples = 0;
      double loss = 0;
      for (RoundResult.Told one :
          shards.stream().sorted(Comparator.comparing(RoundResult.Told::shard)).toList()) {
        examples += one.examples();
        loss += one.loss();
        for (int k = 0; k < counters.length; k++) {
          counters[k] = Math.max(counters[k], one.counters()[k]);
        }
      }
      return new Totals(examples, loss, counters);
    }

    Result result(State start, float[] average) {
      return examples == 0
          ? new Result(0, 0, start)
          : new Result(examples, loss, new State(average, counters));
    }
  }

  /** Trains a round. */
  public Result run(State start, Round round) {
    Broadcast<State> sent = spark.broadcast(start);
    Broadcast<Work> trained = work;
    Wire encoding = wire;
    String batches =
        "epoch " + (round.epoch() + 1) + ", batches " + (round.from() + 1) + " to " + round.to();
    spark.setCallSite("Ristretto: train " + batches);
    JavaRDD<RoundResult> results =
        shards
            .map(shard -> train(trained.value(), shard, sent.value(), round, encoding))
            .setName("states after " + batches);
    boolean small =
        (long) shards.getNumPartitions() * start.floats().length * Float.BYTES <= mostCollected;
    try {
      return ClusterSettings.run(
          "train",
          () -> small ? collected(results, start) : inTasks(results, sent, start, batches));
    } finally {
      spark.clearCallSite();
      sent.destroy();
    }
  }

  private static RoundResult train(Work work, Shard shard, State start, Round round, Wire wire) {
    Slot slot = Slots.ofTask();
    Trainee trainee = slot.model(work.key(), work.opening()::open);
    return slot.run(_ -> trainee.train(shard, start, round, wire));
  }

  /** Averages small states on the driver, in the order of the tree of tasks. */
  private Result collected(JavaRDD<RoundResult> results, State start) {
    List<RoundResult> all = results.collect();
    Totals totals = Totals.of(all.stream().map(RoundResult::told).toList(), start);
    var groups = new TreeMap<Integer, List<RoundResult>>();
    for (RoundResult r : all) {
      if (r.examples() > 0) {
        groups.computeIfAbsent(r.shard() / GROUP, _ -> new ArrayList<>()).add(r);
      }
    }
    List<Tuple2<Integer, float[]>> level = new ArrayList<>();
    groups.forEach((number, group) ->
        level.add(new Tuple2<>(number, sum(group, start, totals.examples(), wire))));
    return totals.result(start, sum(reduced(level)));
  }

  private static List<Tuple2<Integer, float[]>> reduced(List<Tuple2<Integer, float[]>> level) {
    if (level.size() <= GROUP) {
      return level;
    }
    var groups = new TreeMap<Integer, List<Tuple2<Integer, float[]>>>();
    level.forEach(
        entry -> groups.computeIfAbsent(entry._1 / GROUP, _ -> new ArrayList<>()).add(entry));
    List<Tuple2<Integer, float[]>> next = new ArrayList<>();
    groups.forEach((number, group) -> next.add(new Tuple2<>(number, sum(group))));
    return reduced(next);
  }

  /** Averages states in a tree of tasks. */
  private Result inTasks(
      JavaRDD<RoundResult> results, Broadcast<State> sent, State start, String batches) {
    results.persist(StorageLevel.MEMORY_AND_DISK());
    try {
      Totals totals = Totals.of(results.map(RoundResult::told).collect(), start);
      spark.setCallSite("Ristretto: average after " + batches);
      Wire encoding = wire;
      long examples = totals.examples();
      int n = (results.getNumPartitions() + GROUP - 1) / GROUP;
      JavaPairRDD<Integer, float[]> level =
          results
              .filter(r -> r.examples() > 0)
              .mapToPair(r -> new Tuple2<>(r.shard() / GROUP, r))
              .groupByKey(n)
              .mapValues(group -> sum(group, sent.value(), examples, encoding));
      // To the last sum, so that the driver receives one.
      while (n > 1) {
        n = (n + GROUP - 1) / GROUP;
        level =
            level
                .mapToPair(entry -> new Tuple2<>(entry._1 / GROUP, entry))
                .groupByKey(n)
                .mapValues(ShardRounds::sum);
      }
      return totals.result(start, sum(level.collect()));
    } finally {
      results.unpersist(false);
    }
  }

  private static float[] sum(Iterable<RoundResult> group, State start, double examples, Wire wire) {
    List<RoundResult> sorted = new ArrayList<>();
    group.forEach(sorted::add);
    sorted.sort(Comparator.comparing(RoundResult::shard));
    return Sums.of(
        start.floats().length,
        (from, count, sum) -> {
          for (RoundResult r : sorted) {
            wire.add(r.floats(), start.floats(), from, count, r.examples() / examples, sum);
          }
        });
  }

  private static float[] sum(Iterable<Tuple2<Integer, float[]>> group) {
    List<Tuple2<Integer, float[]>> sorted = new ArrayList<>();
    group.forEach(sorted::add);
    sorted.sort(Comparator.comparing(Tuple2::_1));
    if (sorted.isEmpty()) {
      return new float[0];
    }
    if (sorted.size() == 1) {
      return sorted.get(0)._2;
    }
    return Sums.of(
        sorted.get(0)._2.length,
        (from, count, sum) -> {
          for (Tuple2<Integer, float[]> entry : sorted) {
            for (int k = 0; k < count; k++) {
              sum[k] += entry._2[from + k];
            }
          }
        });
  }
}
