package ristretto.llm.model;

import java.util.Set;
import ristretto.expr.Expr;
import ristretto.expr.type.BOOL;
import ristretto.kernels.FileFormatException;
import ristretto.llm.gguf.Gguf;

/**
 * Sizes and constants of a model.
 *
 * @param architecture name of the architecture in the file
 * @param layers number of blocks of attention and feed-forward network
 * @param width elements of a token's vector
 * @param wide width of the feed-forward networks
 * @param heads number of query heads
 * @param keyHeads number of heads of keys and values, which divides {@code heads}
 * @param headWidth elements of a head
 * @param rotated leading elements of a head that positions rotate, an even number
 * @param base base of the rotations' wavelengths
 * @param epsilon number that normalizations add to the mean square
 * @param context number of positions that the model was trained for
 * @param originalContext number of positions before its context was extended
 * @param window number of positions that a token attends to, its own and those before it; 0 for all
 * @param stretch divisor of the positions in rotations
 * @param amplitude factor of the rotations' results
 */
public record Hyperparameters(
    String architecture,
    int layers,
    int width,
    int wide,
    int heads,
    int keyHeads,
    int headWidth,
    int rotated,
    double base,
    double epsilon,
    int context,
    int originalContext,
    int window,
    double stretch,
    double amplitude) {
  private static final double DEFAULT_BASE = 10_000;
  private static final Set<String> ARCHITECTURES =
      Set.of("llama", "qwen2", "qwen3", "phi3", "gpt2");

  /** Reads the hyperparameters of a file. */
  public static Hyperparameters of(Gguf file) {
    String name =
        file.text("general.architecture").orElseThrow(() -> missing("general.architecture", file));
    if (!ARCHITECTURES.contains(name)) {
      throw unknown(name, file);
    }
    int width = size(file, name + ".embedding_length");
    int heads = size(file, name + ".attention.head_count");
    int keyHeads = optional(file, name + ".attention.head_count_kv", heads);
    int headWidth = optional(file, name + ".attention.key_length", width / heads);
    int rotated = optional(file, name + ".rope.dimension_count", headWidth);
    int context = size(file, name + ".context_length");
    require(heads % keyHeads == 0, "the heads of keys must divide those of queries", file);
    require(rotated % 2 == 0 && rotated <= headWidth, "rotations must fit into a head", file);
    return new Hyperparameters(
        name,
        size(file, name + ".block_count"),
        width,
        size(file, name + ".feed_forward_length"),
        heads,
        keyHeads,
        headWidth,
        rotated,
        file.number(name + ".rope.freq_base").orElse(DEFAULT_BASE),
        file.number(name + ".attention.layer_norm_rms_epsilon")
            .or(() -> file.number(name + ".attention.layer_norm_epsilon"))
            .orElseThrow(() -> missing(name + ".attention.layer_norm_rms_epsilon", file)),
        context,
        optional(file, name + ".rope.scaling.original_context_length", context),
        optional(file, name + ".attention.sliding_window", 0),
        stretch(file, name),
        file.number(name + ".rope.scaling.attn_factor").orElse(1.0));
  }

  /** Number by which positions are divided: only the scaling "linear" has one. */
  private static double stretch(Gguf file, String name) {
    String type = file.text(name + ".rope.scaling.type").orElse("none");
    double factor = file.number(name + ".rope.scaling.factor").orElse(1.0);
    require(factor > 0 && factor < 1e6, name + ".rope.scaling.factor must be above 0", file);
    return switch (type) {
      case "none", "longrope" -> 1;
      case "linear" -> factor;
      default ->
          throw new FileFormatException(
              "[load] the scaling of rotations must be none, linear or longrope; got %s in %s; choose another model."
                  .formatted(type, file.file()));
    };
  }

  static FileFormatException unknown(String architecture, Gguf file) {
    return new FileFormatException(
        "[load] the architecture must be llama, qwen2, qwen3, phi3 or gpt2; got %s in %s; choose another model."
            .formatted(architecture, file.file()));
  }

  private static int optional(Gguf file, String key, int otherwise) {
    return file.metadata().containsKey(key) ? size(file, key) : otherwise;
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

  /** Truth where a token at a position may attend to one at an earlier position. */
  public <T> Expr<BOOL> visible(Expr<T> earlier, Expr<T> position) {
    Expr<BOOL> before = earlier.le(position);
    return window == 0 ? before : before.and(earlier.gt(position.minus(window)));
  }

  /** Elements of the queries of a token. */
  long queryWidth() {
    return (long) heads * headWidth;
  }

  /** Elements of the keys of a token, and of its values. */
  long keyWidth() {
    return (long) keyHeads * headWidth;
  }

  /** Number of query heads that share a head of keys and values. */
  public int group() {
    return heads / keyHeads;
  }
}
