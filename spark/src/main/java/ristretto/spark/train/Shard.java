package ristretto.spark.train;

import java.io.Serializable;
import java.util.List;

/**
 * Part of the training data.
 *
 * @param number number of the shard
 * @param rows number of rows
 * @param left number of rows that were left out, because they are no input
 * @param inputs row-major elements of each input of the model, in native byte order
 */
public record Shard(int number, int rows, long left, List<byte[]> inputs) implements Serializable {}
