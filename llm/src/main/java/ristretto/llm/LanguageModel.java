package ristretto.llm;

import java.io.IOException;
import java.nio.file.Path;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.FileFormatException;
import ristretto.llm.gguf.Gguf;
import ristretto.llm.model.Hyperparameters;
import ristretto.llm.model.Llama;
import ristretto.llm.model.Weights;
import ristretto.llm.model.WholeSequence;

/** Language model of a GGUF file. */
public final class LanguageModel {
  private final Context ctx;
  private final Hyperparameters sizes;
  private final Llama network;

  private LanguageModel(Context ctx, Hyperparameters sizes, Llama network) {
    this.ctx = ctx;
    this.sizes = sizes;
    this.network = network;
  }

  /**
   * Loads a model.
   *
   * @throws FileFormatException if the file is damaged, or its architecture is not known
   */
  public static LanguageModel open(Context ctx, Path path) throws IOException {
    try (Gguf file = Gguf.open(path)) {
      Hyperparameters sizes = Hyperparameters.of(file);
      if (!sizes.architecture().equals("llama")) {
        throw new FileFormatException(
            "[load] the architecture must be llama; got %s in %s; choose another model."
                .formatted(sizes.architecture(), path));
      }
      var weights = new Weights(ctx, file);
      long vocabulary = file.tensor("token_embd.weight").shape().dim(0);
      long wide = file.tensor("blk.0.ffn_gate.weight").shape().dim(0);
      return new LanguageModel(ctx, sizes, new Llama(ctx, sizes, weights, vocabulary, wide));
    }
  }

  /** Sizes and constants of the model. */
  public Hyperparameters sizes() {
    return sizes;
  }

  /**
   * Logits of the token that follows each token of a sequence.
   *
   * @return {@code [tokens, vocabulary]}
   */
  public Tensor<F32> logits(int... tokens) {
    var positions = new int[tokens.length];
    for (int k = 0; k < positions.length; k++) {
      positions[k] = k;
    }
    Tensor<I32> sequence = ctx.tensor(tokens, tokens.length);
    Tensor<I32> at = ctx.tensor(positions, positions.length);
    return ctx.eval(network.logits(sequence, at, new WholeSequence(sizes)));
  }
}
