package ristretto.jmh.training;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import ristretto.jmh.line.Dims;

/**
 * Measured training step: forward, backward and, for some lines, an update.
 *
 * @param name name of the model
 * @param what description for users
 * @param dims size of the data
 * @param small size for the warm-up
 * @param rival side that our time is compared with
 * @param wanted target for the rival's time relative to ours
 * @param memory target for our peak memory relative to PyTorch's
 */
record TrainingLine(
    String name,
    String what,
    Dims dims,
    Dims small,
    Racer.Side rival,
    double wanted,
    double memory) {
  private static TrainingLine of(
      String name, String what, String dims, String small, double wanted) {
    return new TrainingLine(
        name, what, Dims.parse(dims), Dims.parse(small), Racer.Side.TORCH, wanted, 1);
  }

  /** Model of users, which must be clearly faster and smaller than PyTorch's. */
  private static TrainingLine prototype(String name, String what, String dims, String small) {
    return new TrainingLine(
        name, what, Dims.parse(dims), Dims.parse(small), Racer.Side.TORCH, 1.2, 0.8);
  }

  private static final String MLP = "784-128-64-10 with ReLU and cross-entropy, Adam; batch";

  static final List<TrainingLine> ALL =
      List.of(
          of("mlp", MLP, "1000", "16", 1.25),
          of("mlp", MLP, "64", "16", 2),
          of(
              "lstm",
              "words, two layers of LSTM with 200 outputs, 2058 scores, cross-entropy, clipping,"
                  + " descent; steps, batch",
              "20x20",
              "4x4",
              1.2),
          of("lenet", "LeNet-5 with ReLU and cross-entropy, AdamW; batch", "100", "4", 1),
          of(
              "attention",
              "scaled dot-product attention without an update; batch, heads, steps, width",
              "8x4x256x64",
              "2x2x32x16",
              1.2),
          of(
              "block",
              "layer norm, four times as wide, GELU, back, added, Adam; rows, width",
              "2048x256",
              "16x64",
              1.5),
          new TrainingLine(
              "adam",
              "the update alone, against a copy of as many bytes; parameters",
              Dims.of(10_000_000),
              Dims.of(10_000),
              Racer.Side.COPY,
              0.9,
              1),
          prototype(
              "resnet18-cifar",
              "ResNet-18 of small images, momentum; batch, height and width",
              "64x32",
              "2x8"),
          prototype(
              "gpt-psalms",
              "decoder of letters with tied weights, AdamW; blocks, width, steps, batch",
              "6x256x128x16",
              "1x64x8x2"),
          prototype("vae", "variational autoencoder 784-400-20, Adam; batch", "128", "4"),
          prototype(
              "gru-tagger",
              "5000 words, bidirectional GRU with 128 outputs and lengths, 20 tags, Adam; steps,"
                  + " batch",
              "40x64",
              "5x3"));

  /** Returns the line with this label. */
  static TrainingLine named(String label) {
    return ALL.stream().filter(l -> l.label().equals(label)).findFirst().orElseThrow();
  }

  /** Label for {@code --only}. */
  String label() {
    return name + "-" + dims;
  }

  /** Sides to run; PyTorch always takes part, since its memory is reported. */
  Set<Racer.Side> sides() {
    var sides = EnumSet.of(Racer.Side.OURS, Racer.Side.TORCH);
    sides.add(rival);
    return sides;
  }
}
