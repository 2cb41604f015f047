package ristretto.llm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import ristretto.expr.type.Shape;
import ristretto.kernels.block.BlockDecoder;
import ristretto.kernels.block.BlockEncoder;
import ristretto.kernels.block.BlockFormat;
import ristretto.llm.gguf.GgufTensor;
import ristretto.llm.gguf.GgufType;
import ristretto.llm.gguf.GgufWriter;

/** A small network of random weights with a tokenizer of bytes. */
public final class TinyModel {
  static final int WIDTH = 32;
  static final int HEADS = 4;
  static final int KEY_HEADS = 2;
  static final int HEAD = WIDTH / HEADS;
  static final int WIDE = 64;
  static final int WORDS = 3 + 256;
  static final int LAYERS = 2;
  static final int CONTEXT = 64;
  static final double EPSILON = 1e-5;

  private final Random random = new Random(1);
  private final List<GgufTensor> tensors = new ArrayList<>();
  private final Map<String, float[][]> weights = new HashMap<>();

  static Map<String, Object> metadata(String architecture) {
    var all = new LinkedHashMap<String, Object>();
    all.put("general.architecture", architecture);
    all.put("llama.feed_forward_length", WIDE);
    all.put("llama.block_count", LAYERS);
    all.put("llama.context_length", CONTEXT);
    all.put("llama.embedding_length", WIDTH);
    all.put("llama.attention.head_count", HEADS);
    all.put("llama.attention.head_count_kv", KEY_HEADS);
    all.put("llama.attention.layer_norm_rms_epsilon", (float) EPSILON);
    all.putAll(tokenizer());
    return all;
  }

  /** Byte tokens from 3 on. */
  private static Map<String, Object> tokenizer() {
    var tokens = new ArrayList<String>(List.of("<unk>", "<s>", "</s>"));
    var types = new ArrayList<Integer>(List.of(2, 3, 3));
    for (int b = 0; b < 256; b++) {
      tokens.add(String.format(Locale.ROOT, "<0x%02X>", b));
      types.add(6);
    }
    var scores = new ArrayList<Float>();
    tokens.forEach(_ -> scores.add(0f));
    var all = new LinkedHashMap<String, Object>();
    all.put("tokenizer.ggml.model", "llama");
    all.put("tokenizer.ggml.tokens", tokens);
    all.put("tokenizer.ggml.scores", scores);
    all.put("tokenizer.ggml.token_type", types);
    all.put("tokenizer.ggml.bos_token_id", 1);
    all.put("tokenizer.ggml.eos_token_id", 2);
    all.put("tokenizer.ggml.unknown_token_id", 0);
    return all;
  }

  /** Tensors of the last file. */
  List<GgufTensor> tensors() {
    return tensors;
  }

  /** Elements of a matrix of the last file, or of a vector as its only row. */
  float[][] weight(String name) {
    return weights.get(name);
  }

  /** Adds a matrix, or a vector of 32-bit elements if it has one row. */
  private void add(String name, GgufType type, int rows, int cols, double mean) {
    GgufType own = rows == 1 ? GgufType.F32 : type;
    BlockFormat format = own.blocks().orElse(null);
    long bytes = format == null ? 4L * cols : format.rowBytes(cols);
    var data = MemorySegment.ofArray(new byte[(int) (rows * bytes)]);
    var matrix = new float[rows][cols];
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        matrix[r][c] = (float) (mean + random.nextGaussian() / Math.sqrt(cols));
      }
      var to = MemorySegment.ofArray(matrix[r]);
      if (format == null) {
        MemorySegment.copy(to, 0, data, r * bytes, bytes);
      } else {
        BlockEncoder.encode(format, matrix[r], 0, cols, data, r * bytes);
        BlockDecoder.decode(format, data, r * bytes, 0, cols, to, 0);
      }
    }
    weights.put(name, matrix);
    Shape shape = rows == 1 ? Shape.of(cols) : Shape.of(rows, cols);
    tensors.add(new GgufTensor(name, own, shape, data));
  }

  /** Writes a Llama. */
  public Path written(Path folder, GgufType type) throws IOException {
    return written(folder, type, "llama", Map.of());
  }

  /**
   * Writes a network.
   *
   * @param more metadata, without the architecture at the begin of the keys
   */
  Path written(Path folder, GgufType type, String architecture, Map<String, Object> more)
      throws IOException {
    boolean gpt = architecture.equals("gpt2");
    boolean phi = architecture.equals("phi3");
    int keyHeads = gpt ? HEADS : KEY_HEADS;
    add("token_embd.weight", type, WORDS, WIDTH, 0);
    norm("output_norm", gpt);
    if (gpt) {
      add("position_embd.weight", GgufType.F32, CONTEXT, WIDTH, 0);
    }
    if (phi) {
      add("rope_factors_short.weight", type, 1, HEAD / 2, 2);
      add("rope_factors_long.weight", type, 1, HEAD / 2, 4);
    }
    for (int k = 0; k < LAYERS; k++) {
      String of = "blk." + k + ".";
      norm(of + "attn_norm", gpt);
      norm(of + "ffn_norm", gpt);
      if (gpt || phi) {
        linear(of + "attn_qkv", type, WIDTH + 2 * keyHeads * HEAD, WIDTH, gpt);
      } else {
        boolean biased = architecture.equals("qwen2");
        linear(of + "attn_q", type, WIDTH, WIDTH, biased);
        linear(of + "attn_k", type, KEY_HEADS * HEAD, WIDTH, biased);
        linear(of + "attn_v", type, KEY_HEADS * HEAD, WIDTH, biased);
      }
      if (architecture.equals("qwen3")) {
        add(of + "attn_q_norm.weight", type, 1, HEAD, 1);
        add(of + "attn_k_norm.weight", type, 1, HEAD, 1);
      }
      linear(of + "attn_output", type, WIDTH, WIDTH, gpt);
      if (!gpt && !phi) {
        linear(of + "ffn_gate", type, WIDE, WIDTH, false);
      }
      linear(of + "ffn_up", type, phi ? 2 * WIDE : WIDE, WIDTH, gpt);
      linear(of + "ffn_down", type, WIDTH, WIDE, gpt);
    }
    var metadata = new LinkedHashMap<String, Object>();
    metadata(architecture)
        .forEach((key, value) -> metadata.put(key.replace("llama.", architecture + "."), value));
    if (gpt) {
      metadata.remove("gpt2.attention.head_count_kv");
      metadata.remove("gpt2.attention.layer_norm_rms_epsilon");
      metadata.put("gpt2.attention.layer_norm_epsilon", (float) EPSILON);
    }
    more.forEach((key, value) -> metadata.put(architecture + "." + key, value));
    Path file = folder.resolve("model.gguf");
    GgufWriter.write(file, metadata, tensors);
    return file;
  }

  private void norm(String name, boolean biased) {
    add(name + ".weight", GgufType.F32, 1, WIDTH, 1);
    if (biased) {
      add(name + ".bias", GgufType.F32, 1, WIDTH, 0);
    }
  }

  private void linear(String name, GgufType type, int rows, int columns, boolean biased) {
    add(name + ".weight", type, rows, columns, 0);
    if (biased) {
      add(name + ".bias", GgufType.F32, 1, rows, 0);
    }
  }
}
