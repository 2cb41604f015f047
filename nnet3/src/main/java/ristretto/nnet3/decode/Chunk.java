package ristretto.nnet3.decode;

/**
 * A part of an utterance that is computed alone.
 *
 * @param firstInput the first frame of input; frames outside of the utterance are copies of its
 *     first or last one
 * @param inputs frames of input
 * @param firstOutput the frame of the first output
 * @param outputs frames of output, {@code stride} frames apart
 * @param skip outputs at the beginning that are computed but not wanted
 * @param used outputs after them that are wanted
 * @param ivector null where there is none
 * @param edge whether it has other context than those amid an utterance
 * @param usual outputs of most chunks, where one with fewer may be computed like them; 0 where it
 *     may not
 */
public record Chunk(
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
  /** What chunks have in common that one computation serves. */
  public record Form(int before, int inputs, int outputs, int stride, boolean edge) {
    /** With another number of outputs, and as much more input. */
    Form with(int others) {
      return new Form(before, inputs + (others - outputs) * stride, others, stride, edge);
    }
  }

  Form form() {
    return new Form(firstOutput - firstInput, inputs, outputs, stride, edge);
  }
}
