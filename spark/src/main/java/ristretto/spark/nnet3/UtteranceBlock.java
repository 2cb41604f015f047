package ristretto.spark.nnet3;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.broadcast.Broadcast;
import ristretto.nnet3.decode.Utterance;
import ristretto.nnet3.decode.UtteranceComputer;
import ristretto.nnet3.decode.UtteranceJob;
import ristretto.nnet3.matrix.Matrix;
import ristretto.spark.slot.Slot;
import ristretto.spark.slot.Slots;

/**
 * Utterances that a task computes.
 *
 * @param key key of the network in the processes of the cluster
 */
record UtteranceBlock(
    String key, UtteranceJob job, Broadcast<byte[]> network, List<Utterance> utterances)
    implements Serializable {
  /** Returns the outputs, in order. */
  List<Matrix> outputs() {
    Slot slot = Slots.ofTask();
    UtteranceComputer computer =
        slot.model(
            key,
            ctx -> {
              ctx.without(job.settings().without());
              return job.computer(Networks.of(network.value()), ctx);
            });
    return slot.run(_ -> {
      List<Matrix> outputs = new ArrayList<>();
      utterances.forEach(computer::accept);
      computer.finish();
      for (var next = computer.poll(); next != null; next = computer.poll()) {
        outputs.add(next.output());
      }
      return outputs;
    });
  }
}
