package ristretto.nnet3.decode;

import java.io.Serializable;
import ristretto.nnet3.matrix.Matrix;

/**
 * Input of an utterance.
 *
 * @param key name of the utterance
 * @param features one row per frame
 * @param ivectors i-vectors of the utterance
 */
public record Utterance(String key, Matrix features, Ivectors ivectors) implements Serializable {}
