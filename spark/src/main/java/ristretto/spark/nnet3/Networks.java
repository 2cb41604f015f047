package ristretto.spark.nnet3;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.broadcast.Broadcast;
import ristretto.nnet3.fit.FlatParameters;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.network.Nnet;
import scala.Tuple2;

/** Networks as the content of raw files. */
final class Networks {
  /** Number of networks that a task adds. */
  private static final int GROUP = 4;

  private Networks() {}

  static byte[] bytes(Nnet nnet) {
    return KaldiOutput.bytes(true, nnet::write);
  }

  static Nnet of(byte[] bytes) {
    try (KaldiInput in = KaldiInput.of("a network", bytes)) {
      return Nnet.read(in);
    }
  }

  /** Returns the parameters of a network that was broadcast. */
  static float[] parameters(Broadcast<byte[]> network) {
    return FlatParameters.of(of(network.value()));
  }

  /**
   * Averages networks in a tree: tasks add groups of neighbours, in order, and the driver adds the
   * last few, so that the result has the same bits wherever the tasks run.
   *
   * @param networks networks by number from 0
   * @param before the network before the iteration
   */
  static Nnet average(
      JavaPairRDD<Integer, SentNetwork> networks, int count, Broadcast<byte[]> before) {
    JavaPairRDD<Integer, SentNetwork> level = networks;
    float factor = 1f / count;
    for (int n = count; n > GROUP; n = (n + GROUP - 1) / GROUP) {
      float scale = factor;
      level =
          level
              .mapToPair(entry -> new Tuple2<>(entry._1 / GROUP, entry))
              .groupByKey((n + GROUP - 1) / GROUP)
              .mapValues(group -> SentNetwork.of(sum(group, scale, before)));
      factor = 1;
    }
    return sum(level.collect(), factor, before);
  }

  private static Nnet sum(
      Iterable<Tuple2<Integer, SentNetwork>> group, float factor, Broadcast<byte[]> before) {
    List<Tuple2<Integer, SentNetwork>> sorted = new ArrayList<>();
    group.forEach(sorted::add);
    sorted.sort(Comparator.comparing(Tuple2::_1));
    // Parameters before are read only if networks were sent as changes.
    float[] start =
        sorted.get(0)._2 instanceof SentNetwork.Changed ? parameters(before) : new float[0];
    Nnet sum = sorted.get(0)._2.open(start);
    if (factor != 1) {
      sum.scale(factor);
    }
    sorted.stream().skip(1).forEach(entry -> sum.add(factor, entry._2.open(start)));
    return sum;
  }
}
