package ristretto.nnet3.network;

import ristretto.nnet3.Vectors;
import ristretto.nnet3.io.KaldiInput;

/** The networks of the vectors. */
public final class VectorNets {
  private VectorNets() {}

  /** The network of a case, from the binary model where there is one. */
  public static Nnet read(String name) {
    return read(name, Vectors.has(name, "model.raw") ? "model.raw" : "model.txt");
  }

  /** The network whose parameters are the derivatives, or null. */
  public static Nnet gradient(String name) {
    return Vectors.has(name, "paramgrad.txt")
        ? read(name, "paramgrad.txt")
        : Vectors.has(name, "paramgrad.raw") ? read(name, "paramgrad.raw") : null;
  }

  private static Nnet read(String name, String file) {
    try (KaldiInput in = KaldiInput.of(name + "/" + file, Vectors.bytes(name, file))) {
      return Nnet.read(in);
    }
  }
}
