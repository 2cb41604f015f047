package ristretto.nnet3.decode;

/** Outputs of utterances, in input order, computed some at a time. */
public interface UtteranceOutputs {
  /** Accepts an utterance of at least one frame. */
  void accept(Utterance utterance);

  /** Returns the outputs of the next utterance in input order, or null if they are not complete. */
  UtteranceComputer.Result poll();

  /** Completes the outputs of all accepted utterances. */
  void finish();
}
