package ristretto.nnet3.egs;

/**
 * A part of an utterance.
 *
 * @param first its first frame
 * @param size how many input frames it has targets for
 * @param left frames of input before it
 * @param right frames of input after it
 * @param weights of its frames of targets: one over the number of chunks that have the frame
 */
@SuppressWarnings("ArrayRecordComponent")
public record Chunk(int first, int size, int left, int right, float[] weights) {}
