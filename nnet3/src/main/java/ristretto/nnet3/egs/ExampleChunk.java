package ristretto.nnet3.egs;

/**
 * A chunk of an utterance, with the context around it.
 *
 * @param first first input frame
 * @param size number of input frames that have targets
 * @param left number of context frames before the chunk
 * @param right number of context frames after the chunk
 * @param weights weight of each target frame: 1 over the number of chunks that contain the frame
 */
@SuppressWarnings("ArrayRecordComponent")
public record ExampleChunk(int first, int size, int left, int right, float[] weights) {}
