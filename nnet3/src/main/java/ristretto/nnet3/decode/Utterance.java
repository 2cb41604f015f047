package ristretto.nnet3.decode;

import ristretto.nnet3.io.Matrix;

/**
 * What outputs are computed of.
 *
 * @param key its name
 * @param features a row for each frame
 * @param ivectors what else it supplies
 */
public record Utterance(String key, Matrix features, Ivectors ivectors) {}
