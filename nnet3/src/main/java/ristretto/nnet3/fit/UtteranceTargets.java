package ristretto.nnet3.fit;

import java.util.List;
import java.util.function.BiConsumer;
import ristretto.nnet3.egs.ChunkInputs;
import ristretto.nnet3.matrix.GeneralMatrix;

/** Targets of utterances, from which examples are made. */
interface UtteranceTargets<E> extends AutoCloseable {
  /** Returns true if an utterance has targets. */
  boolean has(String key);

  /**
   * Makes the examples of an utterance.
   *
   * @param valid true for an utterance that is held out for validation
   * @param ivectors i-vectors of the utterance, or null
   * @param to receives keys and examples
   */
  void examples(
      boolean valid,
      String key,
      GeneralMatrix features,
      ChunkInputs.Ivectors ivectors,
      BiConsumer<String, E> to);

  /** Lines about the chunks of the training utterances. */
  List<String> report();

  @Override
  void close();
}
