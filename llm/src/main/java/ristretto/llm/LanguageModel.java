package ristretto.llm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.FileFormatException;
import ristretto.llm.chat.ChatFormat;
import ristretto.llm.gguf.Gguf;
import ristretto.llm.huggingface.HuggingFace;
import ristretto.llm.model.Decoder;
import ristretto.llm.model.Hyperparameters;
import ristretto.llm.model.Network;
import ristretto.llm.model.WholeSequence;
import ristretto.llm.token.Tokenizer;

/** Language model of a GGUF file, or of a checkpoint in the layout of Hugging Face. */
public final class LanguageModel {
  private final Context ctx;
  private final Hyperparameters sizes;
  private final Network network;
  private final Optional<Tokenizer> tokenizer;
  private final ChatFormat format;

  private LanguageModel(
      Context ctx,
      Hyperparameters sizes,
      Network network,
      Optional<Tokenizer> tokenizer,
      ChatFormat format) {
    this.ctx = ctx;
    this.sizes = sizes;
    this.network = network;
    this.tokenizer = tokenizer;
    this.format = format;
  }

  /**
   * Loads a model.
   *
   * @param path GGUF file, whose weights are read from the file as they are used; or a folder with
   *     {@code config.json} and {@code model.safetensors}, whose weights are copied as F32
   * @throws FileFormatException if the file is damaged, or its architecture is not known
   */
  public static LanguageModel open(Context ctx, Path path) {
    try (Gguf file = Files.isDirectory(path) ? HuggingFace.open(path) : Gguf.open(path)) {
      Hyperparameters sizes = Hyperparameters.of(file);
      Network network = Decoder.of(ctx, sizes, file);
      boolean speaks = file.metadata().containsKey("tokenizer.ggml.model");
      var tokenizer = speaks ? Optional.of(Tokenizer.of(file)) : Optional.<Tokenizer>empty();
      var format = ChatFormat.of(file.text("tokenizer.chat_template").orElse(""));
      return new LanguageModel(ctx, sizes, network, tokenizer, format);
    }
  }

  /** Context of the weights. */
  public Context context() {
    return ctx;
  }

  /** Network of the model. */
  public Network network() {
    return network;
  }

  /** Tokenizer of the model; empty if the file has none. */
  public Optional<Tokenizer> tokenizer() {
    return tokenizer;
  }

  /** Form of the conversations that the model was trained with. */
  public ChatFormat chatFormat() {
    return format;
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
    return ctx.eval(network.logits(network.hidden(sequence, at, new WholeSequence(sizes))));
  }
}
