package ristretto.nnet3.decode;

/**
 * Part of an utterance that is computed independently of the other parts.
 *
 * @param firstInput first input frame; frames outside of the utterance are copies of its first or
 *     last frame
 * @param inputs number of input frames
 * @param firstOutput frame of the first computed output
 * @param outputs number of computed outputs
 * @param stride input frames between successive outputs
 * @param skip number of leading outputs that are computed but discarded
 * @param used number of outputs after them that are kept
 * @param ivector i-vector of the chunk; null if there is none
 * @param edge true if the context differs from that of chunks inside an utterance
 * @param usual number of outputs of most chunks, to which a shorter chunk may be extended; 0 if it
 *     may not
 */
public record UtteranceChunk(
    int firstInput,
    int inputs,
    int firstOutput,
    int outputs,
    int stride,
    int skip,
    int used,
    float[] ivector,
    boolean edge,
    int usual) {
  /**
   * Properties of a chunk that determine its computation; chunks of equal form form minibatches.
   *
   * @param before input frames before the first output
   * @param inputs number of input frames
   * @param outputs number of outputs
   * @param stride input frames between successive outputs
   * @param edge true if the context differs from that of chunks inside an utterance
   */
  public record Form(int before, int inputs, int outputs, int stride, boolean edge) {
    /** Returns a form with another number of outputs, and input of the corresponding length. */
    Form with(int others) {
      return new Form(before, inputs + (others - outputs) * stride, others, stride, edge);
    }
  }

  Form form() {
    return new Form(firstOutput - firstInput, inputs, outputs, stride, edge);
  }
}
