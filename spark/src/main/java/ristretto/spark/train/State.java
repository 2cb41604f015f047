package ristretto.spark.train;

import java.io.Serializable;

/**
 * Tensors that a training changes.
 *
 * @param floats parameters, states and optimizer states, in the order of {@link FlatTensors}
 * @param counters numbers of steps and updates
 */
public record State(float[] floats, long[] counters) implements Serializable {}
