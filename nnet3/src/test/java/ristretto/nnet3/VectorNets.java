package ristretto.nnet3;

import ristretto.nnet3.io.KaldiInput;

/** The networks of the vectors. */
public final class VectorNets {
  private VectorNets() {}

  /** The network of a case, from the binary model where there is one. */
  public static Nnet read(String name) {
    String file = Vectors.has(name, "model.raw") ? "model.raw" : "model.txt";
    try (KaldiInput in = KaldiInput.of(name + "/" + file, Vectors.bytes(name, file))) {
      return Nnet.read(in);
    }
  }
}
