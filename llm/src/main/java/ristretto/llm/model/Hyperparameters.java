package ristretto.llm.model;

import ristretto.kernels.FileFormatException;
import ristretto.llm.gguf.Gguf;

/**
 * Sizes and constants of a model.
 *
 * @param architecture name of the architecture in the file
 * @param layers number of blocks of attention and feed-forward network
 * @param width elements of a token's vector
 * @param heads number of query heads
 * @param keyHeads number of heads of keys and values, which divides {@code heads}
 * @param headWidth elements of a head
 * @param rotated leading elements of a head that positions rotate, an even number
 * @param base base of the rotations' wavelengths
 * @param epsilon number that normalizations add to the mean square
 * @param context number of positions that the model was trained for
 */
public record Hyperparameters(
    String architecture,
    int layers,
    int width,
    int heads,
    int keyHeads,
    int headWidth,
    int rotated,
    double base,
    double epsilon,
    int context) {
  private static final double DEFAULT_BASE = 10_000;

  /** Reads the hyperparameters of a file. */
  public static Hyperparameters of(Gguf file) {
    String name =
        file.text("general.architecture").orElseThrow(() -> missing("general.architecture", file));
    int width = size(file, name + ".embedding_length");
    int heads = size(file, name + ".attention.head_count");
    int keyHeads =
        file.metadata().containsKey(name + ".attention.head_count_kv")
            ? size(file, name + ".attention.head_count_kv")
            : heads;
    int headWidth =
        file.metadata().containsKey(name + ".attention.key_length")
            ? size(file, name + ".attention.key_length")
            : width / heads;
    int rotated =
        file.metadata().containsKey(name + ".rope.dimension_count")
            ? size(file, name + ".rope.dimension_count")
            : headWidth;
    require(heads % keyHeads == 0, "the heads of keys must divide those of queries", file);
    require(rotated % 2 == 0 && rotated <= headWidth, "rotations must fit into a head", file);
    return new Hyperparameters(
        name,
        size(file, name + ".block_count"),
        width,
        heads,
        keyHeads,
        headWidth,
        rotated,
        file.number(name + ".rope.freq_base").orElse(DEFAULT_BASE),
        file.number(name + ".attention.layer_norm_rms_epsilon")
            .or(() -> file.number(name + ".attention.layer_norm_epsilon"))
            .orElseThrow(() -> missing(name + ".attention.layer_norm_rms_epsilon", file)),
        size(file, name + ".context_length"));
  }

  private static int size(Gguf file, String key) {
    long value = file.integer(key).orElseThrow(() -> missing(key, file));
    require(value > 0 && value <= 1 << 24, key + " must be from 1 to 2^24", file);
    return (int) value;
  }

  private static void require(boolean holds, String rule, Gguf file) {
    if (!holds) {
      throw new FileFormatException(
          "[load] %s; got other metadata in %s; the file is damaged.".formatted(rule, file.file()));
    }
  }

  private static FileFormatException missing(String key, Gguf file) {
    return new FileFormatException(
        "[load] the metadata must have %s; got %s without it; it is no language model, or damaged."
            .formatted(key, file.file()));
  }

  /** Number of query heads that share a head of keys and values. */
  public int group() {
    return heads / keyHeads;
  }
}
